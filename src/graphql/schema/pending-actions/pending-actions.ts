import { DECISION_TOOLS, PENDING_ACTION_KINDS, pendingActionKind } from '../../../contract/client-tools.ts';
import { type Approver, CALL_ANSWERERS, type CallAnswerer } from '../../../contract/statuses.ts';
import type { TimelineItem } from '../../../db/generated/client.ts';
import { memberNames } from '../../../domain/access/members/members.ts';
import { deploymentsOf } from '../../../domain/conversations/reads.ts';
import { loadInBatch } from '../../../domain/related/batches.ts';
import type { OperationContext } from '../../../operation/context.ts';
import { isReader, UNREADABLE } from '../agent/error-facts.ts';
import { builder } from '../builder.ts';
import { callsOf, PendingAction, type PendingCall, pendingOf } from '../conversations/calls.ts';
import { Conversation } from '../conversations/conversations.ts';
import { Run } from '../conversations/runs.ts';
import { ClientToolCall } from '../conversations/timeline.ts';
import { loadEdge } from '../edges.ts';
import { enumType } from '../enum-type.ts';
import { Deployment } from '../workflows/deployments.ts';
import { ApproverEnum } from '../workflows/workflow-approvals.ts';

const CallAnswererEnum = enumType('CallAnswerer', CALL_ANSWERERS, {
  description: 'Who can answer a call of a client tool.',
  values: {
    client: 'The client of the conversation: callers with a key, and visitors.',
    member: 'Signed-in members of the workspace, also on behalf of the client.',
  },
});

const PendingActionKindEnum = enumType('PendingActionKind', PENDING_ACTION_KINDS, {
  description: 'What a call that waits asks for.',
  values: {
    answer: 'An answer: the output of a client tool.',
    approval: 'An approval of a call of a server tool: approve_action.',
    budget: 'More of a budget: raise_budget.',
  },
});

const APPROVER = {
  type: ApproverEnum,
  nullable: true,
  description: 'Who can decide. Null: this is not a call of approve_action or raise_budget.',
} as const;

const ANSWERABLE_BY = {
  type: [CallAnswererEnum] as [typeof CallAnswererEnum],
  description:
    'Who can answer it. All calls of a step are answered together, so an approval in the step can exclude one side. Empty: it does not wait.',
};

builder.objectFields(ClientToolCall, (t) => ({
  waitingSince: t.field({
    type: 'DateTime',
    nullable: true,
    description: 'Since when it waits for its result. Null: it has a result, or it was cancelled.',
    resolve: ({ status, createdAt }) => (status === 'pending' ? createdAt : null),
  }),
  expiresAt: t.field({
    type: 'DateTime',
    nullable: true,
    description: 'When the time to answer ends. Null: never, or it does not wait.',
    resolve: ({ status, expiresAt }) => (status === 'pending' ? expiresAt : null),
  }),
  approver: t.field({ ...APPROVER, resolve: approverOf }),
  answerableBy: t.field({ ...ANSWERABLE_BY, resolve: (call, _args, context) => answerersOf(call, context) }),
  answeredBy: t.string({
    nullable: true,
    access: { credentials: true },
    description:
      'The display name of the member who answered it. Null: it has no answer, the client answered it, the member has left the workspace, or the request has no credentials.',
    resolve: ({ answeredBy }, _args, { domain }) =>
      answeredBy && loadInBatch(domain, 'names of members', answeredBy, (ids) => memberNames(domain, ids)),
  }),
  deployment: t.field({
    type: Deployment,
    nullable: true,
    access: { scope: 'workflows:read' },
    description:
      'The deployment of its conversation. Null: the conversation was deleted, or the caller lacks the scope. Scope: workflows:read.',
    resolve: async ({ conversationId }, _args, context, info) => {
      const { domain } = context;
      const load = (ids: readonly string[]) => deploymentsOf(domain, ids);
      const deploymentId = await loadInBatch(domain, 'deployments of conversations', conversationId, load);
      return loadEdge(deploymentId, context, info);
    },
  }),
}));

builder.objectFields(PendingAction, (t) => ({
  kind: t.field({
    type: PendingActionKindEnum,
    description: 'What it asks for.',
    resolve: ({ name }) => pendingActionKind(name ?? ''),
  }),
  waitingSince: t.field({
    type: 'DateTime',
    nullable: true,
    description: 'Since when it waits. Null: it no longer does.',
    resolve: async (call, _args, context) => (await itemOf(call, context))?.createdAt ?? null,
  }),
  approver: t.field({
    ...APPROVER,
    resolve: async (call, _args, context) => {
      const item = await itemOf(call, context);
      return item && approverOf(item);
    },
  }),
  answerableBy: t.field({
    ...ANSWERABLE_BY,
    resolve: async (call, _args, context) => {
      const item = await itemOf(call, context);
      return item ? answerersOf(item, context) : [];
    },
  }),
  call: t.field({
    type: ClientToolCall,
    nullable: true,
    description: `The call as the timeline has it. ${UNREADABLE}`,
    resolve: readableItemOf,
  }),
  conversation: t.field({
    type: Conversation,
    nullable: true,
    description: `The conversation that waits. ${UNREADABLE}`,
    resolve: async (call, args, context, info) =>
      loadEdge((await readableItemOf(call, args, context))?.conversationId ?? null, context, info),
  }),
  run: t.field({
    type: Run,
    nullable: true,
    description: `The turn that waits. ${UNREADABLE}`,
    resolve: async (call, args, context, info) =>
      loadEdge((await readableItemOf(call, args, context))?.runId ?? null, context, info),
  }),
}));

const isItem = (call: PendingCall): call is TimelineItem => 'kind' in call;

/** The item of a call that waits. Null: it does not wait any more. */
async function itemOf(call: PendingCall, context: OperationContext): Promise<TimelineItem | null> {
  if (isItem(call)) return call;
  const waiting = pendingOf(await callsOf(context, call.runId ?? null));
  return waiting.find(({ callId }) => callId === call.callId) ?? null;
}

/** The result of a turn and an error show the item only to callers that can read conversations. */
async function readableItemOf(call: PendingCall, _args: object, context: OperationContext) {
  return isItem(call) || isReader(context) ? itemOf(call, context) : null;
}

function approverOf({ name, arguments: args }: TimelineItem): Approver | null {
  // The service wrote the arguments.
  return name !== null && DECISION_TOOLS.includes(name)
    ? (args as unknown as { readonly approver: Approver }).approver
    : null;
}

async function answerersOf({ status, runId }: TimelineItem, context: OperationContext): Promise<CallAnswerer[]> {
  if (status !== 'pending') return [];
  const approvers = pendingOf(await callsOf(context, runId)).map(approverOf);
  return CALL_ANSWERERS.filter((one) =>
    approvers.every((approver) => (approver ?? 'either') === 'either' || approver === one),
  );
}
