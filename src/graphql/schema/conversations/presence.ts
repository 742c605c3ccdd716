import { LIMITS } from '../../../contract/limits.ts';
import { followPresence, type PresenceChange } from '../../../domain/agent/presence/follow-presence.ts';
import type { PresentPerson } from '../../../domain/agent/presence/present-people.ts';
import { setPresence } from '../../../domain/agent/presence/set-presence.ts';
import { runnerAccess } from '../../../operation/access.ts';
import type { SubscriptionExtensions } from '../../../operation/feed-end.ts';
import { SET_PRESENCE } from '../../../shapes/conversations.ts';
import { builder } from '../builder.ts';
import { PresenceKindEnum } from '../handling-enums.ts';
import { mutation } from '../mutation.ts';
import { inputType } from '../shape-fields.ts';

const PresentPersonObject = builder.objectRef<PresentPerson>('PresentPerson').implement({
  description: 'Somebody who is in a conversation now.',
  fields: (t) => ({
    displayName: t.exposeString('displayName', {
      nullable: true,
      description:
        'The name of the person. Of the person who has the conversation: the name that the user reads. Null: the user.',
    }),
    kind: t.expose('kind', {
      type: PresenceKindEnum,
      description: 'Whether a member, an API key or the user is there.',
    }),
    isMe: t.exposeBoolean('isMe', { description: 'Whether the caller is that person.' }),
    isTyping: t.exposeBoolean('isTyping', { description: 'Whether the person types now.' }),
  }),
});

const WHO =
  'People with the scope conversations:handle see each other, and the user while the user types. The user sees only the person who has the conversation, and only while this person types.';

mutation('setPresence', {
  publishing: 'never',
  access: runnerAccess('conversations:read'),
  description: `Reports that the caller has a conversation open, or types in it. ${WHO} Nothing is stored of a user whom the assistant answers. Scope: conversations:read, with conversations:handle for people of the team, or conversations:write for the user.`,
  input: inputType(SET_PRESENCE),
  errors: ['not_found'],
  resolve: async ({ conversationId, ...input }, { domain }) => ({
    people: await setPresence(domain, { conversationId, ...input }),
  }),
  payload: (t) => ({
    people: t.expose('people', {
      type: [PresentPersonObject],
      description: `Those whom the caller sees in the conversation now: at most ${LIMITS.presentPeople} people, and the user.`,
    }),
  }),
});

const PresenceChangeObject = builder.objectRef<PresenceChange>('PresenceChange').implement({
  description: 'Those who are in a conversation now.',
  fields: (t) => ({
    people: t.expose('people', {
      type: [PresentPersonObject],
      description: 'All whom the caller sees now. Those of the previous event who are not in it have left.',
    }),
  }),
});

builder.subscriptionField('presenceChanged', (t) =>
  t.field({
    type: PresenceChangeObject,
    access: runnerAccess('conversations:read'),
    extensions: { feed: true, resumable: false } satisfies SubscriptionExtensions,
    description: `Follows who is in a conversation: first those who are there now, then each change. ${WHO} If the conversation is deleted, the stream ends with error not_found. Scope: conversations:read, with conversations:handle for people of the team.`,
    args: {
      conversationId: t.arg({
        type: 'UUID',
        idOf: 'Conversation',
        required: true,
        description: 'The ID of the conversation.',
      }),
      asUser: t.arg.boolean({
        description: 'True: the caller sees what the user of the conversation sees. Default: false.',
      }),
    },
    subscribe: (_root, args, { domain }) => followPresence(domain, args),
    resolve: (change) => change,
  }),
);
