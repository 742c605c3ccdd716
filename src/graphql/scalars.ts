import { GraphQLError } from 'graphql';
import { GraphQLDateTimeISO, GraphQLJSONObject, GraphQLSafeInt } from 'graphql-scalars';
import { UUID_PATTERN } from '../contract/ids.ts';
import { builder } from './builder.ts';

function parseUuid(value: unknown): string {
  const text = typeof value === 'string' ? value.toLowerCase() : '';
  if (!UUID_PATTERN.test(text)) throw new GraphQLError('must be a UUID');
  return text;
}

builder.scalarType('UUID', {
  description: 'A UUID of any version. Read in either case, written in lower case.',
  specifiedByURL: 'https://www.rfc-editor.org/rfc/rfc9562',
  parseValue: parseUuid,
  serialize: (value) => value as string,
});

builder.addScalarType('DateTime', GraphQLDateTimeISO, {
  description: 'An ISO 8601 instant. Written in UTC with milliseconds: `2026-01-31T09:30:00.000Z`.',
});

builder.addScalarType('JSONObject', GraphQLJSONObject, { description: 'A JSON object with keys of any name.' });

builder.addScalarType('SafeInt', GraphQLSafeInt, {
  description: 'A whole number that a double holds exactly, up to 2^53 - 1: wider than Int.',
});

builder.scalarType('ReplyContent', {
  description: "The assistant's reply: text, or the parsed object where the deployment has an output schema.",
  serialize: (value) => value,
});
