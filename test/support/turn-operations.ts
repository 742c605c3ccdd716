import { expect } from 'vitest';
import { DEMO_AGENT_ID, DEMO_CHAT_ID } from '../../src/domain/first-start.ts';
import type { Client, HttpResponse } from './client.ts';
import { expectError, expectGraphqlError } from './error-bodies.ts';
import { toGraphContent, toGraphVariables } from './graph-content.ts';
import { errorOf, mutationOf, resultOf } from './results.ts';

/** The fields of a turn with the names of REST. */
export type TurnBody = Readonly<Record<string, unknown>>;

/**
 * One of the four ways to send a turn: v1 or v2, by REST or GraphQL. All reject the same input with the same message.
 */
export interface TurnOperation {
  readonly name: string;
  readonly protocol: 'REST' | 'GraphQL';
  send(client: Client, body: TurnBody): Promise<HttpResponse>;
  /** Asserts success. Returns the conversation's ID. */
  conversationIdOf(response: HttpResponse): string;
  expectRejected(response: HttpResponse, param: string, message?: RegExp): void;
}

export const TURN_OPERATIONS: readonly TurnOperation[] = [
  restOperation('POST /v1/…/conversation', `/v1/runner/${DEMO_CHAT_ID}/conversation`),
  restOperation('POST /v2/…/conversation', `/v2/runner/${DEMO_AGENT_ID}/conversation`),
  graphqlOperation('sendMessage', DEMO_CHAT_ID, '{ turn { conversationId } }'),
  graphqlOperation('runAgentTurn', DEMO_AGENT_ID, '{ turn { ... on FinishedTurn { conversationId } } }'),
];

export const REST_TURN_OPERATIONS = TURN_OPERATIONS.filter(({ protocol }) => protocol === 'REST');

export const GRAPHQL_TURN_OPERATIONS = TURN_OPERATIONS.filter(({ protocol }) => protocol === 'GraphQL');

/** One operation of each API, for expensive tests of shared behaviour. */
export const ONE_PER_API = [...REST_TURN_OPERATIONS.slice(0, 1), ...GRAPHQL_TURN_OPERATIONS.slice(-1)];

export function textPart(text: string): object {
  return { type: 'text', text };
}

/** A valid body with these fields. */
export function turnWith(fields: TurnBody): TurnBody {
  return { content: [textPart('Hello')], ...fields };
}

/** Converts names to those of GraphQL: `history_limit` → `historyLimit`. */
function camelCase(name: string): string {
  return name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
}

function restOperation(name: string, path: string): TurnOperation {
  return {
    name,
    protocol: 'REST',
    send: (client, body) => client.send('POST', path, { body }),
    conversationIdOf(response) {
      if (response.status !== 200) throw new Error(`The turn failed: ${JSON.stringify(response.body).slice(0, 500)}`);
      return response.body.conversation_id;
    },
    expectRejected(response, param, message) {
      expectError(response, 'invalid_request', { param, message: messagePattern(param, message) });
    },
  };
}

function graphqlOperation(field: string, deploymentId: string, selection: string): TurnOperation {
  const document = mutationOf(field, selection);
  return {
    name: `mutation ${field}`,
    protocol: 'GraphQL',
    send: (client, body) => client.graphql(document, { input: { deploymentId, ...toInput(body) } }),
    conversationIdOf: (response) => resultOf(response).conversationId,
    expectRejected(response, param, message) {
      const field = errorOf(response)?.param ?? '';
      // In GraphQL, the fields of a file are inside the field that is named after its type.
      expect(field.replace(/^(content\[\d+\])\.(?:url|image|video|audio|data)\./, '$1.')).toBe(camelParam(param));
      expectGraphqlError(response, 'invalid_request', { param: field, message: messagePattern(field, message) });
    },
  };
}

/** The message starts with the field at fault. */
function messagePattern(param: string, message: RegExp | undefined): RegExp {
  const start = param.replace(/[.[\]{}()*+?^$|\\]/g, '\\$&');
  return new RegExp(`^${start} .*${message?.source ?? ''}`, 'su');
}

/** Keys of meta belong to the caller and stay unchanged. */
function camelParam(param: string): string {
  return /^meta\b/.test(param) ? param : camelCase(param);
}

/** Renames fields. Malformed input is left for the service to reject. */
function toInput(body: TurnBody): TurnBody {
  const input = withCamelCase(body);
  return { ...input, content: toGraphContent(input.content), variables: toGraphVariables(input.variables) };
}

function withCamelCase(fields: object): Record<string, unknown> {
  return Object.fromEntries(Object.entries(fields).map(([name, value]) => [camelCase(name), value]));
}
