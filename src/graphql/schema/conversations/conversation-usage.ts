import {
  type ConversationTotals,
  type ConversationUsage,
  conversationTotals,
  usageOfConversations,
} from '../../../domain/conversations/usage.ts';
import { loadInBatch } from '../../../domain/related/batches.ts';
import { builder } from '../builder.ts';
import { tokenFields } from '../usage/token-fields.ts';
import { ConversationFilter } from './conversation-lists.ts';
import { Conversation } from './conversations.ts';

const USAGE = {
  nullable: true,
  access: { scope: 'workflows:read' },
} as const;

const ConversationUsageObject = builder.objectRef<ConversationUsage>('ConversationUsage').implement({
  description: 'What the workflow log has about the turns of conversations.',
  fields: (t) => ({
    turns: t.exposeInt('turns', {
      description: 'Number of turns. A turn that pauses and resumes counts as two, because each part calls the model.',
    }),
    failures: t.exposeInt('failures', { description: 'Number of failed turns.' }),
    ...tokenFields((count, description) => t.expose(count, { type: 'SafeInt', description })),
    responseTimeMs: t.exposeInt('responseTimeMs', {
      nullable: true,
      description: 'Response time of the slowest turn, in milliseconds. Null: no turn has finished or paused.',
    }),
    cost: t.exposeString('cost', {
      nullable: true,
      description: 'The cost as a decimal number, in the currency of the workspace. Null: a model has no price.',
    }),
  }),
});

builder.prismaObjectField(Conversation, 'usage', (t) =>
  t.field({
    ...USAGE,
    type: ConversationUsageObject,
    description: 'Its turns, tokens, response time and cost. Null: the caller lacks the scope. Scope: workflows:read.',
    resolve: ({ id }, _args, { domain }) =>
      loadInBatch(domain, 'usage of conversations', id, (ids) => usageOfConversations(domain, ids)),
  }),
);

const ConversationTotalsObject = builder.objectRef<ConversationTotals>('ConversationTotals').implement({
  description: 'The number of conversations that match a filter, and the usage of all of them.',
  fields: (t) => ({
    conversations: t.exposeInt('conversations', { description: 'Number of conversations.' }),
    usage: t.field({
      ...USAGE,
      type: ConversationUsageObject,
      description: 'The usage of all of them. Null: the caller lacks the scope. Scope: workflows:read.',
      resolve: (totals) => totals,
    }),
  }),
});

builder.queryField('conversationTotals', (t) =>
  t.field({
    publishing: 'reads',
    type: ConversationTotalsObject,
    access: { scope: 'conversations:read', bound: 'filtered' },
    description: 'The totals of the conversations that match a filter. Scope: conversations:read.',
    args: { filter: t.arg({ type: ConversationFilter, description: 'Omit it for all conversations.' }) },
    resolve: (_root, { filter }, { domain }) => conversationTotals(domain, filter ?? {}),
  }),
);
