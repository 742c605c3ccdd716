import { handBack } from '../../../domain/agent/handling/hand-back.ts';
import { sendAsMember } from '../../../domain/agent/handling/member-message.ts';
import { takeOver } from '../../../domain/agent/handling/take-over.ts';
import { findItems } from '../../../domain/conversations/reads.ts';
import { HAND_BACK, SEND_AS_MEMBER, TAKE_OVER } from '../../../shapes/conversations.ts';
import { mutation } from '../mutation.ts';
import { inputType } from '../shape-fields.ts';
import { conversationField } from './conversation-field.ts';
import { Message } from './timeline.ts';

const access = { scope: 'conversations:handle', bound: 'addressed' } as const;

mutation('takeOver', {
  publishing: 'never',
  access,
  description:
    'Makes the caller the person who answers in a conversation. Messages of its user are stored from then on and start no turn. Only one person has a conversation; the same person takes it again to keep it. Scope: conversations:handle.',
  input: inputType(TAKE_OVER),
  errors: ['not_found', 'invalid_request', 'conversation_completed', 'handling_conflict'],
  resolve: async ({ conversationId, ...input }, { domain }) => {
    await takeOver(domain, { conversationId, ...input });
    return { conversationId };
  },
  payload: conversationField('The conversation that the caller has now.'),
});

mutation('sendAsMember', {
  publishing: 'never',
  access,
  description:
    'Stores a message of the person who has the conversation. Its user reads it as a message of the assistant, with the name of the person. Scope: conversations:handle.',
  input: inputType(SEND_AS_MEMBER),
  errors: ['not_found', 'invalid_request', 'conversation_completed', 'run_in_progress', 'handling_conflict'],
  resolve: async ({ conversationId, ...input }, { domain }) => {
    const itemId = await sendAsMember(domain, { conversationId, ...input });
    return { conversationId, itemId };
  },
  payload: (t) => ({
    // `message` would conflict with the field of errors.
    sent: t.field({
      type: Message,
      nullable: true,
      description: 'The stored message. Null: it was deleted in the meantime.',
      resolve: async ({ itemId }, _args, { domain }) =>
        (await findItems(domain, 'message', [String(itemId)]))[0] ?? null,
    }),
    ...conversationField('The conversation with the message.')(t),
  }),
});

mutation('handBack', {
  publishing: 'never',
  access,
  description:
    'Returns a conversation to the assistant, which answers the messages that nobody has answered. Nothing changes if the assistant has it. Scope: conversations:handle.',
  input: inputType(HAND_BACK),
  errors: ['not_found', 'invalid_request', 'handling_conflict'],
  resolve: async ({ conversationId, ...input }, { domain }) => {
    await handBack(domain, { conversationId, ...input });
    return { conversationId };
  },
  payload: conversationField('The conversation that the assistant continues.'),
});
