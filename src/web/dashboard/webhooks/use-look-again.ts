import { useEffect, useRef } from 'react';

/** Looks again every so often, as long as somebody may be looking: for what no event tells of. */
export function useLookAgain(look: () => void, everyMs: number): void {
  const latest = useRef(look);
  useEffect(() => {
    latest.current = look;
  }, [look]);
  useEffect(() => {
    const timer = setInterval(() => {
      if (!document.hidden) latest.current();
    }, everyMs);
    return () => clearInterval(timer);
  }, [everyMs]);
}
