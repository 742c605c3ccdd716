import { createContext, type ReactNode, useContext, useEffect, useRef, useState } from 'react';
import { useEnvironment } from '../location.ts';
import { Generation } from '../requests.ts';
import { type Activity, followActivity } from './follow.ts';

/** The environment as it is right now. */
export interface Live {
  /** Undefined until the first event. */
  readonly counters: Activity['counters'] | undefined;
  readonly connected: boolean;
}

const LiveContext = createContext<Live>({ counters: undefined, connected: false });

export const useLive = (): Live => useContext(LiveContext);

/** Reads come at most this often, however much is going on. */
const AT_MOST_EVERY_MS = 1_000;

/** One subscription for the whole dashboard: what changes anywhere is read again by the page that is shown. */
export function LiveActivity({ children }: { readonly children: ReactNode }) {
  const environment = useEnvironment();
  const [live, setLive] = useState<Live>({ counters: undefined, connected: false });
  const { next } = useContext(Generation);
  const latest = useRef(next);
  useEffect(() => {
    latest.current = next;
  }, [next]);
  useEffect(() => {
    const leave = new AbortController();
    let timer: ReturnType<typeof setTimeout> | undefined;
    let isCut = false;
    const readAgainSoon = () => {
      timer ??= setTimeout(() => {
        timer = undefined;
        latest.current();
      }, AT_MOST_EVERY_MS);
    };
    followActivity(environment, leave.signal, {
      onConnected(connected) {
        // What is shown may be from before the connection was lost, or be a fault of that time.
        if (connected && isCut) readAgainSoon();
        isCut = !connected;
        setLive((before) => (before.connected === connected ? before : { ...before, connected }));
      },
      // Reads find out whether the session is over.
      onEnded: () => latest.current(),
      onActivity({ counters, conversations, events }) {
        setLive({ counters, connected: true });
        if (conversations.length + events.length > 0) readAgainSoon();
      },
    });
    return () => {
      clearTimeout(timer);
      leave.abort();
    };
  }, [environment]);
  return <LiveContext value={live}>{children}</LiveContext>;
}
