import { hash } from 'node:crypto';
import { Ajv, type ValidateFunction } from 'ajv';

type Schema = Readonly<Record<string, unknown>>;

/** A tenant's schema is code that this process runs: its size and depth are bounded. */
const MAX_BYTES = 16 * 1024;
const MAX_DEPTH = 20;

/** Keywords whose regular expressions can hold the process for seconds, and those that reach outside the schema. */
const REFUSED = new Set(['pattern', 'patternProperties', '$dynamicRef', '$recursiveRef']);

const MAX_COMPILED = 500;

const ajv = new Ajv({ strict: false, validateFormats: false, allErrors: false, addUsedSchema: false });

const compiled = new Map<string, ValidateFunction>();

/** What is wrong with the schema of a tool or a reply, as the end of a sentence; undefined where it can be used. */
export function schemaProblem(schema: Schema): string | undefined {
  if (schema.type !== 'object') return 'must be a JSON Schema of type object';
  const text = JSON.stringify(schema);
  if (Buffer.byteLength(text) > MAX_BYTES) return 'must be at most 16 KiB';
  const problem = keywordProblem(schema, 0);
  if (problem) return problem;
  try {
    validator(schema);
    return undefined;
  } catch {
    return 'must be a valid JSON Schema';
  }
}

/**
 * A schema that others wrote and check by themselves, without the keywords that are not run here. It describes at
 * least what it did.
 */
export function runnableSchema(schema: Schema): Schema {
  return withoutRefused(schema, 0) as Schema;
}

function withoutRefused(value: unknown, depth: number): unknown {
  if (typeof value !== 'object' || value === null || depth > MAX_DEPTH) return value;
  if (Array.isArray(value)) return value.map((item) => withoutRefused(item, depth + 1));
  const entries = Object.entries(value).filter(([key, inner]) => !isRefused(key, inner));
  return Object.fromEntries(entries.map(([key, inner]) => [key, withoutRefused(inner, depth + 1)]));
}

/** A property may be called `pattern`; a keyword of that name has a string or an object of schemas. */
function isRefused(key: string, inner: unknown): boolean {
  return REFUSED.has(key) && (typeof inner === 'string' || key !== 'pattern');
}

/** What is wrong with a value, in words for whoever made it; undefined where the schema takes it. */
export function valueProblem(schema: Schema, value: unknown): string | undefined {
  const validate = validator(schema);
  if (validate(value)) return undefined;
  const [error] = validate.errors ?? [];
  return `${error?.instancePath || 'the value'} ${error?.message ?? 'is not valid'}`;
}

function keywordProblem(value: unknown, depth: number): string | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  if (depth > MAX_DEPTH) return `must be at most ${MAX_DEPTH} levels deep`;
  for (const [key, inner] of Object.entries(value)) {
    if (isRefused(key, inner)) return `must not use ${key}`;
    if (key === '$ref' && typeof inner === 'string' && !inner.startsWith('#'))
      return 'must not refer to other documents';
    const problem = keywordProblem(inner, depth + 1);
    if (problem) return problem;
  }
  return undefined;
}

function validator(schema: Schema): ValidateFunction {
  const { $schema: _dialect, $id: _id, ...bare } = schema;
  const digest = hash('sha256', JSON.stringify(bare), 'base64');
  const known = compiled.get(digest);
  if (known) return known;
  if (compiled.size >= MAX_COMPILED) {
    compiled.clear();
    ajv.removeSchema();
  }
  const fresh = ajv.compile(bare);
  compiled.set(digest, fresh);
  return fresh;
}
