import { useSyncExternalStore } from 'react';

const STEPS = [
  ['second', 60],
  ['minute', 60],
  ['hour', 24],
  ['day', 30],
  ['month', 12],
  ['year', Number.POSITIVE_INFINITY],
] as const;

const relative = new Intl.RelativeTimeFormat('en', { numeric: 'auto' });
const exact = new Intl.DateTimeFormat('en', { dateStyle: 'medium', timeStyle: 'medium' });

/** Every time on the page updates together, every 30 seconds. */
function subscribeToClock(listener: () => void): () => void {
  const timer = setInterval(listener, 30_000);
  return () => clearInterval(timer);
}

/** A relative time, like "5 minutes ago". The tooltip shows the exact time. */
export function Time({ at }: { readonly at: string }) {
  useSyncExternalStore(subscribeToClock, () => Math.floor(Date.now() / 30_000));
  return (
    <time dateTime={at} title={exact.format(new Date(at))}>
      {ago(new Date(at).getTime() - Date.now())}
    </time>
  );
}

function ago(ms: number): string {
  let value = ms / 1_000;
  for (const [unit, size] of STEPS) {
    if (Math.abs(value) < size)
      return unit === 'second' && Math.abs(value) < 45 ? nearNow(value) : relative.format(Math.round(value), unit);
    value /= size;
  }
  return '';
}

const nearNow = (seconds: number) => (seconds > 5 ? 'in a moment' : 'just now');
