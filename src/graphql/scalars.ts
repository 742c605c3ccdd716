import { GraphQLScalarType, valueFromASTUntyped } from 'graphql';
import { GraphQLDateTimeISO, GraphQLJSON, GraphQLJSONObject, GraphQLSafeInt } from 'graphql-scalars';
import { UUID_PATTERN } from '../contract/ids.ts';
import type { ClientCapability } from '../domain/agent/tools.ts';
import { builder, type JsonObject } from './builder.ts';

function parseUuid(value: unknown): string {
  const text = typeof value === 'string' ? value.toLowerCase() : '';
  if (!UUID_PATTERN.test(text)) throw new TypeError('must be a UUID');
  return text;
}

builder.scalarType('UUID', {
  description: 'A UUID of any version. Read in either case, written in lower case.',
  specifiedByURL: 'https://www.rfc-editor.org/rfc/rfc9562',
  parseValue: parseUuid,
  serialize: (value) => value as string,
});

// Resolvers answer dates: to look for anything else, as the library does, costs more than to read the row.
const dateTime = new GraphQLScalarType<Date, string>({
  ...GraphQLDateTimeISO.toConfig(),
  serialize: (date) => (date as Date).toISOString(),
});

builder.addScalarType('DateTime', dateTime, {
  description: 'An ISO 8601 instant. Written in UTC with milliseconds: `2026-01-31T09:30:00.000Z`.',
});

builder.addScalarType('JSONObject', GraphQLJSONObject, {
  description: 'A JSON object with keys of any name.',
});

builder.addScalarType('JSON', GraphQLJSON, { description: 'Any JSON value.' });

builder.addScalarType('SafeInt', GraphQLSafeInt, {
  description: 'A whole number that a double holds exactly, up to 2^53 - 1: wider than Int.',
});

builder.scalarType('ReplyContent', {
  description: "The assistant's reply: text, or the parsed object where the deployment has an output schema.",
  serialize: (value) => value,
});

builder.scalarType('ClientCapability', {
  description:
    'A connected client tool: its name, or an object with `name` and `input_schema`, a JSON Schema of type object.',
  parseValue: parseCapability,
  parseLiteral: (node, variables) => parseCapability(valueFromASTUntyped(node, variables)),
  serialize: (value) => value,
});

function parseCapability(value: unknown): ClientCapability {
  if (typeof value === 'string') return { name: value };
  const { name, input_schema: inputSchema } = isObject(value) ? value : {};
  if (typeof name !== 'string') throw new TypeError('must be a tool name or an object with name and input_schema');
  if (inputSchema === undefined || inputSchema === null) return { name };
  if (!isObject(inputSchema)) throw new TypeError('must have a JSON Schema of type object as its input_schema');
  return { name, inputSchema };
}

function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
