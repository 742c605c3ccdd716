import { historyItemId } from '../../../contract/ids.ts';
import { EXCERPTED_LENGTH, type Excerpt, excerptsOf } from '../../../domain/conversations/excerpts/excerpt.ts';
import { EXCERPT_LENGTH, type ExcerptPart } from '../../../domain/conversations/excerpts/excerpt-text.ts';
import { loadInBatch } from '../../../domain/related/batches.ts';
import type { CostExtensions } from '../../../operation/document-cost.ts';
import { CONVERSATION_FILTER } from '../../../shapes/filters.ts';
import { builder } from '../builder.ts';
import { MessageRoleEnum } from '../enums.ts';
import { argument } from '../shape-fields.ts';
import { Conversation } from './conversations.ts';

const ExcerptPartObject = builder.objectRef<ExcerptPart>('ExcerptPart').implement({
  description: 'A piece of an excerpt. The pieces follow each other without anything between them.',
  fields: (t) => ({
    text: t.exposeString('text', { description: 'The text of the piece.' }),
    isMatch: t.exposeBoolean('isMatch', { description: 'Whether it is a word that the search looked for.' }),
  }),
});

const ConversationExcerpt = builder.objectRef<Excerpt>('ConversationExcerpt').implement({
  description: 'A short part of one message of a conversation, as one line of plain text.',
  fields: (t) => ({
    itemId: t.id({
      description: 'The `itemId` of the message.',
      resolve: ({ itemId }) => historyItemId(itemId),
    }),
    role: t.expose('role', { type: MessageRoleEnum, description: 'The author of the message.' }),
    parts: t.expose('parts', {
      type: [ExcerptPartObject],
      description: `The text: at most about ${EXCERPT_LENGTH} characters. Only the first ${EXCERPTED_LENGTH.toLocaleString('en')} characters of the message are looked at.`,
    }),
  }),
});

builder.prismaObjectField(Conversation, 'excerpt', (t) =>
  t.field({
    type: ConversationExcerpt,
    nullable: true,
    // A search costs more than a read, so callers without credentials cannot start one.
    access: { scope: 'conversations:read', bound: 'inside' },
    extensions: { cost: 10 } satisfies CostExtensions,
    description:
      'An excerpt of the newest message that has the words of `text`. If only the name has them, and without `text`, of the newest message. Null: that message has no text, or the caller lacks the scope. Scope: conversations:read.',
    args: { text: argument(t, CONVERSATION_FILTER.fields.text) },
    resolve: ({ id }, { text }, { domain }) =>
      loadInBatch(domain, `excerpts of conversations: ${text ?? ''}`, id, (ids) => excerptsOf(domain, ids, text)),
  }),
);
