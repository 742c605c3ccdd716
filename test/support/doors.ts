import { DEMO_AGENT_ID } from '../../src/domain/first-start.ts';
import type { Answer, Client } from './client.ts';

/** An agent turn as REST writes it. */
export interface TurnFields {
  readonly content?: unknown;
  readonly conversation_id?: string;
  readonly tool_results?: readonly { readonly call_id: string; readonly output?: unknown }[];
  readonly client_capabilities?: readonly unknown[];
  readonly history_limit?: number;
}

export interface Call {
  readonly call_id: string;
  readonly name: string;
  readonly arguments: Record<string, unknown>;
}

/** What a turn came to, whichever door it went through. */
export interface Outcome {
  readonly status: number;
  readonly code?: string;
  readonly runStatus?: string;
  readonly conversationId?: string;
  readonly content?: string;
  readonly calls?: Call[];
  // Facts beside the error's message, as the door gives them.
  readonly error?: Record<string, unknown>;
}

/** One way into the service. Both must answer the same. */
export interface Door {
  readonly name: 'REST' | 'GraphQL';
  turn(client: Client, fields: TurnFields): Promise<Outcome>;
}

const TURN = `mutation ($deploymentId: UUID!, $input: AgentTurnInput!) {
  runAgentTurn(deploymentId: $deploymentId, input: $input) {
    ... on FinishedTurn { conversationId runStatus content }
    ... on PausedTurn { conversationId runStatus pendingCalls { call_id: callId name arguments } }
  }
}`;

export const DOORS: readonly Door[] = [
  {
    name: 'REST',
    async turn(client, fields) {
      const answer = await client.send('POST', `/v2/runner/${DEMO_AGENT_ID}/conversation`, { body: fields });
      return fromRest(answer);
    },
  },
  {
    name: 'GraphQL',
    async turn(client, fields) {
      const answer = await client.graphql(TURN, { deploymentId: DEMO_AGENT_ID, input: toInput(fields) });
      return fromGraphql(answer);
    },
  },
];

export function text(words: string): { type: 'text'; text: string }[] {
  return [{ type: 'text', text: words }];
}

function fromRest({ status, body }: Answer): Outcome {
  if (body.error) return { status, code: body.error.code, error: body.error };
  const outcome = { status, runStatus: body.run_status, conversationId: body.conversation_id };
  return { ...outcome, content: body.content, calls: body.client_tool_calls };
}

function fromGraphql({ body }: Answer): Outcome {
  const [error] = body.errors ?? [];
  if (error) return { status: error.extensions.status, code: error.extensions.code, error: error.extensions };
  const { conversationId, runStatus, content, pendingCalls } = body.data.runAgentTurn;
  return { status: 200, runStatus, conversationId, content, calls: pendingCalls };
}

function toInput({ content, conversation_id, tool_results, client_capabilities, history_limit }: TurnFields) {
  return {
    content,
    conversationId: conversation_id,
    toolResults: tool_results?.map(({ call_id, output }) => ({ callId: call_id, output })),
    clientCapabilities: client_capabilities,
    historyLimit: history_limit,
  };
}
