/** Bytes that a number can contain after its first one. */
const PARTS = new Uint8Array(256);
for (const byte of Buffer.from('0123456789.eE+-')) PARTS[byte] = 1;

const MINUS = 0x2d;
const [ZERO, NINE] = [0x30, 0x39];

/** Integers with fewer digits are safe, and those with more are not. */
const DIGITS = String(Number.MAX_SAFE_INTEGER).length;

/** Shorter numbers overflow only with an exponent of at least three digits. */
const SHORT = 200;

/** No program writes longer numbers. */
const LONGEST = 10_000;

/** The position after the number that starts here, or after its longest part that is read. */
export function endOfNumber(bytes: Buffer, start: number): number {
  const end = Math.min(bytes.length, start + LONGEST);
  let at = start + 1;
  while (at < end && PARTS[bytes[at] as number] === 1) at += 1;
  return at;
}

/**
 * Whether JavaScript cannot represent the number: an integer beyond ±(2^53 − 1), which JSON.parse would change silently, or a
 * number that overflows, like `1e400`. Of numbers with a fraction or exponent, only those that overflow are unsafe.
 */
export function isUnsafeNumber(bytes: Buffer, start: number, end: number): boolean {
  if (end - start >= LONGEST) return true;
  const first = bytes[start] === MINUS ? start + 1 : start;
  let at = first;
  while (at < end && isDigit(bytes[at] as number)) at += 1;
  const digits = at - first;
  if (at === end) return digits >= DIGITS && (digits > DIGITS || !Number.isSafeInteger(numberOf(bytes, start, end)));
  if (end - start < SHORT && exponentDigits(bytes, at, end) < 3) return false;
  return Math.abs(numberOf(bytes, start, end)) === Number.POSITIVE_INFINITY;
}

/** Digits at the end of the number, if it has an exponent. */
function exponentDigits(bytes: Buffer, from: number, end: number): number {
  let at = end;
  while (at > from && isDigit(bytes[at - 1] as number)) at -= 1;
  return bytes[at - 1] === 0x2e ? 0 : end - at;
}

function isDigit(byte: number): boolean {
  return byte >= ZERO && byte <= NINE;
}

function numberOf(bytes: Buffer, start: number, end: number): number {
  return Number(bytes.toString('latin1', start, end));
}
