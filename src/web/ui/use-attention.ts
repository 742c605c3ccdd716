import { useEffect, useState } from 'react';

/** How long the window must have the focus. */
const ATTENTION_MS = 1_000;

/**
 * Whether the window has had the focus for a second. Another site could put its own window over this one and close it
 * within a double click, so that the second click presses a button here.
 */
export function useAttention(): boolean {
  const [hasAttention, setAttention] = useState(false);
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const restart = () => {
      clearTimeout(timer);
      setAttention(false);
      if (document.hasFocus()) timer = setTimeout(() => setAttention(true), ATTENTION_MS);
    };
    restart();
    for (const event of ['focus', 'blur']) window.addEventListener(event, restart);
    return () => {
      clearTimeout(timer);
      for (const event of ['focus', 'blur']) window.removeEventListener(event, restart);
    };
  }, []);
  return hasAttention;
}
