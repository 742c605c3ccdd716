import { type FieldPath, ServiceError } from '../contract/errors.ts';
import { formatCount } from '../contract/quantities.ts';
import { UNSAFE_INTEGER } from './storable-text.ts';
import { deepPath, unsafeIntegerPath } from './unsafe-integers.ts';

/** Deeper JSON could overflow the stack of recursive code. Valid input is far less deep. */
const MAX_LEVELS = 200;

/** Bounds the time for parsing. The largest tool output has fewer values. */
const MAX_VALUES = 600_000;

const QUOTE = 0x22;
const BACKSLASH = 0x5c;

/** What each byte outside strings adds to the depth and to the number of values. */
const DEPTH = new Int8Array(256);
const VALUES = new Uint8Array(256);
for (const open of Buffer.from('[{')) {
  DEPTH[open] = 1;
  VALUES[open] = 1;
}
for (const close of Buffer.from(']}')) DEPTH[close] = -1;
for (const separator of Buffer.from(',:')) VALUES[separator] = 1;

/** Renames the path of a value for a transport. */
type NamePath = (path: FieldPath) => FieldPath;

/**
 * Checks JSON text before it is parsed: its depth, its number of values, and integers that JSON.parse would change.
 * @throws {ServiceError} invalid_request
 */
export function checkJson(text: Buffer, namePath: NamePath = (path) => path): void {
  const problem = problemOf(text);
  if (problem) throw invalid(problem.message, namePath(problem.path));
  const unsafe = unsafeIntegerPath(text.toString());
  if (unsafe) throw invalid(UNSAFE_INTEGER, namePath(unsafe));
}

/** One pass over the bytes. Strings are skipped by a search for their end. */
function problemOf(text: Buffer): { readonly message: string; readonly path: FieldPath } | undefined {
  let depth = 0;
  let values = 0;
  for (let at = 0; at < text.length; at += 1) {
    const byte = text[at] ?? 0;
    if (byte === QUOTE) at = endOfString(text, at);
    depth += DEPTH[byte] ?? 0;
    values += VALUES[byte] ?? 0;
    if (depth > MAX_LEVELS) {
      const path = fieldOf(deepPath(text.toString(), MAX_LEVELS) ?? []);
      return { message: `must be at most ${MAX_LEVELS} levels deep`, path };
    }
    if (values > MAX_VALUES) return { message: `must have at most ${formatCount(MAX_VALUES)} values`, path: [] };
  }
  return undefined;
}

/** The position of the quote that ends the string, or of the end of the text. */
function endOfString(text: Buffer, start: number): number {
  let end = text.indexOf(QUOTE, start + 1);
  while (end !== -1 && isEscaped(text, end)) end = text.indexOf(QUOTE, end + 1);
  return end === -1 ? text.length : end;
}

function isEscaped(text: Buffer, quote: number): boolean {
  let slashes = 0;
  while (text[quote - 1 - slashes] === BACKSLASH) slashes += 1;
  return slashes % 2 === 1;
}

/** The longest path in an error message. */
const MAX_STEPS = 8;

/** The field whose value is too deep, without its repeated steps. */
function fieldOf(path: FieldPath): FieldPath {
  const repeats = path.findIndex((step, index) => index > 0 && step === path[index + 1]);
  const field = repeats === -1 ? path : path.slice(0, typeof path[repeats] === 'string' ? repeats + 1 : repeats);
  return field.slice(0, MAX_STEPS);
}

/** GraphQL errors name the fields of the variable `input` without the variable: `input.a` becomes `a`. */
export function variablePath(path: FieldPath): FieldPath {
  return path[0] === 'input' && path.length > 1 ? path.slice(1) : path;
}

function invalid(problem: string, param: FieldPath): ServiceError {
  const subject = param.length > 0 ? '{param}' : 'The JSON';
  return new ServiceError('invalid_request', `${subject} ${problem}.`, { param });
}
