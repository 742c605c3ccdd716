import { describe, expect, it } from 'vitest';
import { axisOf } from '../../src/web/dashboard/conversations/trace/axis.ts';
import { durationText } from '../../src/web/dashboard/conversations/trace/duration-text.ts';
import {
  isGap,
  rowsOf,
  type SpanPage,
  type TimedSpan,
  type TurnRow,
  type TurnTimes,
  totalsOf,
} from '../../src/web/dashboard/conversations/trace/turn-rows.ts';

const ZERO = Date.parse('2026-03-01T10:00:00.000Z');
const HOUR = 3_600_000;
const at = (ms: number) => new Date(ZERO + ms).toISOString();

interface TestSpan extends TimedSpan {
  readonly isStep: boolean;
}

const step = (start: number, durationMs: number): TestSpan => ({ startedAt: at(start), durationMs, isStep: true });
const call = (start: number, durationMs: number): TestSpan => ({ ...step(start, durationMs), isStep: false });

/** A turn that was accepted at 0 and ended after `ms`. */
const turn = (ms: number, facts: Partial<TurnTimes> = {}): TurnTimes => ({
  ...{ status: 'COMPLETED', createdAt: at(0), updatedAt: at(ms), parts: [], calls: [] },
  ...facts,
});

const page = (spans: readonly TestSpan[], facts: Partial<SpanPage<TestSpan>> = {}): SpanPage<TestSpan> => ({
  ...{ spans, hasEarlier: false, hasLater: false },
  ...facts,
});

const paused = (from: number, to: number) => ({
  outcome: 'WAITING_FOR_CLIENT_ACTION',
  createdAt: at(to),
  responseTime: (to - from) / 1_000,
});

const ended = (from: number, to: number) => ({ ...paused(from, to), outcome: 'COMPLETED' });

/** Each row as its cause, or `span`, with its seconds from the acceptance of the turn. */
const described = (rows: readonly TurnRow<TestSpan>[]) =>
  rows.map((row) => `${isGap(row) ? row.cause : 'span'} ${(row.from - ZERO) / 1_000}–${(row.to - ZERO) / 1_000}`);

/** A turn with a step, a pause of this length and another step. */
function pausedTurn(pauseMs: number) {
  const resumed = 2_000 + pauseMs;
  const times = turn(resumed + 2_000, {
    parts: [paused(0, 2_000), ended(resumed, resumed + 2_000)],
    calls: [
      { name: 'ask_user', createdAt: at(1_990), answeredBy: 'Ada' },
      { name: 'ask_user', createdAt: at(resumed + 500), answeredBy: null },
    ],
  });
  return rowsOf(times, page([step(500, 1_500), step(resumed + 250, 1_500)]));
}

describe('the rows of a turn', () => {
  it('name the time before, between and after the steps', () => {
    const rows = rowsOf(turn(6_000), page([step(1_000, 2_000), call(3_500, 500), step(4_000, 1_000)]));
    expect(described(rows)).toEqual(['start 0–1', 'span 1–3', 'between 3–3.5', 'span 3.5–4', 'span 4–5', 'after 5–6']);
  });

  it('name a pause with the calls that it waited for, until the results were accepted', () => {
    const rows = pausedTurn(60_000);
    expect(described(rows)).toEqual([
      'start 0–0.5',
      'span 0.5–2',
      'pause 2–62',
      'start 62–62.25',
      'span 62.25–63.75',
      'after 63.75–64',
    ]);
    expect(rows.filter(isGap).flatMap(({ pause }) => pause?.calls ?? [])).toMatchObject([{ answeredBy: 'Ada' }]);
  });

  it('have a pause without an end while the turn waits', () => {
    const times = turn(2_000, { status: 'WAITING_FOR_CLIENT_ACTION', parts: [paused(0, 2_000)] });
    expect(described(rowsOf(times, page([step(0, 2_000)])))).toEqual(['span 0–2', 'pause 2–2']);
    expect(rowsOf(times, page([step(0, 2_000)])).at(-1)).toMatchObject({ pause: { to: null } });
  });

  it('end the pause with the turn if nobody answered, and with the next step if the resumed turn runs', () => {
    const parts = [paused(0, 2_000)];
    const failed = rowsOf(turn(60_000, { status: 'FAILED', parts }), page([step(0, 2_000)]));
    expect(described(failed)).toEqual(['span 0–2', 'pause 2–60']);
    const running = turn(66_000, { status: 'RUNNING', parts });
    const rows = rowsOf(running, page([step(0, 2_000), step(62_000, 2_000), step(65_000, 1_000)]));
    expect(described(rows)).toEqual(['span 0–2', 'pause 2–62', 'span 62–64', 'between 64–65', 'span 65–66']);
  });

  it('say that a gap belongs to the steps of another page', () => {
    const facts = { hasEarlier: true, hasLater: true };
    const rows = rowsOf(turn(20_000), page([step(5_000, 1_000), step(6_000, 1_000)], facts));
    expect(described(rows)).toEqual(['earlier 0–5', 'span 5–6', 'span 6–7', 'later 7–20']);
  });

  it('add up to the duration of the turn, even if spans overlap', () => {
    const rows = rowsOf(turn(6_000), page([step(1_000, 2_000), call(2_000, 2_000), step(4_000, 1_000)]));
    const totals = totalsOf(rows, ({ isStep }) => isStep);
    expect(totals).toEqual({ steps: 3_000, calls: 1_000, waiting: 0, start: 1_000, other: 1_000, elsewhere: 0 });
    const waiting = totalsOf(pausedTurn(HOUR), ({ isStep }) => isStep);
    expect(waiting).toMatchObject({ steps: 3_000, waiting: HOUR, start: 750, other: 250 });
  });
});

