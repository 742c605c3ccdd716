import { PENDING_ACTION_KINDS } from '../contract/client-tools.ts';
import { LIMITS } from '../contract/limits.ts';
import { CALL_ANSWERERS } from '../contract/statuses.ts';
import { input } from './field.ts';
import { assignmentFilter, PERIOD } from './filters.ts';
import { choice, choices, id, object, text } from './kinds.ts';

export const PENDING_ACTION_FILTER = input(
  'PendingActionFilter',
  'Filters calls that wait. All conditions must match.',
  {
    deploymentId: id('Deployment', 'Only calls in conversations of this deployment'),
    conversationId: id('Conversation', 'Only calls in this conversation'),
    // OpenAPI states no bounds: a query parameter with new ones would be another contract.
    name: text({
      says: 'Only calls of this client tool',
      note: 'Approvals have the name approve_action, and questions about budgets raise_budget.',
      least: 1,
      most: LIMITS.toolNameLength,
      canBeBlank: true,
      bounds: {},
    }),
    kinds: choices('Only calls that ask for one of these', PENDING_ACTION_KINDS, {
      least: 1,
      most: PENDING_ACTION_KINDS.length,
    }),
    ...assignmentFilter('calls', 'in conversations that are assigned'),
    answerableBy: choice('Only calls that this side can answer', CALL_ANSWERERS),
    waitingSince: object(PERIOD, 'Only calls that began to wait in this period'),
  },
);
