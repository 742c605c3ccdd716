import { useEffect, useState, useSyncExternalStore } from 'react';
import { useOnline } from '../hosted/requests.ts';
import { texts } from '../texts/current.ts';
import { Spinner } from '../ui/button.tsx';
import { Notice } from '../ui/notice.tsx';
import type { WatchedConnection } from './connection.ts';

/** Says that requests fail at the moment. The SDK retries them; the user has nothing to do. */
export function ConnectionNotice({ connection }: { readonly connection: WatchedConnection }) {
  const state = useSyncExternalStore(connection.subscribe, connection.getState);
  const isOnline = useOnline();
  const t = texts().network;
  if (!isOnline) {
    return <Notice tone="warn">{t.offlineContinues}</Notice>;
  }
  if (state.kind === 'limited') return <Limited until={state.until} />;
  if (state.kind === 'open') return null;
  return (
    <Notice>
      <span className="flex items-center gap-2">
        <Spinner /> {t.reconnecting}
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
      {texts().network.limited} {/* Screen readers would announce every second. */}
      <span aria-live="off">{texts().network.continuesIn(seconds)}</span>
    </Notice>
  );
}
