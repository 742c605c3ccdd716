import { type IgnoredTool, ignoredTools } from '../../../domain/agent/accept/ignored-tools.ts';
import { cancelRun } from '../../../domain/agent/settle/cancel-run.ts';
import type { FinishedTurn, StartedTurn, TurnResult } from '../../../domain/agent/turn.ts';
import { runAgentTurn, sendMessage } from '../../../domain/agent/turns.ts';
import { runnerAccess } from '../../../operation/access.ts';
import type { TurnExtensions } from '../../../operation/plan.ts';
import { builder } from '../builder.ts';
import { conversationField } from '../conversations/conversation-field.ts';
import { mutation, type PayloadBuilder } from '../mutation.ts';
import { withVariables } from '../variables.ts';
import { MESSAGE_ERRORS, RESUME_ERRORS } from './turn-errors.ts';
import { ResumeAgentTurnInput, RunAgentTurnInput, SendMessageInput } from './turn-inputs.ts';
import { AgentTurn, FinishedTurnObject, MessageTurn, StartedTurnObject } from './turn-results.ts';

/** Whether the header Prefer asks for a response before the outcome (RFC 7240). */
export function asksForAsync(prefer: string | null | undefined): boolean {
  return (prefer ?? '').split(',').some((preference) => preference.trim().toLowerCase() === 'respond-async');
}

mutation('sendMessage', {
  publishing: 'acts',
  access: runnerAccess('conversations:write'),
  extensions: { isTurn: true } satisfies TurnExtensions,
  description:
    'Runs one turn of ordinary chat (v1). It starts or continues a conversation. Scope: conversations:write.',
  input: SendMessageInput,
  errors: MESSAGE_ERRORS,
  resolve: ({ deploymentId, background, prefer, ...message }, { domain }) =>
    sendMessage(domain, deploymentId, withVariables(message), { background: background || asksForAsync(prefer) }),
  payload: (t: PayloadBuilder<FinishedTurn | StartedTurn>) => ({
    turn: t.field({
      type: FinishedTurnObject,
      nullable: true,
      description: 'The finished turn. Null: it runs in the background.',
      resolve: (turn) => (turn.outcome === 'finished' ? turn : null),
    }),
    started: t.field({
      type: StartedTurnObject,
      nullable: true,
      description: 'The turn that runs in the background. Null: it has finished.',
      resolve: (turn) => (turn.outcome === 'started' ? turn : null),
    }),
    result: t.field({
      type: MessageTurn,
      internal: true,
      description: 'The turn: finished, or started in the background.',
      resolve: (turn) => turn,
    }),
  }),
});

const IgnoredClientTool = builder.objectRef<IgnoredTool>('IgnoredClientTool').implement({
  description: 'A client tool of a request that the assistant cannot call.',
  fields: (t) => ({
    name: t.exposeString('name', { description: 'Its name in `clientCapabilities`.' }),
    reason: t.exposeString('reason', {
      description: 'Why, which client tools the workflow defines, and what to do. For developers.',
    }),
  }),
});

interface AgentTurnPayload {
  readonly turn: TurnResult | StartedTurn;
  readonly deploymentId: string;
  readonly input: object;
}

const turnFields = (t: PayloadBuilder<AgentTurnPayload>) => ({
  turn: t.field({
    type: AgentTurn,
    description: 'A reply, a pause for the client, or a start in the background.',
    resolve: ({ turn }) => turn,
  }),
  ignoredClientTools: t.field({
    type: [IgnoredClientTool],
    nullable: true,
    description: 'The connected client tools that the assistant cannot call. Null: it can call all of them.',
    resolve: ({ deploymentId, input }, _args, { domain }) => ignoredTools(domain, deploymentId, input),
  }),
});

mutation('runAgentTurn', {
  publishing: 'acts',
  access: runnerAccess('conversations:write'),
  extensions: { isTurn: true } satisfies TurnExtensions,
  description:
    'Starts or continues an agent conversation (v2). `resumeAgentTurn` sends the results of pending calls. The turn continues if the client disconnects. Scope: conversations:write.',
  input: RunAgentTurnInput,
  errors: MESSAGE_ERRORS,
  resolve: async ({ deploymentId, background, prefer, ...input }, { domain }) => {
    const options = { background: background || asksForAsync(prefer) };
    return { turn: await runAgentTurn(domain, deploymentId, withVariables(input), options), deploymentId, input };
  },
  payload: turnFields,
});

mutation('resumeAgentTurn', {
  publishing: 'acts',
  access: runnerAccess('conversations:write'),
  extensions: { isTurn: true } satisfies TurnExtensions,
  description:
    'Sends the results of the pending calls. The first accepted set of results wins. Sending the same set again returns the same outcome. Scope: conversations:write.',
  input: ResumeAgentTurnInput,
  errors: RESUME_ERRORS,
  resolve: async ({ deploymentId, background, ...input }, { domain }) => {
    const options = { background: background ?? false };
    return { turn: await runAgentTurn(domain, deploymentId, input, options), deploymentId, input };
  },
  payload: turnFields,
});

const CancelRunInput = builder.inputType('CancelRunInput', {
  description: 'The conversation whose run is cancelled.',
  fields: (t) => ({
    conversationId: t.field({
      type: 'UUID',
      idOf: 'Conversation',
      required: true,
      description: 'The ID of the conversation.',
    }),
  }),
});

mutation('cancelRun', {
  publishing: 'sets',
  access: { scope: 'conversations:write', bound: 'addressed' },
  description:
    'Cancels the run of a conversation that waits for its client, so that the next turn can start. The pending calls are cancelled. Later results get error unknown_call_id. The run becomes failed, or interrupted if tool results were accepted. Nothing changes if no run is waiting. Error run_in_progress if a turn is running. Scope: conversations:write.',
  input: CancelRunInput,
  errors: ['not_found', 'run_in_progress'],
  resolve: async ({ conversationId }, { domain }) => {
    await cancelRun(domain, conversationId);
    return { conversationId };
  },
  payload: conversationField('The conversation after the cancellation.'),
});
