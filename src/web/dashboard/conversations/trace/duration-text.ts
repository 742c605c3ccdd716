import { formatSeconds } from '../../../ui/numbers.ts';

const UNITS = [
  ['d', 86_400],
  ['h', 3_600],
  ['min', 60],
  ['s', 1],
] as const;

/** A duration of any size: 250 ms, 2.50 s, 2 min 5 s, 3 h 2 min or 4 d 1 h. */
export function durationText(ms: number): string {
  if (ms < 60_000) return formatSeconds(ms / 1_000);
  const seconds = Math.round(ms / 1_000);
  const first = UNITS.findIndex(([, size]) => seconds >= size);
  let rest = seconds;
  const parts = UNITS.slice(first, first + 2).map(([unit, size]) => {
    const count = Math.floor(rest / size);
    rest -= count * size;
    return count === 0 ? '' : `${count} ${unit}`;
  });
  return parts.filter(Boolean).join(' ');
}
