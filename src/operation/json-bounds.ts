import { setImmediate as nextRound } from 'node:timers/promises';
import { type JsonLimits, type JsonProblem, JsonScan } from '../bounds/json-scan.ts';
import { type FieldPath, ServiceError } from '../contract/errors.ts';
import { LIMITS } from '../contract/limits.ts';

/** The JSON of requests. */
export const REQUEST_JSON: JsonLimits = {
  levels: LIMITS.jsonLevels,
  values: LIMITS.jsonValues,
  keys: LIMITS.jsonKeys,
  exactNumbers: true,
};

/** Renames the path of a value for a transport. */
type NamePath = (path: FieldPath) => FieldPath;

/**
 * Checks JSON text before it is parsed: its depth, its number of values and keys, and numbers that JSON.parse would change.
 * @throws {ServiceError} invalid_request
 */
export function checkJson(text: Buffer, namePath?: NamePath): void {
  const problem = new JsonScan(text, REQUEST_JSON).run(text.length);
  if (problem) throw invalidJson(problem, namePath);
}

/** Bytes that are checked or decoded at once. More would delay other requests. */
export const SLICE = 512 * 1024;

/** The same check for the body of a request, which can be large. @throws {ServiceError} invalid_request */
export async function checkLargeJson(text: Buffer, namePath?: NamePath): Promise<void> {
  const scan = new JsonScan(text, REQUEST_JSON);
  for (let end = SLICE; ; end += SLICE) {
    const problem = scan.run(Math.min(end, text.length));
    if (problem) throw invalidJson(problem, namePath);
    if (scan.isDone) return;
    await nextRound();
  }
}

function invalidJson({ message, path }: JsonProblem, namePath: NamePath = (path) => path): ServiceError {
  return invalid(message, namePath(path.length > LIMITS.jsonLevels ? fieldOf(path) : path));
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
