/** Days are in UTC, like 2026-01-31, because the service reports usage by UTC day. */
const DAY_MS = 86_400_000;

export const dayOf = (ms: number): string => new Date(ms).toISOString().slice(0, 10);

/** The start of a day. */
export const startOf = (day: string): string => `${day}T00:00:00.000Z`;

/** The day `count` days later. */
export const dayAfter = (day: string, count: number): string => dayOf(Date.parse(startOf(day)) + count * DAY_MS);

export const today = (): string => dayOf(Date.now());

/** Whether a text is a valid day. */
export function isDay(text: string): boolean {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(text)) return false;
  const ms = Date.parse(startOf(text));
  return Number.isFinite(ms) && dayOf(ms) === text;
}

/** Every day of a period, including the last one. */
export function daysOf(from: string, to: string): string[] {
  const count = Math.round((Date.parse(startOf(to)) - Date.parse(startOf(from))) / DAY_MS) + 1;
  return Array.from({ length: Math.max(0, count) }, (_, index) => dayAfter(from, index));
}

const dayFormat = new Intl.DateTimeFormat('en', { day: 'numeric', month: 'short', timeZone: 'UTC' });

const longDayFormat = new Intl.DateTimeFormat('en', { dateStyle: 'medium', timeZone: 'UTC' });

/** Jan 31, 2026 */
export const longDayName = (day: string): string => longDayFormat.format(new Date(startOf(day)));

/** Jan 31 */
export const dayName = (day: string): string => dayFormat.format(new Date(startOf(day)));
