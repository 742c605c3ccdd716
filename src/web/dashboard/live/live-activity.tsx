import { createContext, type ReactNode, useContext, useEffect, useRef, useState } from 'react';
import { pageSettled, retried } from '../../ui/load.ts';
import { useEnvironment } from '../location.ts';
import { RefreshContext } from '../requests.ts';
import { useMe } from '../session/session.ts';
import type { Activity, Listener } from './follow.ts';

/** The current state of the environment. */
export interface Live {
  /** Undefined until the first update. */
  readonly counters: Activity['counters'] | undefined;
  readonly connected: boolean;
}

const LiveContext = createContext<Live>({ counters: undefined, connected: false });

export const useLive = (): Live => useContext(LiveContext);

/** The shortest time between two refreshes. */
const REFRESH_INTERVAL_MS = 1_000;

/**
 * One subscription for the whole dashboard. Every change refreshes the queries of the current page. It begins when the page is
 * useful, and refreshes the queries once, because something may have changed since they ran.
 */
export function LiveActivity({ children }: { readonly children: ReactNode }) {
  const environment = useEnvironment();
  const {
    user: { userId },
    workspace: { workspaceId },
  } = useMe();
  const [live, setLive] = useState<Live>({ counters: undefined, connected: false });
  const { refresh } = useContext(RefreshContext);
  const latest = useRef(refresh);
  useEffect(() => {
    latest.current = refresh;
  }, [refresh]);
  useEffect(() => {
    const controller = new AbortController();
    let timer: ReturnType<typeof setTimeout> | undefined;
    let wasLost = true;
    const scheduleRefresh = () => {
      timer ??= setTimeout(() => {
        timer = undefined;
        latest.current();
      }, REFRESH_INTERVAL_MS);
    };
    const listener: Listener = {
      onConnected(connected) {
        // The page may show data or an error from before the connection was lost.
        if (connected && wasLost) scheduleRefresh();
        wasLost = !connected;
        setLive((current) => (current.connected === connected ? current : { ...current, connected }));
      },
      // The queries find out whether the session has expired.
      onEnded: () => latest.current(),
      onActivity({ counters, conversations, events }) {
        setLive({ counters, connected: true });
        if (conversations.length + events.length > 0) scheduleRefresh();
      },
    };
    pageSettled()
      .then(() => retried(() => import('./follow.ts')))
      .then(({ followActivity }) => followActivity({ workspaceId, userId, environment }, controller.signal, listener))
      // Without the script, the page works, but nothing appears live.
      .catch(() => {});
    return () => {
      clearTimeout(timer);
      controller.abort();
    };
  }, [workspaceId, userId, environment]);
  return <LiveContext value={live}>{children}</LiveContext>;
}
