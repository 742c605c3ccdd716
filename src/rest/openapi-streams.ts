import { type GraphQLSchema, OperationTypeNode } from 'graphql';
import type { JsonSchema } from './json-schema.ts';
import { ERROR_SCHEMA } from './openapi-errors.ts';
import type { HeaderObject } from './openapi-headers.ts';
import { eventVariants, responseSchema, type Variant } from './openapi-responses.ts';
import { streamExamples } from './openapi-stream-examples.ts';
import { type Components, described } from './openapi-types.ts';
import type { Route } from './route.ts';

interface Media {
  readonly schema: JsonSchema;
  readonly example?: string;
}

/** A streamed reply. */
export interface StreamContent {
  /** Only replies, not feeds. */
  readonly 'text/plain'?: Media;
  readonly 'text/event-stream': Media;
}

/** Lines of JSON. */
export interface LinesContent {
  readonly 'application/x-ndjson': Media;
}

/** The body of a subscription: lines of JSON, or a reply as text or as server-sent events. */
export function streamContent(
  schema: GraphQLSchema,
  route: Route,
  components: Components,
): StreamContent | LinesContent {
  const { lines, text, events } = streamExamples(route);
  if (route.directive.lines) {
    const type = { type: 'string', description: 'One JSON object per line.' };
    const contentSchema = responseSchema(schema, route, components);
    return { 'application/x-ndjson': { schema: { ...type, contentSchema }, ...example(lines) } };
  }
  const { feed } = route.directive;
  const plain = { schema: { type: 'string', description: 'Only the text of the reply, in chunks.' }, ...example(text) };
  return {
    ...(!feed && { 'text/plain': plain }),
    'text/event-stream': {
      schema: eventStream(eventVariants(schema, route, components), components, feed),
      ...example(events),
    },
  };
}

/** A stream as a client reads it: a list of events. Each has a name, and JSON as its data. */
function eventStream(variants: readonly Variant[], components: Components, isFeed: boolean): JsonSchema {
  const error = components.refer('Error', ERROR_SCHEMA, () => ERROR_SCHEMA);
  const events = variants.map(({ type, schema }) => event(nameOf(type.extensions), schema, type.description, isFeed));
  return {
    type: 'string',
    description: `Server-sent events in UTF-8: the fields ${isFeed ? '`id`, ' : ''}\`event\` and \`data\`, then an empty line. A comment line every 15 s keeps the connection open. After an \`error\` event the stream ends.`,
    contentMediaType: 'text/event-stream',
    contentSchema: {
      type: 'array',
      items: { oneOf: [...events, event('error', error, 'The stream failed after it had started.')] },
    },
  };
}

function event(
  name: string,
  data: JsonSchema,
  description: string | null | undefined,
  hasId: boolean = false,
): JsonSchema {
  const id = { type: 'string', description: 'The cursor to continue after this event.' };
  const schema: JsonSchema = {
    type: 'object',
    properties: {
      ...(hasId && { id }),
      event: { type: 'string', const: name },
      data: { type: 'string', contentMediaType: 'application/json', contentSchema: data },
    },
    required: [...(hasId ? ['id'] : []), 'event', 'data'],
  };
  return { title: name, ...described(schema, description) };
}

/** @throws {Error} if the type of an event has no name */
function nameOf({ eventName }: { readonly eventName?: unknown }): string {
  if (typeof eventName === 'string') return eventName;
  throw new Error('Each type of a streamed event needs the extension eventName.');
}

function example(text: string | undefined): { readonly example?: string } {
  return text === undefined ? {} : { example: text };
}

/** The headers of a streamed reply. A client that reads text does not get the fields of the start event. */
export function streamHeaders(
  schema: GraphQLSchema,
  route: Route,
  components: Components,
): Record<string, HeaderObject> {
  const isReply =
    route.operation.operation === OperationTypeNode.SUBSCRIPTION && !route.directive.lines && !route.directive.feed;
  const variants = isReply ? eventVariants(schema, route, components) : [];
  const start = variants.find(({ type }) => nameOf(type.extensions) === 'start');
  if (!start?.schema.properties?.conversation_id) return {};
  const id = (description: string) => ({ description, schema: { type: 'string', format: 'uuid' } });
  return {
    'x-conversation-id': id('Only with `text/plain`: the ID for the next turn.'),
    'x-run-id': id('Only with `text/plain`: the ID of the run.'),
  };
}
