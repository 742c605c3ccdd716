import { formatAxisSeconds } from '../../../ui/numbers.ts';
import { type Interval, isGap, isLongGap, type TurnRow } from './turn-rows.ts';

/** A labeled time on the axis. `position` is from 0 to 1. */
export interface Tick {
  readonly position: number;
  readonly label: string;
}

export interface Axis {
  readonly ticks: readonly Tick[];
  /** The middle of each gap that the axis shortens. */
  readonly breaks: readonly number[];
  /** Whether the axis shortens this gap. */
  isShortened(gap: Interval): boolean;
  /** The place of a time on the axis, from 0 to 1. */
  position(at: number): number;
}

/** Labels need room on a phone too. */
const CLOSEST_TICKS = 0.17;

const CLOSEST_BREAK = 0.14;

/** Gaps that together are this many times longer than the spans would hide the spans. */
const MOST_GAPS = 2;

/**
 * Places rows on an axis from the start of the first to the end of the last. If hours of waiting would hide seconds of work,
 * the longest gaps are shortened: all of them together then take as much room as the spans at most. The spans keep a quarter of
 * the axis or more.
 */
export function axisOf<Span>(rows: readonly TurnRow<Span>[]): Axis {
  const from = Math.min(...rows.map((row) => row.from));
  const to = Math.max(...rows.map((row) => row.to));
  const gaps = rows.filter(isGap);
  const active = Math.max(1, to - from - sum(gaps.map(lengthOf)));
  const long = longestOf(gaps, MOST_GAPS * active);
  const longestOther = Math.max(0, ...gaps.filter((gap) => !long.includes(gap)).map(lengthOf));
  const room = Math.min(active / long.length, Math.max(active / 4, longestOther));
  const shown = (at: number) => at - from - sum(long.map((gap) => hiddenBefore(at, gap, room)));
  const all = Math.max(1, shown(to));
  const position = (at: number) => shown(at) / all;
  const breaks = long.map((gap) => position((gap.from + gap.to) / 2));
  const ticks = ticksOf({ from, to }, long, stepOf(all)).map((at) => ({ position: position(at), at: at - from }));
  return {
    ticks: spread(ticks, breaks).map((tick) => ({ position: tick.position, label: labelOf(tick.at, to - from) })),
    breaks,
    isShortened: (gap) => long.some((one) => one.from === gap.from && one.to === gap.to),
    position,
  };
}

const sum = (values: readonly number[]) => values.reduce((all, value) => all + value, 0);

const lengthOf = ({ from, to }: Interval) => to - from;

/** The fewest gaps without which the others are no longer than `most` together, in order. */
function longestOf(gaps: readonly Interval[], most: number): readonly Interval[] {
  let left = sum(gaps.map(lengthOf));
  const long = new Set<Interval>();
  for (const gap of gaps.filter(isLongGap).toSorted((one, other) => lengthOf(other) - lengthOf(one))) {
    if (left <= most) break;
    left -= lengthOf(gap);
    long.add(gap);
  }
  return gaps.filter((gap) => long.has(gap));
}

/** How much of a shortened gap the axis leaves out before this time. */
function hiddenBefore(at: number, gap: Interval, room: number): number {
  const passed = Math.min(Math.max(0, at - gap.from), lengthOf(gap));
  return passed * (1 - room / lengthOf(gap));
}

const ROUND_MS = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1e3, 2e3, 5e3, 1e4, 2e4, 3e4, 6e4, 12e4, 3e5, 6e5, 12e5, 18e5];

/** The round time between two ticks, so that about six fit. */
function stepOf(shown: number): number {
  const least = shown / 6;
  return ROUND_MS.find((step) => step >= least) ?? Math.ceil(least / 3_600_000) * 3_600_000;
}

/** Round times since the beginning that no shortened gap contains. */
function ticksOf({ from, to }: Interval, long: readonly Interval[], step: number): number[] {
  const ticks: number[] = [];
  let at = from;
  for (const gap of [...long, { from: to, to }]) {
    const first = from + Math.ceil((at - from) / step) * step;
    for (let tick = first; tick <= gap.from; tick += step) ticks.push(tick);
    at = gap.to;
  }
  return ticks;
}

/** Leaves out ticks that are too close to the one before them, or to the mark of a shortened gap. */
function spread<Placed extends { readonly position: number }>(
  ticks: readonly Placed[],
  breaks: readonly number[],
): Placed[] {
  let last = Number.NEGATIVE_INFINITY;
  return ticks.filter(({ position }) => {
    const isFree = breaks.every((middle) => Math.abs(position - middle) >= CLOSEST_BREAK);
    if (!isFree || position - last < CLOSEST_TICKS) return false;
    last = position;
    return true;
  });
}

/** 250 ms or 2.5 s. On an axis of minutes or hours, times from a minute on are like a clock: 2:05 or 3:02:05. */
function labelOf(ms: number, largest: number): string {
  if (largest < 120_000) return formatAxisSeconds(ms / 1_000, largest / 1_000);
  if (ms < 60_000) return formatAxisSeconds(ms / 1_000, 60);
  const two = (value: number) => String(value).padStart(2, '0');
  const seconds = Math.floor(ms / 1_000);
  const rest =
    ms % 1_000 === 0
      ? ''
      : `.${String(ms % 1_000)
          .padStart(3, '0')
          .replace(/0+$/, '')}`;
  const minutes = Math.floor(seconds / 60);
  const clock = `${two(seconds % 60)}${rest}`;
  return minutes < 60 ? `${minutes}:${clock}` : `${Math.floor(minutes / 60)}:${two(minutes % 60)}:${clock}`;
}
