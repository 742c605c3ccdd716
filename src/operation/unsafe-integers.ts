import type { FieldPath } from '../contract/errors.ts';

/** A number that may be unsafe. It can match inside a string, so a match only starts the exact scan. */
const SUSPECT = /(?:^|[\s:,[])-?(?:\d{16}|\d[\d.]*[eE]\+?\d{3})/;

const NUMBER = /-?\d+(\.\d+)?([eE][+-]?\d+)?/y;

/** A key or index of an open object or array. A key is stored as its position in the text and decoded only for errors. */
type Step = number | { start: number; end: number };

/**
 * The path of the first number in JSON text that JavaScript cannot represent. These are integers beyond ±(2^53 − 1), which
 * JSON.parse would change silently, and numbers that overflow, like `1e400`. For numbers with a fraction or exponent only
 * overflow matters.
 * @param text JSON. Invalid JSON is not reported here.
 */
export function unsafeIntegerPath(text: string): FieldPath | undefined {
  return SUSPECT.test(text) ? scan(text, Number.POSITIVE_INFINITY) : undefined;
}

/** The path of the first value deeper than `levels`. */
export function deepPath(text: string, levels: number): FieldPath | undefined {
  return scan(text, levels);
}

/** The path of the first unsafe number or too deep value. */
function scan(text: string, levels: number): FieldPath | undefined {
  const steps: Step[] = [];
  let lastString = { start: 0, end: 0 };
  for (let at = 0; at < text.length; ) {
    const char = text[at] ?? '';
    if (char === '"') {
      lastString = { start: at, end: endOfString(text, at) };
      at = lastString.end;
    } else if (char === '-' || (char >= '0' && char <= '9')) {
      const number = numberAt(text, at);
      if (isUnsafe(number)) return steps.map((step) => stepOf(text, step));
      at += number.length;
    } else {
      move(steps, char, lastString);
      if (steps.length > levels) return steps.map((step) => stepOf(text, step));
      at += 1;
    }
  }
  return undefined;
}

function move(steps: Step[], char: string, lastString: Step): void {
  const last = steps.length - 1;
  const step = steps[last];
  if (char === '{') steps.push({ start: 0, end: 0 });
  else if (char === '[') steps.push(0);
  else if (char === '}' || char === ']') steps.pop();
  else if (char === ':' && last >= 0) steps[last] = lastString;
  else if (char === ',' && typeof step === 'number') steps[last] = step + 1;
}

/** The index after the closing quote: the first quote after an even number of backslashes. */
function endOfString(text: string, start: number): number {
  for (let quote = text.indexOf('"', start + 1); quote !== -1; quote = text.indexOf('"', quote + 1)) {
    let before = quote;
    while (text[before - 1] === '\\') before -= 1;
    if ((quote - before) % 2 === 0) return quote + 1;
  }
  return text.length;
}

function numberAt(text: string, at: number): string {
  NUMBER.lastIndex = at;
  return NUMBER.exec(text)?.[0] ?? text.slice(at, at + 1);
}

function isUnsafe(number: string): boolean {
  const value = Number(number);
  return /^-?\d+$/.test(number) ? !Number.isSafeInteger(value) : Math.abs(value) === Number.POSITIVE_INFINITY;
}

function stepOf(text: string, step: Step): string | number {
  if (typeof step === 'number') return step;
  const key = text.slice(step.start, step.end);
  try {
    return String(JSON.parse(key));
  } catch {
    // JSON.parse of the whole text reports invalid JSON.
    return key;
  }
}
