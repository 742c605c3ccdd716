import { useEffect, useState, useSyncExternalStore } from 'react';
import { useOnline } from '../hosted/online.ts';
import { Spinner } from '../ui/button.tsx';
import { Notice } from '../ui/notice.tsx';
import type { WatchedConnection } from './connection.ts';

/** Says calmly that requests do not get through for now; nothing has to be done about it. */
export function ConnectionNotice({ connection }: { readonly connection: WatchedConnection }) {
  const state = useSyncExternalStore(connection.subscribe, connection.getState);
  const isOnline = useOnline();
  if (!isOnline) return <Notice tone="warn">You are offline. This page goes on by itself when you are back.</Notice>;
  if (state.kind === 'limited') return <Limited until={state.until} />;
  if (state.kind === 'open') return null;
  return (
    <Notice>
      <span className="flex items-center gap-2">
        <Spinner /> Reconnecting…
      </span>
    </Notice>
  );
}

function Limited({ until }: { readonly until: number }) {
  const [now, setNow] = useState(() => Date.now());
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 1_000);
    return () => clearInterval(timer);
  }, []);
  const seconds = Math.ceil((until - now) / 1_000);
  if (seconds <= 0) return null;
  return (
    <Notice tone="warn">
      Too many requests at once. This page goes on by itself in {/* Each second would be read out. */}
      <span aria-live="off">{seconds === 1 ? '1 second' : `${seconds} seconds`}</span>.
    </Notice>
  );
}
