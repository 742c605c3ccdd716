import { hash } from 'node:crypto';
import { type FieldPath, ServiceError } from '../../contract/errors.ts';
import { LIMITS } from '../../contract/limits.ts';

/** Free-form key-value pairs (SPEC 2). */
export type Fields = Readonly<Record<string, unknown>>;

/**
 * What a caller sent as fields, as they will be read back.
 * @throws {ServiceError} invalid_request beyond the limits of WIRE 1
 */
export function checkFields(fields: Fields): Fields {
  requireStorable(problemOf(fields, ['fields'], 1));
  requireSize(fields);
  // As JSON has it: what a document's literal is made of would never equal what was stored.
  return JSON.parse(JSON.stringify(fields)) as Fields;
}

/** A shallow merge: a key given takes that value, null included; other keys stay (WIRE 10). */
export function mergeFields(stored: Fields, patch: Fields): Fields {
  const merged = { ...stored, ...patch };
  // Each value is as deep as it was, so depth needs no second look.
  requireSize(merged);
  return merged;
}

/** The entries of `fields` under these keys; a key that is not there is left out. */
export function pickFields(fields: Fields, keys: readonly string[]): Fields {
  const present = keys.filter((key) => Object.hasOwn(fields, key));
  return Object.fromEntries(present.map((key) => [key, fields[key]]));
}

/** How a resource is found by a field: a hash of name and value, whatever the order of keys inside the value. */
export function fieldLabel(name: string, value: unknown): string {
  const text = JSON.stringify([name, inOneOrder(value)]);
  return hash('sha256', text, 'base64url').slice(0, 22);
}

/**
 * Refuses, as the value of a filter, what no field can hold.
 * @throws {ServiceError} invalid_request
 */
export function checkFieldValue(value: unknown): void {
  requireStorable(problemOf(value, ['field', 'value'], 2));
}

/** The labels of all fields: how a list finds a resource by any of them. */
export function labelsOf(fields: Fields): string[] {
  return Object.entries(fields).map(([name, value]) => fieldLabel(name, value));
}

function inOneOrder(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(inOneOrder);
  if (typeof value !== 'object' || value === null) return value;
  // Entries rather than an object, which would put keys that are numbers first and lose `__proto__`.
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return { entries: entries.map(([key, inner]) => [key, inOneOrder(inner)]) };
}

function requireSize(fields: Fields): void {
  if (Buffer.byteLength(JSON.stringify(fields)) <= LIMITS.resourceBytes) return;
  const says = `must be at most ${LIMITS.resourceBytes / 1024} KiB as JSON, what is stored already included`;
  throw new ServiceError('invalid_request', `{param} ${says}.`, { param: ['fields'] });
}

function requireStorable(problem: Problem | undefined): void {
  if (problem) throw new ServiceError('invalid_request', `{param} ${problem.says}.`, { param: problem.path });
}

interface Problem {
  readonly path: FieldPath;
  readonly says: string;
}

/** Levels and numbers beyond what can be stored; found before anything that takes stack for each level. */
function problemOf(value: unknown, path: FieldPath, level: number): Problem | undefined {
  if (typeof value === 'number' && !Number.isFinite(value)) return { path, says: 'must be a finite number' };
  if (typeof value !== 'object' || value === null) return undefined;
  if (level > LIMITS.resourceLevels) {
    return { path: path.slice(0, 1), says: `must be nested at most ${LIMITS.resourceLevels} levels deep` };
  }
  for (const [step, inner] of Array.isArray(value) ? value.entries() : Object.entries(value)) {
    // Most values are texts: no path is made for them.
    if (typeof inner === 'string') continue;
    const problem = problemOf(inner, [...path, step], level + 1);
    if (problem) return problem;
  }
  return undefined;
}
