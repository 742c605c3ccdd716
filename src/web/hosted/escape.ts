import { useEffect, useRef } from 'react';

/** What the widget listens for: whoever is in its frame wants to leave. */
const LEAVE = 'parley:leave';

/**
 * What Escape does where no dialog is open: `take` answers whether there was something to stop, and where there was
 * not, the widget that shows this page is closed.
 */
export function useEscape(take: () => boolean): void {
  const latest = useRef(take);
  useEffect(() => {
    latest.current = take;
  });
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent) => {
      if (event.key !== 'Escape' || event.isComposing || document.querySelector('dialog[open]')) return;
      if (latest.current()) event.preventDefault();
      // Tells nothing that the site could not know, so any site may hear it.
      else if (parent !== window) parent.postMessage(LEAVE, '*');
    };
    addEventListener('keydown', onKeyDown);
    return () => removeEventListener('keydown', onKeyDown);
  }, []);
}
