import { LIMITS } from '../../contract/limits.ts';
import { formatCount } from '../../contract/quantities.ts';
import { formProblem } from './forms.ts';
import { References } from './references.ts';
import { DEFINITIONS, isObject, type Schema, subschemasOf } from './schema.ts';

/**
 * Returns the problem of a schema for a tool or a reply, as the end of a sentence. Undefined if the schema can be used.
 * Unsupported keywords are allowed, because the model may know them.
 */
export function schemaProblem(schema: Schema): string | undefined {
  const { type } = schema;
  const isForObjects = type === undefined || type === 'object' || (Array.isArray(type) && type.includes('object'));
  if (!isForObjects) return 'must be a JSON Schema of type object';
  return sizeProblem(schema) ?? subschemaProblem(schema) ?? expansionProblem(schema);
}

/** Checks the depth first: writing a deep value as text would exhaust the stack. */
function sizeProblem(schema: Schema): string | undefined {
  const open: { readonly value: object; readonly level: number }[] = [{ value: schema, level: 1 }];
  let least = 0;
  for (let place = open.pop(); place; place = open.pop()) {
    if (place.level > LIMITS.schemaLevels) return `must be nested at most ${LIMITS.schemaLevels} levels deep`;
    for (const value of Object.values(place.value)) {
      least += leastLength(value);
      if (least > LIMITS.schemaBytes) return TOO_LARGE;
      if (typeof value === 'object' && value !== null) open.push({ value, level: place.level + 1 });
    }
  }
  return Buffer.byteLength(JSON.stringify(schema)) > LIMITS.schemaBytes ? TOO_LARGE : undefined;
}

/** Any value takes at least one character and a comma. */
function leastLength(value: unknown): number {
  return typeof value === 'string' ? value.length : 2;
}

const TOO_LARGE = `must be at most ${LIMITS.schemaBytes / 1024} KiB as JSON`;

const TOO_MANY = `must have at most ${formatCount(LIMITS.subschemas)} subschemas, with references written out`;

/** Visits each subschema of the document once. */
function subschemaProblem(root: Schema): string | undefined {
  const references = new References(root);
  const open: unknown[] = [root];
  let count = 0;
  for (let schema = open.pop(); schema !== undefined; schema = open.pop()) {
    count += 1;
    if (count > LIMITS.subschemas) return TOO_MANY;
    if (!isObject(schema)) continue;
    const problem = keywordProblem(schema, references);
    if (problem) return problem;
    open.push(...subschemasOf(schema));
  }
  return undefined;
}

function keywordProblem(schema: Schema, references: References): string | undefined {
  const { $async, $ref } = schema;
  if ($async !== undefined) return 'must not use $async';
  if (typeof $ref === 'string') {
    if (!references.isLocal($ref)) return 'must not refer to other documents: put what it refers to into $defs';
    if (references.find($ref) === undefined) return `must have what it refers to: there is no ${$ref.slice(0, 100)}`;
  }
  return formProblem(schema);
}

/** Counts subschemas as if each reference were replaced by its target. A recursive reference counts once. */
function expansionProblem(root: Schema): string | undefined {
  const references = new References(root);
  const open: { readonly schema: unknown; readonly isDone?: boolean }[] = [{ schema: root }];
  const path = new Set<unknown>();
  let count = 0;
  for (let place = open.pop(); place; place = open.pop()) {
    const { schema, isDone } = place;
    if (isDone) {
      path.delete(schema);
      continue;
    }
    count += 1;
    if (count > LIMITS.subschemas) return TOO_MANY;
    if (!isObject(schema) || path.has(schema)) continue;
    // A reference can point to a place that is not a schema.
    const problem = keywordProblem(schema, references);
    if (problem) return problem;
    path.add(schema);
    open.push({ schema, isDone: true }, ...expanded(schema, references).map((inner) => ({ schema: inner })));
  }
  return undefined;
}

function expanded(schema: Schema, references: References): unknown[] {
  const inner = subschemasOf(schema, DEFINITIONS);
  return typeof schema.$ref === 'string' ? [references.find(schema.$ref), ...inner] : inner;
}
