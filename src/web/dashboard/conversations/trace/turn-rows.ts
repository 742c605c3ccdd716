/** A part of a turn, in milliseconds since 1970. */
export interface Interval {
  readonly from: number;
  readonly to: number;
}

/** A call that waited for the client or a member. */
export interface AwaitedCall {
  readonly name: string;
  readonly createdAt: string;
  /** The member who answered it. */
  readonly answeredBy: string | null;
}

/** A time in which the turn waited for results of calls. Without an end: it still waits. */
export interface Pause {
  readonly from: number;
  readonly to: number | null;
  readonly calls: readonly AwaitedCall[];
}

/** An entry of the workflow log: a part of the turn that ended or paused. */
export interface LoggedPart {
  readonly outcome: string;
  /** When it ended or paused. */
  readonly createdAt: string;
  /** Seconds from its acceptance to its end. */
  readonly responseTime: number;
}

/** What is known about the times of a turn. */
export interface TurnTimes {
  readonly status: string;
  readonly createdAt: string;
  readonly updatedAt: string;
  /** Oldest first. */
  readonly parts: readonly LoggedPart[];
  readonly calls: readonly AwaitedCall[];
}

/** The fields of a step or call that its place on the axis depends on. */
export interface TimedSpan {
  readonly startedAt: string;
  readonly durationMs: number;
}

/** A page of the spans of a turn. */
export interface SpanPage<Span> {
  readonly spans: readonly Span[];
  readonly hasEarlier: boolean;
  readonly hasLater: boolean;
}

/**
 * Why no step ran. `start`: from the acceptance of the turn or of the awaited results to the next step. `earlier` and
 * `later`: the steps of other pages.
 */
export type GapCause = 'start' | 'between' | 'after' | 'pause' | 'earlier' | 'later';

export interface Gap extends Interval {
  readonly cause: GapCause;
  readonly pause?: Pause;
}

export interface SpanRow<Span> extends Interval {
  readonly span: Span;
}

export type TurnRow<Span> = SpanRow<Span> | Gap;

/** A shorter gap has no row, except a pause, and keeps its length on the axis. The line of totals contains it. */
const SHORTEST_GAP_MS = 100;

export const isLongGap = ({ from, to }: Interval) => to - from >= SHORTEST_GAP_MS;

export const isGap = <Span>(row: TurnRow<Span>): row is Gap => 'cause' in row;

/** The pauses of a turn, oldest first. Between a part that paused and the acceptance of the next part, the turn waited. */
function pausesOf({ status, updatedAt, parts, calls }: TurnTimes, spans: readonly TimedSpan[]): Pause[] {
  const pauses: Pause[] = [];
  for (const [index, part] of parts.entries()) {
    if (part.outcome !== 'WAITING_FOR_CLIENT_ACTION') continue;
    const from = Date.parse(part.createdAt);
    const next = parts[index + 1];
    const isOpen = !next && status === 'WAITING_FOR_CLIENT_ACTION';
    const to = next ? acceptanceOf(next) : endWithoutNextPart(from, updatedAt, spans);
    const asked = calls.filter(({ createdAt }) =>
      isWithin(Date.parse(createdAt), { from: acceptanceOf(part), to: from }),
    );
    pauses.push({ from, to: isOpen ? null : Math.max(from, to), calls: asked });
  }
  return pauses;
}

const acceptanceOf = ({ createdAt, responseTime }: LoggedPart) => Date.parse(createdAt) - responseTime * 1_000;

/** The clocks of a part's acceptance and of its calls can differ by a rounded millisecond. */
const isWithin = (at: number, { from, to }: Interval) => at >= from - 1 && at <= to + 1;

/** A turn that was resumed and runs has no entry yet. A turn that ended in its pause never gets one. */
function endWithoutNextPart(from: number, updatedAt: string, spans: readonly TimedSpan[]): number {
  const starts = spans.map(({ startedAt }) => Date.parse(startedAt)).filter((start) => start >= from);
  return Math.min(Date.parse(updatedAt), ...starts);
}

/** The steps and calls of a page with the gaps before, between and after them, without a hole, in the order of their start. */
export function rowsOf<Span extends TimedSpan>(times: TurnTimes, page: SpanPage<Span>): TurnRow<Span>[] {
  const pauses = pausesOf(times, page.spans);
  const rows: TurnRow<Span>[] = [];
  let at = Date.parse(times.createdAt);
  let cause: GapCause = page.hasEarlier ? 'earlier' : 'start';
  for (const row of page.spans.map(spanRow).sort((one, other) => one.from - other.from)) {
    rows.push(...gapsIn({ from: at, to: row.from }, cause, pauses), row);
    at = Math.max(at, row.to);
    cause = 'between';
  }
  rows.push(...gapsIn({ from: at, to: Date.parse(times.updatedAt) }, page.hasLater ? 'later' : 'after', pauses));
  const open = pauses.find(({ to }) => to === null);
  if (open && !page.hasLater) rows.push({ cause: 'pause', from: open.from, to: open.from, pause: open });
  return rows;
}

function spanRow<Span extends TimedSpan>(span: Span): SpanRow<Span> {
  const from = Date.parse(span.startedAt);
  return { from, to: from + span.durationMs, span };
}

/** Divides a time without steps into its pauses and what lies around them. */
function gapsIn({ from, to }: Interval, cause: GapCause, pauses: readonly Pause[]): Gap[] {
  const gaps: Gap[] = [];
  let at = from;
  let next = cause;
  for (const pause of pauses) {
    if (pause.to === null || pause.to <= at || pause.from >= to) continue;
    if (pause.from > at) gaps.push({ cause: next, from: at, to: pause.from });
    const end = Math.min(pause.to, to);
    gaps.push({ cause: 'pause', from: Math.max(pause.from, at), to: end, pause });
    at = end;
    if (next === 'between') next = 'start';
  }
  if (to > at) gaps.push({ cause: next, from: at, to });
  return gaps;
}

/** How long a turn did what. The parts add up to the time from the first row to the end of the last. */
export interface Totals {
  readonly steps: number;
  readonly calls: number;
  readonly waiting: number;
  readonly start: number;
  /** Between and after steps. */
  readonly other: number;
  /** On other pages. */
  readonly elsewhere: number;
}

const TOTAL_OF = {
  pause: 'waiting',
  start: 'start',
  between: 'other',
  after: 'other',
  earlier: 'elsewhere',
  later: 'elsewhere',
} as const satisfies Readonly<Record<GapCause, keyof Totals>>;

/** Adds up the rows, in milliseconds. Time that two spans share counts for the one that started first. */
export function totalsOf<Span>(rows: readonly TurnRow<Span>[], isStep: (span: Span) => boolean): Totals {
  const totals = { steps: 0, calls: 0, waiting: 0, start: 0, other: 0, elsewhere: 0 };
  let at = Number.NEGATIVE_INFINITY;
  for (const row of rows) {
    const key = isGap(row) ? TOTAL_OF[row.cause] : isStep(row.span) ? 'steps' : 'calls';
    totals[key] += Math.max(0, row.to - Math.max(row.from, at));
    at = Math.max(at, row.to);
  }
  return totals;
}
