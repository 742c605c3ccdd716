/** Usage is counted by the day in UTC, written like 2026-01-31. */
const DAY_MS = 86_400_000;

export const dayOf = (ms: number): string => new Date(ms).toISOString().slice(0, 10);

/** Its first moment. */
export const startOf = (day: string): string => `${day}T00:00:00.000Z`;

/** The day that is so many later. */
export const dayAfter = (day: string, count: number): string => dayOf(Date.parse(startOf(day)) + count * DAY_MS);

export const today = (): string => dayOf(Date.now());

/** Whether it is a day at all. */
export function isDay(text: string): boolean {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(text)) return false;
  const ms = Date.parse(startOf(text));
  return Number.isFinite(ms) && dayOf(ms) === text;
}

/** All days of a period, its last one included. */
export function daysOf(from: string, to: string): string[] {
  const count = Math.round((Date.parse(startOf(to)) - Date.parse(startOf(from))) / DAY_MS) + 1;
  return Array.from({ length: Math.max(0, count) }, (_, index) => dayAfter(from, index));
}

const named = new Intl.DateTimeFormat('en', { day: 'numeric', month: 'short', timeZone: 'UTC' });

/** A day as people write it. */
export const dayName = (day: string): string => named.format(new Date(startOf(day)));
