import { useSyncExternalStore } from 'react';
import { formats, texts } from '../texts/current.ts';

const STEPS = [
  ['second', 60],
  ['minute', 60],
  ['hour', 24],
  ['day', 30],
  ['month', 12],
  ['year', Number.POSITIVE_INFINITY],
] as const;

/** Every time on the page updates together, every 30 seconds. */
function subscribeToClock(listener: () => void): () => void {
  const timer = setInterval(listener, 30_000);
  return () => clearInterval(timer);
}

/** A relative time, like "5 minutes ago". The tooltip shows the exact time. */
export function Time({ at }: { readonly at: string }) {
  useSyncExternalStore(subscribeToClock, () => Math.floor(Date.now() / 30_000));
  return (
    <time dateTime={at} title={exactTime(at)} className="whitespace-nowrap">
      {ago(new Date(at).getTime() - Date.now())}
    </time>
  );
}

/** A date with its time, in the time zone of the browser. The tooltip has it in UTC, as APIs and logs show it. */
export const ExactTime = ({ at }: { readonly at: string }) => (
  <time dateTime={at} title={at}>
    {exactTime(at)}
  </time>
);

/** A date with its time, to the second. */
export const exactTime = (at: string): string => formats().exactTime.format(new Date(at));

function ago(ms: number): string {
  let value = ms / 1_000;
  for (const [unit, size] of STEPS) {
    if (Math.abs(value) < size)
      return unit === 'second' && Math.abs(value) < 45
        ? nearNow(value)
        : formats().relativeTime.format(Math.round(value), unit);
    value /= size;
  }
  return '';
}

const nearNow = (seconds: number) => (seconds > 5 ? texts().ui.inAMoment : texts().ui.justNow);
