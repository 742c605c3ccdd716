import { APPROVAL_TOOL } from '../../../contract/client-tools.ts';
import { type Approver, CALL_ANSWERERS, type CallAnswerer } from '../../../contract/statuses.ts';
import type { TimelineItem } from '../../../db/generated/client.ts';
import { memberNames } from '../../../domain/access/members/members.ts';
import { deploymentsOf } from '../../../domain/conversations/reads.ts';
import { loadInBatch } from '../../../domain/related/batches.ts';
import { builder } from '../builder.ts';
import { callsOf, pendingOf } from '../conversations/calls.ts';
import { ClientToolCall } from '../conversations/timeline.ts';
import { loadEdge } from '../edges.ts';
import { valuesOf } from '../enums.ts';
import { Deployment } from '../workflows/deployments.ts';
import { ApproverEnum } from '../workflows/workflow-approvals.ts';

export const CallAnswererEnum = builder.enumType('CallAnswerer', {
  description: 'Who can answer a call of a client tool.',
  values: valuesOf(CALL_ANSWERERS, {
    client: 'The client of the conversation: callers with a key, and visitors.',
    member: 'Signed-in members of the workspace, also on behalf of the client.',
  }),
});

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
  approver: t.field({
    type: ApproverEnum,
    nullable: true,
    description: 'Who can give the approval. Null: this is not a call of approve_action.',
    resolve: approverOf,
  }),
  answerableBy: t.field({
    type: [CallAnswererEnum],
    description:
      'Who can answer it. All calls of a step are answered together, so an approval in the step can exclude one side. Empty: it does not wait.',
    resolve: async (call, _args, context) =>
      call.status === 'pending' ? answerersOf(pendingOf(await callsOf(context, call.runId))) : [],
  }),
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

function approverOf({ name, arguments: args }: TimelineItem): Approver | null {
  // The service wrote the arguments of approve_action.
  return name === APPROVAL_TOOL ? (args as unknown as { readonly approver: Approver }).approver : null;
}

function answerersOf(calls: readonly TimelineItem[]): CallAnswerer[] {
  const approvers = calls.map(approverOf);
  return CALL_ANSWERERS.filter((one) =>
    approvers.every((approver) => (approver ?? 'either') === 'either' || approver === one),
  );
}
