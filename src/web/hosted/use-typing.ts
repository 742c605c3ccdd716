import { useCallback, useEffect, useRef } from 'react';

/** The shortest time between two reports that somebody types. A report counts for twice as long. */
const REPORT_MS = 3_000;

interface Typing {
  /** Takes the text of the composer each time that the person changes or sends it. */
  onType(text: string): void;
  /** Whether a report of the last seconds says that the person types. */
  isTyping(): boolean;
}

/** Calls `report` while the person types, and when the person stops. Another function is about another conversation. */
export function useTyping(report: (isTyping: boolean) => void): Typing {
  const reportedAt = useRef<number>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: a report is about one conversation
  useEffect(() => {
    reportedAt.current = null;
  }, [report]);
  const isTyping = useCallback(
    () => reportedAt.current !== null && performance.now() - reportedAt.current < REPORT_MS,
    [],
  );
  const onType = useCallback(
    (text: string) => {
      const types = text.trim() !== '';
      if (types ? isTyping() : reportedAt.current === null) return;
      reportedAt.current = types ? performance.now() : null;
      report(types);
    },
    [report, isTyping],
  );
  return { onType, isTyping };
}
