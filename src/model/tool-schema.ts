import type { JSONSchema7 } from '@ai-sdk/provider';
import type { ToolDefinition } from '../domain/agent/model-port.ts';

type Schema = ToolDefinition['inputSchema'];

const COMBINATORS = ['allOf', 'anyOf', 'oneOf'] as const;

/** Not allowed next to them, at the top level. */
const REFUSED = [...COMBINATORS, 'not', 'if', 'then', 'else', 'enum', 'const'];

/**
 * Writes the schema of arguments for a provider. All demand an object, and some its `properties`. OpenAI and Anthropic
 * refuse combinators at the top level, so their properties become those of the object. The service checks the arguments
 * of a call against the original schema anyway.
 */
export function providerSchema(schema: Schema): JSONSchema7 {
  const kept = Object.fromEntries(Object.entries(schema).filter(([key]) => !REFUSED.includes(key)));
  const branches = COMBINATORS.flatMap((name) => (Array.isArray(schema[name]) ? schema[name] : [])).filter(isSchema);
  const properties = Object.assign({}, ...[...branches, schema].map((part) => objectOf(part.properties)));
  const required = requiredOf([schema, ...listOf(schema.allOf)]);
  return { ...kept, type: 'object', properties, ...(required.length > 0 && { required }) } as JSONSchema7;
}

/** Only what each alternative requires is required. */
function requiredOf(schemas: readonly Schema[]): string[] {
  const names = schemas.flatMap(({ required }) => (Array.isArray(required) ? (required as string[]) : []));
  return [...new Set(names)];
}

function listOf(value: unknown): readonly Schema[] {
  return Array.isArray(value) ? value.filter(isSchema) : [];
}

function objectOf(value: unknown): object {
  return isSchema(value) ? value : {};
}

function isSchema(value: unknown): value is Schema {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
