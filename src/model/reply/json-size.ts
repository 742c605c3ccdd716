/** Commas and brackets, which are about the number of values. Parsing more would hold up other requests. */
const MOST_MARKS = 100_000;

/** Keys of all objects. V8 needs longer for a new key than for a value. */
const MOST_KEYS = 20_000;

/** Functions that write deeper values would exhaust their stack. Arguments as an object can have 100 levels. */
const MOST_LEVELS = 128;

/** A shorter text cannot have too much of anything that takes long, and its levels can be written. */
const SHORT = 2_000;

/** What a character outside of strings adds to the marks, the keys and the levels. */
const COUNTS: Readonly<Record<string, readonly [marks: number, keys: number, levels: number]>> = {
  ',': [1, 0, 0],
  ':': [0, 1, 0],
  '{': [1, 0, 1],
  '[': [1, 0, 1],
  '}': [0, 0, -1],
  ']': [0, 0, -1],
};
const BY_CODE = Array.from({ length: 128 }, (_, code) => COUNTS[String.fromCharCode(code)]);

const QUOTE = 0x22;
const BACKSLASH = 0x5c;

/** Whether a JSON text has too many values or levels to be parsed at once. Its strings can have any length. */
export function isTooComplex(json: string): boolean {
  if (json.length < SHORT) return false;
  let [marks, keys, levels] = [0, 0, 0];
  for (let at = 0; at < json.length; at += 1) {
    const code = json.charCodeAt(at);
    if (code === QUOTE) at = endOfString(json, at + 1);
    const counts = BY_CODE[code];
    if (!counts) continue;
    marks += counts[0];
    keys += counts[1];
    levels += counts[2];
    if (marks > MOST_MARKS || keys > MOST_KEYS || levels > MOST_LEVELS) return true;
  }
  return false;
}

/** The place of the quote that ends a string. */
function endOfString(json: string, start: number): number {
  for (let at = start; at < json.length; at += 1) {
    const code = json.charCodeAt(at);
    if (code === QUOTE) return at;
    if (code === BACKSLASH) at += 1;
  }
  return json.length;
}
