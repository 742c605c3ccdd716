import type { Conversation as ConversationRow } from '../../../db/generated/client.ts';
import { type Author, type HandlingFacts, personIdOf } from '../../../domain/handling/handling-state.ts';
import { builder } from '../builder.ts';
import {
  AuthorKindEnum,
  HandlingCauseEnum,
  HandlingExpiryEnum,
  HandlingModeEnum,
  UrgencyEnum,
} from '../handling-enums.ts';
import { Conversation } from './conversations.ts';

/** Who handles a conversation, as its row has it. */
type Handled = Pick<ConversationRow, 'handling' | 'handlingSince' | 'handlingUntil' | 'handlingFacts' | 'holderId'>;

/** What only people who can handle conversations read. */
export const FOR_TEAM = { nullable: true, access: { scope: 'conversations:handle' } } as const;
export const TEAM_ONLY = 'or the caller lacks the scope. Scope: conversations:handle.';

export const MessageAuthor = builder.objectRef<Author>('MessageAuthor').implement({
  description: 'A person who answers for the assistant. Users of the conversation read only the name and the kind.',
  fields: (t) => ({
    displayName: t.exposeString('displayName', { description: 'The name that the user reads.' }),
    kind: t.expose('kind', { type: AuthorKindEnum, description: 'Whether a member or an API key answers.' }),
    memberId: t.field({
      ...FOR_TEAM,
      type: 'UUID',
      description: `The user ID of the member, whose own name can be another one. Null: an API key answers, ${TEAM_ONLY}`,
      resolve: ({ kind, id }) => (kind === 'member' ? id : null),
    }),
    apiKeyId: t.string({
      ...FOR_TEAM,
      description: `The ID of the API key. Null: a member answers, ${TEAM_ONLY}`,
      resolve: ({ kind, id }) => (kind === 'api_key' ? id : null),
    }),
  }),
});

const factsOf = ({ handlingFacts }: Handled) => handlingFacts as unknown as HandlingFacts | null;

const Handling = builder.objectRef<Handled>('ConversationHandling').implement({
  description: 'Who answers the user of a conversation.',
  fields: (t) => ({
    mode: t.expose('handling', {
      type: HandlingModeEnum,
      description: 'Whether the assistant answers, nobody yet, or a person.',
    }),
    member: t.field({
      type: MessageAuthor,
      nullable: true,
      description: 'The person who answers. Null: no person has the conversation.',
      resolve: (handled) => (handled.handling === 'member' ? (factsOf(handled)?.holder ?? null) : null),
    }),
    isMine: t.boolean({
      description: 'Whether the caller is that person.',
      resolve: ({ holderId }, _args, { caller }) =>
        holderId !== null && caller !== undefined && holderId === personIdOf(caller),
    }),
    since: t.expose('handlingSince', {
      type: 'DateTime',
      nullable: true,
      description: 'Since when. Null: the assistant has always answered.',
    }),
    until: t.field({
      ...FOR_TEAM,
      type: 'DateTime',
      description: `When the wait ends, or when the person loses the conversation. Null: never, ${TEAM_ONLY}`,
      resolve: ({ handlingUntil }) => handlingUntil,
    }),
    onExpiry: t.field({
      ...FOR_TEAM,
      type: HandlingExpiryEnum,
      description: `What happens if nobody comes in time. Null: the assistant answers, ${TEAM_ONLY}`,
      resolve: (handled) => factsOf(handled)?.onExpiry ?? null,
    }),
    cause: t.field({
      ...FOR_TEAM,
      type: HandlingCauseEnum,
      description: `Why a person is needed. Null: the assistant answers, ${TEAM_ONLY}`,
      resolve: (handled) => factsOf(handled)?.cause ?? null,
    }),
    reason: t.string({
      ...FOR_TEAM,
      description: `The same in words of the assistant. Null: it gave no reason, ${TEAM_ONLY}`,
      resolve: (handled) => factsOf(handled)?.reason ?? null,
    }),
    urgency: t.field({
      ...FOR_TEAM,
      type: UrgencyEnum,
      description: `How soon a person is needed. Null: the assistant answers, ${TEAM_ONLY}`,
      resolve: (handled) => factsOf(handled)?.urgency ?? null,
    }),
  }),
});

builder.prismaObjectField(Conversation, 'handling', (t) =>
  t.field({
    type: Handling,
    description: 'Who answers its user: the assistant, nobody yet, or a person.',
    select: { handling: true, handlingSince: true, handlingUntil: true, handlingFacts: true, holderId: true },
    resolve: (row) => row,
  }),
);
