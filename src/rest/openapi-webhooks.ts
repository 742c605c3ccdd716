import { EVENT_TYPES, type EventType, INTEGRATION_KINDS, TEST_MESSAGE_TYPE } from '../contract/statuses.ts';
import type { JsonSchema } from './json-schema.ts';
import { EXAMPLE_IDS, EXAMPLE_TIMES } from './openapi-example-ids.ts';
import { LIFECYCLE_MESSAGES } from './openapi-lifecycle-messages.ts';
import { type Message, object, text } from './openapi-message.ts';

const RESOURCE: Pick<Message, 'data' | 'example'> = {
  data: { resource_id: text('The ID of the resource.'), type: text('Its type.'), fields: object('Its fields.') },
  example: { resource_id: EXAMPLE_IDS.resource, type: 'contact', fields: { name: 'Ada Lovelace' } },
};

const INTEGRATION: Pick<Message, 'data' | 'example'> = {
  data: {
    resource_id: text('The ID of the integration.'),
    integration_id: text('The same ID.'),
    kind: { type: 'string', enum: INTEGRATION_KINDS, description: 'The protocol of the integration.' },
    name: text('The name of the integration.'),
  },
  example: {
    resource_id: EXAMPLE_IDS.integration,
    integration_id: EXAMPLE_IDS.integration,
    kind: 'http',
    name: 'Order system',
  },
};

const MESSAGES: Readonly<Record<EventType | typeof TEST_MESSAGE_TYPE, Message>> = {
  'resource.created': { summary: 'A resource was created', ...RESOURCE },
  'resource.updated': {
    summary: 'A resource was changed',
    data: {
      resource_id: text('The ID of the resource.'),
      before: object('The earlier values of the changed fields. A new field is missing.'),
      after: object('The new values of the changed fields.'),
    },
    example: {
      resource_id: EXAMPLE_IDS.resource,
      before: { name: 'Ada Lovelace' },
      after: { name: 'Augusta Ada Lovelace' },
    },
  },
  'resource.deleted': { summary: 'A resource was deleted', ...RESOURCE },
  'integration.connected': { summary: 'An integration was connected', ...INTEGRATION },
  'integration.disconnected': { summary: 'An integration was disconnected', ...INTEGRATION },
  [TEST_MESSAGE_TYPE]: {
    summary: 'A test message that a member requested',
    data: { endpoint_id: text('The ID of the webhook endpoint.') },
    example: { endpoint_id: EXAMPLE_IDS.endpoint },
  },
  ...LIFECYCLE_MESSAGES,
};

const header = (name: string, description: string, example: string | number) => ({
  name,
  in: 'header',
  description,
  required: true,
  schema: { type: typeof example === 'number' ? 'integer' : 'string' },
  example,
});

/** The headers of the Standard Webhooks scheme. */
const HEADERS = [
  header('webhook-id', 'The ID of the message. Repeated deliveries of a message have the same ID.', EXAMPLE_IDS.event),
  header('webhook-timestamp', 'The time of this attempt, in seconds since 1970.', 1_769_851_800),
  header(
    'webhook-signature',
    'Signatures, separated by spaces: `v1,` and the HMAC-SHA256 in Base64. After a rotation there are two.',
    'v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=',
  ),
];

const RESPONSES = {
  '2XX': { description: 'The endpoint has received the message. Parley ignores the body.' },
  default: { description: 'Any other status, or no response within 15 s: Parley sends the message again later.' },
};

/** The messages that webhook endpoints receive, by type. */
export function webhooks(): Record<string, { readonly post: object }> {
  const types = [...EVENT_TYPES, TEST_MESSAGE_TYPE] as const;
  return Object.fromEntries(types.map((type) => [type, { post: delivery(type, MESSAGES[type]) }]));
}

const ACCEPTED = 'Parley sends this request to each enabled webhook endpoint that accepts the type.';
const NAMED = 'Parley sends this request to each enabled webhook endpoint whose `eventTypes` name the type.';

function delivery(type: EventType | typeof TEST_MESSAGE_TYPE, { summary, data, example }: Message): object {
  const isTest = type === TEST_MESSAGE_TYPE;
  const id = isTest ? EXAMPLE_IDS.message : EXAMPLE_IDS.event;
  return {
    operationId: operationIdOf(type),
    summary,
    description: `${type in LIFECYCLE_MESSAGES ? NAMED : ACCEPTED} Verify its signature with a library of Standard Webhooks.`,
    tags: ['webhooks'],
    security: [],
    parameters: isTest ? HEADERS.map((one) => (one.name === 'webhook-id' ? { ...one, example: id } : one)) : HEADERS,
    requestBody: {
      description: 'The message. Each attempt sends the same bytes.',
      required: true,
      content: {
        'application/json': {
          schema: messageSchema(type, data),
          example: { id, type, timestamp: EXAMPLE_TIMES.created, data: example },
        },
      },
    },
    responses: RESPONSES,
  };
}

function messageSchema(type: string, data: Message['data']): JsonSchema {
  const properties: Record<string, JsonSchema> = {
    id: text('The ID of the event. A test message has an ID of its own.'),
    type: { type: 'string', const: type },
    timestamp: { type: 'string', format: 'date-time', description: 'When the event occurred.' },
    data: { type: 'object', properties: data, required: Object.keys(data) },
  };
  return { type: 'object', properties, required: Object.keys(properties) };
}

/** `resource.created` → `receiveResourceCreated`. */
function operationIdOf(type: string): string {
  return `receive${type.replace(/(?:^|\.)(\w)/g, (_all, letter: string) => letter.toUpperCase())}`;
}
