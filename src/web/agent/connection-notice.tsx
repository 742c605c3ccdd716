import { useEffect, useState, useSyncExternalStore } from 'react';
import { useOnline } from '../hosted/requests.ts';
import { Spinner } from '../ui/button.tsx';
import { Notice } from '../ui/notice.tsx';
import type { WatchedConnection } from './connection.ts';

/** Says that requests fail at the moment. The SDK retries them; the user has nothing to do. */
export function ConnectionNotice({ connection }: { readonly connection: WatchedConnection }) {
  const state = useSyncExternalStore(connection.subscribe, connection.getState);
  const isOnline = useOnline();
  if (!isOnline) {
    return <Notice tone="warn">You are offline. This page continues automatically when you reconnect.</Notice>;
  }
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
      Too many requests. This page continues automatically in {/* Screen readers would announce every second. */}
      <span aria-live="off">{seconds === 1 ? '1 second' : `${seconds} seconds`}</span>.
    </Notice>
  );
}
