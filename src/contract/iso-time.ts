const DAY_MS = 86_400_000;
const MINUTE_MS = 60_000;

const DATE = /^\d{4}-\d\d-\d\d$/;
const DATE_TIME =
  /^(\d{4}-\d\d-\d\d)T([01]\d|2[0-3]):([0-5]\d)(?::([0-5]\d|60)(?:\.(\d+))?)?(?:Z|([+-])([01]\d|2[0-3]):([0-5]\d))$/i;

/**
 * Reads an ISO 8601 date (midnight UTC) or date-time with an offset. Seconds are optional. A fraction below a millisecond is
 * rounded up: stored times have milliseconds, so `>=` and `<` compare them exactly. Undefined if the text is neither.
 */
export function timeOf(text: string): Date | undefined {
  if (DATE.test(text)) return atMidnight(text);
  const [, day = '', hours, minutes, seconds = '0', fraction = '', sign, offsetHours, offsetMinutes] =
    DATE_TIME.exec(text) ?? [];
  const midnight = atMidnight(day)?.getTime();
  if (midnight === undefined) return undefined;
  const offset = (Number(offsetHours ?? 0) * 60 + Number(offsetMinutes ?? 0)) * MINUTE_MS * (sign === '-' ? -1 : 1);
  const second = midnight + (Number(hours) * 60 + Number(minutes)) * MINUTE_MS + Number(seconds) * 1_000 - offset;
  // A leap second is the last one of a day in UTC. Without it, it is the next midnight.
  if (seconds === '60' && second % DAY_MS !== 0) return undefined;
  const digits = fraction.padEnd(3, '0');
  return new Date(second + Number(digits.slice(0, 3)) + (/[1-9]/.test(digits.slice(3)) ? 1 : 0));
}

/** Undefined if the day does not exist. */
function atMidnight(day: string): Date | undefined {
  const date = new Date(`${day}T00:00:00Z`);
  // JavaScript reads February 30 as March 2.
  return !Number.isNaN(date.getTime()) && date.toISOString().startsWith(day) ? date : undefined;
}

/** Whether the `+` of an offset became a space, because it was not encoded in a URL. */
export function hasUnencodedOffset(text: string): boolean {
  return /T.* \d\d:\d\d$/i.test(text);
}
