/** The number of characters of `2026-01-31 09:30:00+00`, which every year from 0 to 9999 has. */
const WHOLE_SECONDS = 22;

const ZERO = '0'.charCodeAt(0);

/** Parses a `timestamptz` of a session in UTC. `Date` needs several times as long, and a list of 20 has forty dates. */
export function dateOf(text: string): Date {
  const { length } = text;
  // Other forms are years of five digits, years before Christ, infinity, and offsets.
  if (length < WHOLE_SECONDS || length > 26 || !text.endsWith('+00') || text[10] !== ' ') return new Date(text);
  const ms = length === WHOLE_SECONDS ? 0 : fraction(text, length);
  const year = two(text, 0) * 100 + two(text, 2);
  // `Date.UTC` takes years below 100 for years of the twentieth century.
  if (year < 100) return new Date(`${text.slice(0, 10)}T${text.slice(11, -3)}Z`);
  return new Date(Date.UTC(year, two(text, 5) - 1, two(text, 8), two(text, 11), two(text, 14), two(text, 17), ms));
}

function two(text: string, at: number): number {
  return (text.charCodeAt(at) - ZERO) * 10 + text.charCodeAt(at + 1) - ZERO;
}

/** The milliseconds after the point: one to three digits, because PostgreSQL leaves out zeros at the end. */
function fraction(text: string, length: number): number {
  let [ms, unit] = [0, 100];
  for (let at = 20; at < length - 3; at += 1) {
    ms += (text.charCodeAt(at) - ZERO) * unit;
    unit /= 10;
  }
  return ms;
}
