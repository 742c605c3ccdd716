import type { TimelineItem } from '../../../db/generated/client.ts';
import type { Author, HandlingChange } from '../../../domain/handling/handling-state.ts';
import { builder } from '../builder.ts';
import { HandlingCauseEnum, HandlingModeEnum, UrgencyEnum } from '../handling-enums.ts';
import { FOR_TEAM, MessageAuthor, TEAM_ONLY } from './handling.ts';
import { HistoryItem, itemNode, Message } from './timeline.ts';

builder.objectField(Message, 'author', (t) =>
  t.field({
    type: MessageAuthor,
    nullable: true,
    description: 'The person who wrote it for the assistant. Null: the user or the assistant wrote it.',
    resolve: ({ author }) => author as unknown as Author | null,
  }),
);

/** A database constraint guarantees that the item has its change. */
function changeOf({ handling }: TimelineItem): HandlingChange {
  return handling as unknown as HandlingChange;
}

builder.node(builder.objectRef<TimelineItem>('HandlingChange'), {
  ...itemNode('handling'),
  description: 'A change of who answers the user of a conversation.',
  interfaces: [HistoryItem],
  fields: (t) => ({
    mode: t.field({
      type: HandlingModeEnum,
      description: 'Who answers from then on.',
      resolve: (item) => changeOf(item).mode,
    }),
    member: t.field({
      type: MessageAuthor,
      nullable: true,
      description: 'The person who took the conversation over, left it or handed it back. Null: no person did.',
      resolve: (item) => changeOf(item).author ?? null,
    }),
    cause: t.field({
      ...FOR_TEAM,
      type: HandlingCauseEnum,
      description: 'Why it changed. Null: the caller lacks the scope. Scope: conversations:handle.',
      resolve: (item) => changeOf(item).cause,
    }),
    urgency: t.field({
      ...FOR_TEAM,
      type: UrgencyEnum,
      description: `How soon a person is needed. Null: the conversation does not wait, ${TEAM_ONLY}`,
      resolve: (item) => changeOf(item).urgency ?? null,
    }),
    reason: t.string({
      ...FOR_TEAM,
      description: `Why a person is needed, in words of the assistant. Null: it gave no reason, ${TEAM_ONLY}`,
      resolve: (item) => changeOf(item).reason ?? null,
    }),
    // `summary` would conflict with the field of other items.
    handBackSummary: t.string({
      ...FOR_TEAM,
      description: `What the person did, for the assistant. Null: nothing was said, ${TEAM_ONLY}`,
      resolve: (item) => changeOf(item).summary ?? null,
    }),
    instructions: t.string({
      ...FOR_TEAM,
      description: `What the assistant must do, from the person. Null: nothing was said, ${TEAM_ONLY}`,
      resolve: (item) => changeOf(item).instructions ?? null,
    }),
  }),
});
