import { useEffect, useRef } from 'react';

/** Calls a function at an interval while the window is visible. It covers data that no event announces. */
export function usePolling(poll: () => void, everyMs: number): void {
  const latest = useRef(poll);
  useEffect(() => {
    latest.current = poll;
  }, [poll]);
  useEffect(() => {
    const timer = setInterval(() => {
      if (!document.hidden) latest.current();
    }, everyMs);
    return () => clearInterval(timer);
  }, [everyMs]);
}
