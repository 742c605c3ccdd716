import { LIMITS } from '../contract/limits.ts';
import { RATING_VALUES, TAKE_OVER_POLICIES } from '../contract/statuses.ts';
import { contentParts } from './content.ts';
import { input, required, said } from './field.ts';
import { conversationId } from './ids.ts';
import { choice, flag, id, integer, text } from './kinds.ts';
import { metaChanges } from './meta.ts';

/** The domain also removes invisible characters. */
const name = text({ says: '{bounds}', most: LIMITS.conversationNameLength, note: 'White space is folded.' });

export const RENAME_CONVERSATION = input('RenameConversationInput', 'A conversation and its new name.', {
  conversationId,
  name: required(name),
});

export const UPDATE_CONVERSATION = input(
  'UpdateConversationInput',
  'A conversation and its changes: at least one of `name` and `meta`.',
  { conversationId, name: said({ form: 'Omit it to keep the name.' }, name), meta: metaChanges },
);

export const RATE_MESSAGE = input('RateMessageInput', 'A reply and its rating.', {
  conversationId: said({ says: 'The conversation of the reply' }, conversationId),
  messageId: required(id('Message', 'The ID of the reply: its number, or the `itemId` of the history', 'ID')),
  rating: choice({ says: 'Whether the reply helped', note: 'Required. Null removes the rating.' }, RATING_VALUES),
  comment: text({
    says: 'A comment',
    most: LIMITS.ratingCommentLength,
    canBeBlank: true,
    note: 'Omit it for a rating without a comment.',
  }),
});

const displayName = text({
  says: 'The name that the user of the conversation reads, {bounds}',
  most: LIMITS.displayNameLength,
  canBeBlank: true,
  form: 'Default: the name of the member, or Support for an API key.',
});

export const TAKE_OVER = input('TakeOverInput', 'The conversation to answer in, and how to take it.', {
  conversationId,
  force: flag(
    {
      says: 'True: take the conversation from the person who has it',
      note: 'The audit log records it.',
    },
    false,
  ),
  running: choice(
    {
      says: 'What happens to a running turn',
      note: 'STOP: it stops, and its text is kept. WAIT: it continues, and the person can write when it has ended.',
    },
    TAKE_OVER_POLICIES,
    'stop',
  ),
  displayName,
  holdMinutes: integer({
    says: 'Minutes after which the conversation waits for another person',
    note: 'They begin again with each message of the person, and if the person takes the conversation again.',
    most: LIMITS.holdMinutes,
    byDefault: LIMITS.defaultHoldMinutes,
  }),
});

export const SEND_AS_MEMBER = input('SendAsMemberInput', 'A message of the person who has the conversation.', {
  conversationId,
  content: required(contentParts('The message')),
});

const forAssistant = (says: string) =>
  text({ says, note: 'The model reads it. End users do not.', most: LIMITS.handBackTextLength });

export const HAND_BACK = input('HandBackInput', 'The conversation that the assistant continues.', {
  conversationId,
  summary: forAssistant('What the person did, {bounds}'),
  instructions: forAssistant('What the assistant must do now, {bounds}'),
  answer: flag(
    {
      says: 'Whether the assistant answers the messages of the user that nobody has answered',
    },
    true,
  ),
});

export const ADD_CONVERSATION_NOTE = input('AddConversationNoteInput', 'A note for the team.', {
  conversationId,
  text: required(
    text({
      says: 'The note, {bounds}',
      note: 'The user of the conversation and the model never read it.',
      most: LIMITS.noteLength,
    }),
  ),
});

export const DELETE_CONVERSATION_NOTE = input('DeleteConversationNoteInput', 'The note to delete.', {
  conversationNoteId: required(id('ConversationNote', 'The ID of the note: note_ and 26 characters', 'ID')),
});

export const ASSIGN_CONVERSATION = input(
  'AssignConversationInput',
  'A conversation and the member who looks after it.',
  {
    conversationId,
    memberId: id(['Member', 'User'], {
      says: 'The ID of a member of the workspace who can handle conversations',
      note: 'Required. Null: nobody.',
    }),
  },
);

export const SET_PRESENCE = input('SetPresenceInput', 'A conversation, and what the caller does in it now.', {
  conversationId,
  isTyping: required(
    flag({
      says: 'Whether the caller types now',
      note: `It counts for ${LIMITS.typingSeconds} s. Repeat it while the caller types.`,
    }),
  ),
  isOpen: flag(
    {
      says: 'Whether the caller has the conversation open',
      note: `It counts for ${LIMITS.presenceSeconds} s. Repeat it every 20 s, and send false when the page closes. For the user of the conversation, only \`isTyping\` counts.`,
    },
    true,
  ),
  asUser: flag(
    {
      says: 'True: the caller reports for the user of the conversation',
      note: 'For servers and pages that send the messages of the user. End users and callers without credentials are always the user.',
    },
    false,
  ),
});

export const SUGGEST_REPLY = input('SuggestReplyInput', 'The conversation to suggest a reply for.', { conversationId });
