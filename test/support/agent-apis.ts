import { enumValueOf } from '../../src/contract/enum-names.ts';
import { DEMO_AGENT_ID } from '../../src/domain/first-start.ts';
import type { Client, HttpResponse } from './client.ts';
import { toGraphCapabilities, toGraphContent } from './graph-content.ts';
import { errorOf, statusOf } from './results.ts';

/** An agent turn with the field names of REST. */
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

/** The outcome of a turn, in the same form for both APIs. */
export interface TurnOutcome {
  readonly status: number;
  readonly code?: string;
  readonly runStatus?: string;
  readonly conversationId?: string;
  readonly content?: string;
  readonly calls?: Call[];
  // Facts next to the error's message, as the API returns them.
  readonly error?: Record<string, unknown>;
}

/** One of the two APIs. Both must respond in the same way. */
export interface AgentApi {
  readonly name: 'REST' | 'GraphQL';
  turn(client: Client, fields: TurnFields): Promise<TurnOutcome>;
}

const TURN = `
  ... on FinishedTurn { conversationId runStatus content }
  ... on PausedTurn { conversationId pendingActions { call_id: callId name arguments } conversation { latestRun { status } } }`;

const RUN = `mutation ($input: RunAgentTurnInput!) {
  result: runAgentTurn(input: $input) {
    ... on RunAgentTurnPayload { turn { ${TURN} } }
    ... on Error { code message path }
    ... on ClientActionRequired { pending_client_actions: pendingActions { call_id: callId name arguments } }
    ... on RunInProgress { run_id: runId }
  }
}`;

/** A resume is a mutation of its own in GraphQL. */
const RESUME = `mutation ($input: ResumeAgentTurnInput!) {
  result: resumeAgentTurn(input: $input) {
    ... on ResumeAgentTurnPayload { turn { ${TURN} } }
    ... on Error { code message path }
    ... on MissingToolResults { call_ids: callIds }
    ... on UnknownCallId { call_ids: callIds }
  }
}`;

export const AGENT_APIS: readonly AgentApi[] = [
  {
    name: 'REST',
    async turn(client, fields) {
      const response = await client.send('POST', `/v2/runner/${DEMO_AGENT_ID}/conversation`, { body: fields });
      return fromRest(response);
    },
  },
  {
    name: 'GraphQL',
    async turn(client, fields) {
      const document = fields.tool_results ? RESUME : RUN;
      return fromGraphql(await client.graphql(document, { input: toInput(fields) }));
    },
  },
];

export function textContent(value: string): { type: 'text'; text: string }[] {
  return [{ type: 'text', text: value }];
}

function fromRest({ status, body }: HttpResponse): TurnOutcome {
  if (body.error) return { status, code: body.error.code, error: body.error };
  const outcome = { status, runStatus: body.run_status, conversationId: body.conversation_id };
  return { ...outcome, content: body.content, calls: body.client_tool_calls };
}

function fromGraphql(response: HttpResponse): TurnOutcome {
  const error = errorOf(response);
  const result = response.body.data?.result;
  if (error) return { status: statusOf(error), code: error.code, error: { ...result, ...error } };
  const {
    conversationId,
    conversation,
    runStatus = conversation.latestRun.status,
    content,
    pendingActions,
  } = result.turn;
  return { status: 200, runStatus: enumValueOf(runStatus), conversationId, content, calls: pendingActions };
}

function toInput({ content, conversation_id, tool_results, client_capabilities, history_limit }: TurnFields) {
  return {
    deploymentId: DEMO_AGENT_ID,
    content: toGraphContent(content),
    conversationId: conversation_id,
    toolResults: tool_results?.map(({ call_id, output }) => ({ callId: call_id, output })),
    clientCapabilities: toGraphCapabilities(client_capabilities),
    historyLimit: history_limit,
  };
}
