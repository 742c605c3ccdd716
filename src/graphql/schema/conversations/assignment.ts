import { LIMITS } from '../../../contract/limits.ts';
import {
  type Assignee,
  assignConversation,
  findAssignees,
  listAssignable,
} from '../../../domain/conversations/assignment/assign.ts';
import { personIdOf } from '../../../domain/handling/handling-state.ts';
import { loadInBatch } from '../../../domain/related/batches.ts';
import { ASSIGN_CONVERSATION } from '../../../shapes/conversations.ts';
import { builder } from '../builder.ts';
import { mutation } from '../mutation.ts';
import { inputType } from '../shape-fields.ts';
import { conversationField } from './conversation-field.ts';
import { Conversation } from './conversations.ts';

const AssigneeObject = builder.objectRef<Assignee>('Assignee').implement({
  description: 'A member of the workspace to whom conversations can be assigned.',
  fields: (t) => ({
    memberId: t.expose('memberId', { type: 'UUID', description: 'The user ID of the member.' }),
    displayName: t.exposeString('displayName', { description: 'The name of the member.' }),
    isMe: t.boolean({
      description: 'Whether it is the caller.',
      resolve: ({ memberId }, _args, { caller }) => caller !== undefined && memberId === personIdOf(caller),
    }),
  }),
});

builder.prismaObjectField(Conversation, 'assignee', (t) =>
  t.field({
    type: AssigneeObject,
    nullable: true,
    access: { scope: 'conversations:handle', bound: 'inside' },
    description:
      'The member who looks after it. Another person or the assistant can answer in it. Null: nobody, the member has left the workspace or cannot handle conversations any more, or the caller lacks the scope. Scope: conversations:handle.',
    select: { assigneeId: true },
    resolve: ({ assigneeId }, _args, { domain }) =>
      assigneeId === null ? null : loadInBatch(domain, 'assignees', assigneeId, (ids) => findAssignees(domain, ids)),
  }),
);

builder.queryField('assignableMembers', (t) =>
  t.field({
    publishing: 'never',
    type: [AssigneeObject],
    access: { scope: 'conversations:handle' },
    description: `The members to whom conversations can be assigned, by name: at most ${LIMITS.assignableMembers}. Scope: conversations:handle.`,
    resolve: (_root, _args, { domain }) => listAssignable(domain),
  }),
);

mutation('assignConversation', {
  publishing: 'never',
  access: { scope: 'conversations:handle', bound: 'addressed' },
  description:
    'Assigns a conversation to a member, or to nobody, also a completed one. It does not change who answers in it. Scope: conversations:handle.',
  input: inputType(ASSIGN_CONVERSATION),
  errors: ['not_found', 'invalid_request'],
  resolve: async ({ conversationId, ...input }, { domain }) => {
    await assignConversation(domain, { conversationId, ...input });
    return { conversationId };
  },
  payload: conversationField('The conversation with its assignee.'),
});
