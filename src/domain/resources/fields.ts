import { hash } from 'node:crypto';
import { type FieldPath, ServiceError } from '../../contract/errors.ts';
import { LIMITS } from '../../contract/limits.ts';

/** Free-form key-value pairs. */
export type Fields = Readonly<Record<string, unknown>>;

/**
 * Checks the fields that a caller sent. Returns them in the form that is stored.
 * @throws {ServiceError} invalid_request if the fields exceed a limit
 */
export function checkFields(fields: Fields): Fields {
  requireStorable(problemOf(fields, ['fields'], 1));
  requireSize(fields);
  // Converts GraphQL literals, whose objects have no prototype, to plain objects. Otherwise they never equal stored values.
  return JSON.parse(JSON.stringify(fields)) as Fields;
}

/** Merges the top-level keys of a patch. A null value is stored too. Other keys keep their values. */
export function mergeFields(stored: Fields, patch: Fields): Fields {
  const merged = { ...stored, ...patch };
  // A shallow merge does not change the depth, so only the size is checked again.
  requireSize(merged);
  return merged;
}

/** The entries of `fields` with these keys. Missing keys are left out. */
export function pickFields(fields: Fields, keys: readonly string[]): Fields {
  const present = keys.filter((key) => Object.hasOwn(fields, key));
  return Object.fromEntries(present.map((key) => [key, fields[key]]));
}

/** The label that the field filter searches for: a hash of name and value. The order of keys in the value has no effect. */
export function fieldLabel(name: string, value: unknown): string {
  const text = JSON.stringify([name, withSortedKeys(value)]);
  return hash('sha256', text, 'base64url').slice(0, 22);
}

/**
 * Rejects a filter value that no field can have.
 * @throws {ServiceError} invalid_request
 */
export function checkFieldValue(value: unknown): void {
  requireStorable(problemOf(value, ['field', 'value'], 2));
}

/** The labels of all fields. */
export function labelsOf(fields: Fields): string[] {
  return Object.entries(fields).map(([name, value]) => fieldLabel(name, value));
}

function withSortedKeys(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withSortedKeys);
  if (typeof value !== 'object' || value === null) return value;
  // An object would put numeric keys first and lose `__proto__`, so this returns entries.
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return { entries: entries.map(([key, inner]) => [key, withSortedKeys(inner)]) };
}

function requireSize(fields: Fields): void {
  if (Buffer.byteLength(JSON.stringify(fields)) <= LIMITS.resourceBytes) return;
  const message = `{param} must have at most ${LIMITS.resourceBytes / 1024} KiB as JSON, including the stored fields.`;
  throw new ServiceError('invalid_request', message, { param: ['fields'] });
}

function requireStorable(problem: Problem | undefined): void {
  if (problem) throw new ServiceError('invalid_request', `{param} ${problem.text}.`, { param: problem.path });
}

interface Problem {
  readonly path: FieldPath;
  readonly text: string;
}

/**
 * Finds values that cannot be stored: too many levels, or numbers that are not finite. Call it before functions that recurse
 * without a limit.
 */
function problemOf(value: unknown, path: FieldPath, level: number): Problem | undefined {
  if (typeof value === 'number' && !Number.isFinite(value)) return { path, text: 'must be a finite number' };
  if (typeof value !== 'object' || value === null) return undefined;
  if (level > LIMITS.resourceLevels) {
    return { path: path.slice(0, 1), text: `must be nested at most ${LIMITS.resourceLevels} levels deep` };
  }
  for (const [step, inner] of Array.isArray(value) ? value.entries() : Object.entries(value)) {
    // Most values are strings. Skipping them avoids the copy of the path.
    if (typeof inner === 'string') continue;
    const problem = problemOf(inner, [...path, step], level + 1);
    if (problem) return problem;
  }
  return undefined;
}
