import { GraphQLScalarType } from 'graphql';
import { GraphQLJSON, GraphQLJSONObject, GraphQLSafeInt } from 'graphql-scalars';
import { UUID_PATTERN } from '../../contract/ids.ts';
import { isoTextOf } from '../../contract/iso-text.ts';
import { hasUnencodedOffset, timeOf } from '../../contract/iso-time.ts';
import { InvalidValueError } from '../../operation/input.ts';
import { builder } from './builder.ts';

function parseUuid(value: unknown): string {
  const text = typeof value === 'string' ? value.toLowerCase() : '';
  if (!UUID_PATTERN.test(text)) throw new InvalidValueError('must be a UUID');
  return text;
}

builder.scalarType('UUID', {
  description: 'A UUID of any version. Input in upper or lower case, output in lower case.',
  specifiedByURL: 'https://www.rfc-editor.org/rfc/rfc9562',
  parseValue: parseUuid,
  serialize: (value) => value as string,
});

function parseTime(value: unknown): Date {
  if (value instanceof Date) return value;
  const text = typeof value === 'string' ? value : '';
  const time = timeOf(text);
  if (time) return time;
  if (hasUnencodedOffset(text)) throw new InvalidValueError('has a space before its offset: write + as %2B in a URL');
  throw new InvalidValueError('must be an ISO 8601 date-time like 2026-01-31T09:30:00Z, or a date like 2026-01-31');
}

// Resolvers always return dates. A library's checks for other types cost more than reading the row.
const dateTime = new GraphQLScalarType<Date, string>({
  name: 'DateTime',
  parseValue: parseTime,
  specifiedByURL: 'https://www.rfc-editor.org/rfc/rfc3339#section-5.6',
  serialize: (date) => isoTextOf(date as Date),
});

builder.addScalarType('DateTime', dateTime, {
  description:
    'An ISO 8601 date-time with an offset. Output in UTC with milliseconds: `2026-01-31T09:30:00.000Z`. Input can omit the seconds, or be a date, which means midnight UTC.',
});

/** The specification of scalars that are JSON values. */
const JSON_URL = 'https://www.rfc-editor.org/rfc/rfc8259';

builder.addScalarType('JSONObject', GraphQLJSONObject, {
  description: 'A JSON object with any keys.',
});

builder.addScalarType('JSON', GraphQLJSON, { description: 'Any JSON value.' });

builder.addScalarType('SafeInt', GraphQLSafeInt, {
  description: 'A whole number up to 2^53 - 1. Int is limited to 32 bits.',
});

builder.scalarType('ReplyContent', {
  description: "The assistant's reply: text, or a JSON object if the workflow has an output schema.",
  specifiedByURL: JSON_URL,
  serialize: (value) => value,
});
