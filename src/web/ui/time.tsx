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

/** All times of a page move on together, twice a minute. */
function everyHalfMinute(listener: () => void): () => void {
  const timer = setInterval(listener, 30_000);
  return () => clearInterval(timer);
}

/** A moment as people say it, with the exact one at hand. */
export function Time({ at }: { readonly at: string }) {
  useSyncExternalStore(everyHalfMinute, () => Math.floor(Date.now() / 30_000));
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
      return unit === 'second' && Math.abs(value) < 45 ? soon(value) : relative.format(Math.round(value), unit);
    value /= size;
  }
  return '';
}

const soon = (seconds: number) => (seconds > 5 ? 'in a moment' : 'just now');