describe('the axis', () => {
  it('has ticks at round times, in proportion', () => {
    const { ticks, breaks, position } = axisOf(rowsOf(turn(6_000), page([step(0, 6_000)])));
    expect(ticks.map(({ label }) => label)).toEqual(['0 s', '2 s', '4 s', '6 s']);
    expect(ticks.map((tick) => Math.round(tick.position * 6))).toEqual([0, 2, 4, 6]);
    expect(breaks).toEqual([]);
    expect(position(ZERO + 1_500)).toBeCloseTo(0.25);
  });

  it('shortens a pause of hours, so that each step keeps its share', () => {
    const rows = pausedTurn(3 * HOUR);
    const axis = axisOf(rows);
    const widths = rows.map((row) => axis.position(row.to) - axis.position(row.from));
    const [, first, pause, , second] = widths;
    expect(first).toBeGreaterThan(0.3);
    expect(second).toBeCloseTo(first ?? 0);
    expect(pause).toBeLessThan(0.25);
    expect(axis.position(ZERO + 250)).toBeCloseTo((first ?? 0) / 6);
    expect(rows.filter(isGap).filter(axis.isShortened)).toMatchObject([{ cause: 'pause' }]);
    expect(axis.breaks).toHaveLength(1);
    expect(axis.ticks.at(0)?.label).toBe('0 s');
    expect(axis.ticks.at(-1)?.label).toMatch(/^3:00:0\d$/);
  });

  it('leaves the steps half of its room, with any number of long pauses', () => {
    const parts = Array.from({ length: 20 }, (_, index) => paused(index * HOUR, index * HOUR + 1_000));
    const spans = parts.map((_, index) => step(index * HOUR, 1_000));
    const rows = rowsOf(turn(19 * HOUR + 1_000, { parts }), page(spans));
    const axis = axisOf(rows);
    const shares = rows.filter((row) => !isGap(row)).map((row) => axis.position(row.to) - axis.position(row.from));
    expect(shares).toHaveLength(20);
    expect(shares.reduce((all, share) => all + share, 0)).toBeGreaterThanOrEqual(0.499);
    expect(axis.ticks.length).toBeLessThan(8);
  });

  it('shortens no gap that has no row', () => {
    const spans = [step(90, 5), step(180, 5)];
    expect(axisOf(rowsOf(turn(185), page(spans))).breaks).toEqual([]);
    expect(axisOf(rowsOf(turn(9_000), page(spans))).breaks).toHaveLength(1);
  });

  it('never goes back, and keeps a short pause in proportion', () => {
    const rows = pausedTurn(1_000);
    const axis = axisOf(rows);
    expect(axis.breaks).toEqual([]);
    const edges = [...rows, ...pausedTurn(HOUR)].map(({ to }) => to);
    for (const scale of [axis, axisOf(pausedTurn(HOUR))]) {
      const positions = edges.toSorted((one, other) => one - other).map(scale.position);
      expect(positions).toEqual(positions.toSorted((one, other) => one - other));
    }
  });

  it('has a place for a turn whose spans took no time', () => {
    const { position, ticks } = axisOf(rowsOf(turn(0), page([step(0, 0)])));
    expect(position(ZERO)).toBe(0);
    expect(ticks).toEqual([{ position: 0, label: '0 ms' }]);
  });
});

it.each([
  [250, '250 ms'],
  [2_500, '2.50 s'],
  [60_000, '1 min'],
  [125_000, '2 min 5 s'],
  [3 * HOUR + 120_000, '3 h 2 min'],
  [97 * HOUR, '4 d 1 h'],
])('a duration of %d ms is described as %s', (ms, text) => {
  expect(durationText(ms)).toBe(text);
});
