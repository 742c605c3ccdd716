import { LIMITS } from '../contract/limits.ts';
import { RATING_VALUES } from '../contract/statuses.ts';
import { input, required, said } from './field.ts';
import { conversationId } from './ids.ts';
import { choice, id, text } from './kinds.ts';
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
