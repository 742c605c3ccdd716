import { useEffect, useRef } from 'react';

/** The message to the widget: the user wants to leave its frame. */
const LEAVE = 'parley:leave';

/**
 * Handles Escape if no dialog is open. `onEscape` returns whether it stopped something. If not, the widget that shows
 * this page is closed.
 */
export function useEscape(onEscape: () => boolean): void {
  const latest = useRef(onEscape);
  useEffect(() => {
    latest.current = onEscape;
  });
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent) => {
      if (event.key !== 'Escape' || event.isComposing || document.querySelector('dialog[open]')) return;
      if (latest.current()) event.preventDefault();
      // Any site may receive this message: it contains nothing about the page.
      else if (parent !== window) parent.postMessage(LEAVE, '*');
    };
    addEventListener('keydown', onKeyDown);
    return () => removeEventListener('keydown', onKeyDown);
  }, []);
}
