/** How long the page can take to show the result of a dialog. */
const WATCH_MS = 5_000;

const FOCUSABLE = 'a[href], button:not(:disabled), input:not(:disabled), select, textarea, [tabindex="0"]';

/** An element, its parent, and what comes after it. */
interface Place {
  readonly element: Element;
  readonly parent: Element;
  readonly next: Element | null;
}

/**
 * Watches the element that has the focus after a dialog has closed. If it disappears, because the dialog removed its row,
 * the focus goes to what is in its place.
 */
export function keepFocus(): void {
  const focused = document.activeElement;
  if (!focused || focused === document.body) return;
  const places = placesOf(focused);
  const observer = new MutationObserver(() => {
    if (focused.isConnected) return;
    stop();
    // The page has given the focus to something else.
    if (document.activeElement !== document.body) return;
    focusPlace(places);
  });
  const timer = setTimeout(() => observer.disconnect(), WATCH_MS);
  const stop = () => {
    clearTimeout(timer);
    observer.disconnect();
  };
  observer.observe(document.body, { childList: true, subtree: true });
}

/** The element and all that contain it, from the inside out. */
function placesOf(element: Element): readonly Place[] {
  const { parentElement: parent, nextElementSibling: next } = element;
  return parent ? [{ element, parent, next }, ...placesOf(parent)] : [];
}

function focusPlace(places: readonly Place[]): void {
  const place = places.find(({ parent }) => parent.isConnected);
  if (!place) return;
  const next = place.next?.isConnected ? place.next.querySelector<HTMLElement>(FOCUSABLE) : null;
  const target = next ?? (place.parent as HTMLElement);
  if (!next) target.tabIndex = -1;
  target.focus();
}
