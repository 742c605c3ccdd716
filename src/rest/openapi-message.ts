import type { JsonSchema } from './json-schema.ts';

/** What a message to a webhook endpoint reports. Its fields are in the `data` of the message, next to `resource_id`. */
export interface Message {
  readonly summary: string;
  readonly data: Readonly<Record<string, JsonSchema>>;
  readonly example: Readonly<Record<string, unknown>>;
}

export const text = (description: string): JsonSchema => ({ type: 'string', description });

export const object = (description: string): JsonSchema => ({
  type: 'object',
  additionalProperties: true,
  description,
});
