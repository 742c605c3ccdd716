const DAY_MS = 86_400_000;

/** The complete days before today whose mean is the forecast of a day. */
export const MEAN_DAYS = 7;

/** The current month in a time zone. */
export interface Month {
  /** November */
  readonly name: string;
  /** From its beginning to the end of today, for the API. */
  readonly soFar: ReportPeriod;
  /** The last complete days, for the API. */
  readonly lastDays: ReportPeriod;
  /** The days from now to its end. */
  readonly daysLeft: number;
}

interface ReportPeriod {
  readonly from: string;
  readonly to: string;
}

export function monthOf(now: number, timeZone: string): Month {
  const local = new Date(wallClock(now, timeZone));
  const [year, month, today] = [local.getUTCFullYear(), local.getUTCMonth(), local.getUTCDate()];
  const start = (monthIndex: number, day: number) => midnight(Date.UTC(year, monthIndex, day), timeZone);
  const period = (from: number, to: number) => ({ from: new Date(from).toISOString(), to: new Date(to).toISOString() });
  return {
    name: new Intl.DateTimeFormat('en', { month: 'long', timeZone }).format(now),
    soFar: period(start(month, 1), start(month, today + 1)),
    lastDays: period(start(month, today - MEAN_DAYS), start(month, today)),
    daysLeft: (start(month + 1, 1) - now) / DAY_MS,
  };
}

/** The local time as if it were UTC. */
function wallClock(at: number, timeZone: string): number {
  const format = new Intl.DateTimeFormat('en', {
    ...{ year: 'numeric', month: 'numeric', day: 'numeric', hour: 'numeric', minute: 'numeric', second: 'numeric' },
    ...{ hourCycle: 'h23', timeZone },
  });
  const parts = new Map(format.formatToParts(at).map(({ type, value }) => [type, Number(value)]));
  const part = (type: Intl.DateTimeFormatPartTypes) => parts.get(type) ?? 0;
  return Date.UTC(part('year'), part('month') - 1, part('day'), part('hour'), part('minute'), part('second'));
}

/** The instant of a local midnight. The offset of the first guess can be that of the other side of a clock change. */
function midnight(local: number, timeZone: string): number {
  const guess = local - (wallClock(local, timeZone) - local);
  return local - (wallClock(guess, timeZone) - guess);
}
