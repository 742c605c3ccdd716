import { DEMO_AGENT_ID, DEMO_CHAT_ID } from '../../src/domain/first-start.ts';
import type { Answer, Client } from './client.ts';
import { expectError, expectGraphqlError } from './error-bodies.ts';

/** The fields of a turn, as REST names them. */
export type TurnBody = Readonly<Record<string, unknown>>;

/** One of the four ways to take a turn: v1 or v2, by REST or by GraphQL. All refuse the same in the same words. */
export interface TurnDoor {
  readonly name: string;
  readonly protocol: 'REST' | 'GraphQL';
  take(client: Client, body: TurnBody): Promise<Answer>;
  /** Asserts that it went well, and answers the conversation's id. */
  idOf(answer: Answer): string;
  expectRefused(answer: Answer, param: string, message?: RegExp): void;
}

export const TURN_DOORS: readonly TurnDoor[] = [
  restDoor('POST /v1/…/conversation', `/v1/runner/${DEMO_CHAT_ID}/conversation`),
  restDoor('POST /v2/…/conversation', `/v2/runner/${DEMO_AGENT_ID}/conversation`),
  graphqlDoor('sendMessage', DEMO_CHAT_ID, 'MessageInput', '{ conversationId }'),
  graphqlDoor('runAgentTurn', DEMO_AGENT_ID, 'AgentTurnInput', '{ ... on FinishedTurn { conversationId } }'),
];

export const REST_TURN_DOORS = TURN_DOORS.filter(({ protocol }) => protocol === 'REST');

export const GRAPHQL_TURN_DOORS = TURN_DOORS.filter(({ protocol }) => protocol === 'GraphQL');

/** One door of each protocol, for what is the same behind all of them and dear to ask. */
export const ONE_OF_EACH = [...REST_TURN_DOORS.slice(0, 1), ...GRAPHQL_TURN_DOORS.slice(-1)];

export function textPart(text: string): object {
  return { type: 'text', text };
}

/** A body that is in order, with these fields. */
export function turnWith(fields: TurnBody): TurnBody {
  return { content: [textPart('Hello')], ...fields };
}

/** Names as GraphQL has them: `history_limit` → `historyLimit`. */
function camelCase(name: string): string {
  return name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
}

function restDoor(name: string, path: string): TurnDoor {
  return {
    name,
    protocol: 'REST',
    take: (client, body) => client.send('POST', path, { body }),
    idOf(answer) {
      if (answer.status !== 200) throw new Error(`refused: ${JSON.stringify(answer.body).slice(0, 500)}`);
      return answer.body.conversation_id;
    },
    expectRefused(answer, param, message) {
      expectError(answer, 'invalid_request', { param, message: named(param, message) });
    },
  };
}

function graphqlDoor(field: string, deploymentId: string, inputType: string, selection: string): TurnDoor {
  const document = `mutation ($deploymentId: UUID!, $input: ${inputType}!) {
    ${field}(deploymentId: $deploymentId, input: $input) ${selection}
  }`;
  return {
    name: `mutation ${field}`,
    protocol: 'GraphQL',
    take: (client, body) => client.graphql(document, { deploymentId, input: toInput(body) }),
    idOf(answer) {
      if (answer.body.errors) throw new Error(`refused: ${JSON.stringify(answer.body).slice(0, 500)}`);
      return answer.body.data[field].conversationId;
    },
    expectRefused(answer, param, message) {
      const field = camelParam(param);
      expectGraphqlError(answer, 'invalid_request', { param: field, message: named(field, message) });
    },
  };
}

/** The message begins with the field that is to blame. */
function named(param: string, message: RegExp | undefined): RegExp {
  const start = param.replace(/[.[\]{}()*+?^$|\\]/g, '\\$&');
  return new RegExp(`^${start} .*${message?.source ?? ''}`, 'su');
}

/** Keys of variables and meta are the caller's own. */
function camelParam(param: string): string {
  return /^(variables|meta)\b/.test(param) ? param : camelCase(param);
}

/** Fields renamed, in parts too; anything that is not as it should be is left for the service to refuse. */
function toInput(body: TurnBody): TurnBody {
  const input = renamed(body);
  return Array.isArray(input.content) ? { ...input, content: input.content.map(toPart) } : input;
}

function toPart(part: unknown): unknown {
  return typeof part === 'object' && part !== null && !Array.isArray(part) ? renamed(part) : part;
}

function renamed(fields: object): Record<string, unknown> {
  return Object.fromEntries(Object.entries(fields).map(([name, value]) => [camelCase(name), value]));
}
