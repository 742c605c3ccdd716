import type { Choice } from '../operation/input.ts';

type Fields = Readonly<Record<string, unknown>>;

/** The fields of all types of parts. A part can have fields of other types, which are ignored. */
const FIELDS = ['data', 'file_uri', 'mime_type', 'text'];

/** A message part in REST: its type in `type`, and the fields of that type. */
export function choosePart(part: unknown, types: readonly string[]): Choice {
  if (!isObject(part)) return { problem: 'must be an object' };
  const { type } = part;
  if (type === undefined) return { problem: 'is required', step: 'type' };
  if (type === null) return { problem: 'must not be null', step: 'type' };
  const field = types.find((known) => known === type);
  if (field === undefined) return { problem: `must be one of ${types.join(', ')}`, step: 'type' };
  for (const step of FIELDS) {
    const value = part[step];
    if (value !== undefined && value !== null && typeof value !== 'string')
      return { problem: 'must be a string', step };
  }
  if (field === 'text') return { field, value: part.text, step: field };
  // A field that is null counts as missing.
  return { field, value: Object.fromEntries(Object.entries(part).filter(([, value]) => value !== null)), step: field };
}

/** A connected client tool in REST: its name, or an object with its name and schema. */
export function chooseCapability(capability: unknown): Choice {
  if (typeof capability === 'string') return { field: 'name', value: capability };
  const { name, input_schema: schema } = isObject(capability) ? capability : {};
  if (typeof name !== 'string') return { problem: 'must be a tool name or an object with name and input_schema' };
  if (schema === undefined || schema === null) return { field: 'name', value: name };
  if (!isObject(schema)) return { problem: 'must have a JSON Schema of type object as its input_schema' };
  return { field: 'tool', value: capability, step: 'tool' };
}

function isObject(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
