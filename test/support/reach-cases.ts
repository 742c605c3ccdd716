import { expect } from 'vitest';
import { EXPECTED_ERRORS, PUBLIC, SESSION_OPENERS } from './access-cases.ts';
import { ALL_FIELDS, ALL_ROUTES, type Operation } from './all-operations.ts';
import { BRANCH_FIELDS, BRANCH_ROUTES } from './branch-operations.ts';
import type { Fixtures } from './fixtures.ts';
import { errorOf } from './results.ts';

/** What every caller that is bound to deployments can use for conversations in its reach. */
export const ON_CONVERSATIONS: readonly string[] = [
  'Query.conversation',
  'Query.conversations',
  'Query.conversationTotals',
  'Query.pendingActions',
  'Mutation.sendMessage',
  'Mutation.createUpload',
  'POST /v1/uploads',
  'Mutation.runAgentTurn',
  'Mutation.resumeAgentTurn',
  'Mutation.stopTurn',
  'Mutation.cancelRun',
  'Mutation.rateMessage',
  'Mutation.setPresence',
  ...Object.keys(BRANCH_FIELDS),
  'Mutation.renameConversation',
  'Mutation.updateConversation',
  'Mutation.deleteConversation',
  'Subscription.conversationChanged',
  'Subscription.conversationsChanged',
  'Subscription.pendingActionsChanged',
  'Subscription.conversationExport',
  'Subscription.conversationsExport',
  'Subscription.presenceChanged',
  'Subscription.turnEvents',
  'Subscription.replyStream',
  'POST /v1/runner/{deployment_id}/conversation',
  'POST /v1/runner/{deployment_id}/conversation/stream',
  'POST /v2/runner/{deployment_id}/conversation',
  'GET /v2/runner/{deployment_id}/conversation/{conversation_id}/history',
  'GET /v1/runner/conversation/{conversation_id}/messages',
  'GET /v1/runner/conversation/{conversation_id}/stream',
  'POST /v1/runner/conversation/{conversation_id}/stop',
  'PATCH /v1/runner/conversation/{conversation_id}',
  'PUT /v1/runner/conversation/{conversation_id}/messages/{message_id}/rating',
  ...Object.keys(BRANCH_ROUTES),
  'GET /v1/runner/{deployment_id}/conversations',
  'GET /v1/runner/conversations',
  'GET /v1/conversations',
  'GET /v1/conversations/totals',
  'GET /v1/conversations/export',
  'GET /v1/conversations/{conversation_id}/export',
  'GET /v1/pending-actions',
];

/** In reach for files of their own, which `end-user-files.test.ts` covers. The file of the fixtures has no owner. */
const OF_FILES: Readonly<Record<string, string | undefined>> = {
  // Null.
  'Query.file': undefined,
  'Mutation.completeUpload': 'not_found',
  'POST /v1/uploads/{file_id}/complete': 'not_found',
  'GET /v1/files/{file_id}': 'not_found',
};

/** Every operation that needs a caller. */
export const OPERATIONS = [...ALL_FIELDS, ...ALL_ROUTES].filter(
  ({ name }) => !SESSION_OPENERS.includes(name) && !PUBLIC.includes(name),
);

export const verdict = (name: string, inReach: readonly string[]) =>
  inReach.includes(name) || name in OF_FILES ? 'allowed' : 'forbidden';

type Response = Parameters<typeof errorOf>[0];

/** Expects that the caller can use the operation if it is in the list, and else is refused. */
export function expectVerdict({ name }: Operation, inReach: readonly string[], response: Response): void {
  const code = errorOf(response)?.code;
  if (inReach.includes(name)) expect(code).toBe(EXPECTED_ERRORS[name]);
  else if (name in OF_FILES) expect(code).toBe(OF_FILES[name]);
  else expect(code).toBeOneOf(['forbidden', 'session_required']);
}

/** Expects that a response shows nothing of fixtures that are out of reach. */
export function expectNothingOf(target: Fixtures, { reads }: Operation, response: Response): void {
  const text = JSON.stringify(response.body);
  for (const known of [target.marker, target.conversationId]) expect(text).not.toContain(known);
  const error = errorOf(response);
  if (error) expect(error.code).toBeOneOf(['forbidden', 'session_required', 'not_found']);
  else expect(reads).toBe(true);
}
