const NUMBER = /-?\d[\d.eE+-]*/g;

/** Fewer digits always fit. Saves the scan of most texts. */
const MAY_BE_INEXACT = /\d{16}|\d[eE]\+?\d{3}/;

/**
 * The first number in a JSON text that a program would read as another one: beyond 2^53 and written in full, such as an
 * ID, or too large for a number. Undefined: the text can be parsed without loss.
 */
export function inexactNumber(json: string): string | undefined {
  let found: string | undefined;
  mapNumbers(json, (number) => {
    if (isInexact(number)) found ??= number;
    return number;
  });
  return found;
}

/** No text of a model contains it by accident. Without it, a text would only become a number. */
const MARK = '\u0000exact:';

/** Parses JSON. Numbers that would be changed become texts, which {@link exactText} writes as the same numbers. */
export function parseExact(json: string): unknown {
  // Also says whether the text is valid.
  const value: unknown = JSON.parse(json);
  if (!inexactNumber(json)) return value;
  return JSON.parse(mapNumbers(json, (number) => (isInexact(number) ? JSON.stringify(MARK + number) : number)));
}

/** Writes a value of {@link parseExact} as JSON. */
export function exactText(value: unknown): string {
  return JSON.stringify(value).replace(/"\\u0000exact:(-?\d[\d.eE+-]*)"/g, '$1');
}

/** The nearest number to a value of {@link parseExact}. Undefined if it is not a number. */
export function roughNumber(value: unknown): number | undefined {
  if (typeof value === 'string' && value.startsWith(MARK)) return Number(value.slice(MARK.length));
  return typeof value === 'number' ? value : undefined;
}

/** Whether a parsed JSON value has an integer that its text may have written otherwise, in its first 64 levels. */
export function hasInexactInteger(value: unknown, levels = 64): boolean {
  if (typeof value === 'number') return Number.isInteger(value) && !Number.isSafeInteger(value);
  if (typeof value !== 'object' || value === null || levels === 0) return false;
  return Object.values(value).some((inner) => hasInexactInteger(inner, levels - 1));
}

function isInexact(number: string): boolean {
  const value = Number(number);
  if (!Number.isFinite(value)) return true;
  // The exponent says that the number is not meant to the last digit.
  return Math.abs(value) > Number.MAX_SAFE_INTEGER && !/e/i.test(number);
}

/** Changes the numbers of a valid JSON text. Not one regular expression: strings of megabytes would overflow its stack. */
function mapNumbers(json: string, change: (number: string) => string): string {
  if (!MAY_BE_INEXACT.test(json)) return json;
  const pieces: string[] = [];
  for (let at = 0; at < json.length; ) {
    const quote = json.indexOf('"', at);
    pieces.push(json.slice(at, quote === -1 ? json.length : quote).replace(NUMBER, change));
    if (quote === -1) break;
    at = endOfString(json, quote);
    pieces.push(json.slice(quote, at));
  }
  return pieces.join('');
}

function endOfString(json: string, start: number): number {
  for (let quote = json.indexOf('"', start + 1); quote !== -1; quote = json.indexOf('"', quote + 1)) {
    let slashes = 0;
    while (json[quote - 1 - slashes] === '\\') slashes += 1;
    if (slashes % 2 === 0) return quote + 1;
  }
  return json.length;
}
