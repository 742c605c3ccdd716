import { UUID_PATTERN } from '../contract/ids.ts';
import {
  findMembers,
  listMembers,
  type Member as MemberRow,
  removeMember,
  updateMember,
} from '../domain/access/members.ts';
import { builder } from './builder.ts';
import { RoleEnum } from './enums.ts';
import type { NodeExtensions } from './node-scope.ts';
import { User } from './sessions.ts';

const Member = builder.node(builder.objectRef<MemberRow>('Member'), {
  id: { resolve: ({ userId }) => userId, description: 'The global id, for `node`.' },
  extensions: { nodeAdministrator: true } satisfies NodeExtensions,
  description: 'Somebody who belongs to the workspace.',
  loadMany: async (ids, { domain }) => {
    const found = await findMembers(
      domain,
      ids.filter((id) => UUID_PATTERN.test(id)),
    );
    return ids.map((id) => found.find(({ userId }) => userId === id) ?? null);
  },
  fields: (t) => ({
    userId: t.expose('userId', { type: 'UUID', description: 'What every operation names them by.' }),
    user: t.expose('user', { type: User, description: 'Who they are.' }),
    role: t.expose('role', { type: RoleEnum, description: 'What they are in the workspace.' }),
    joinedAt: t.expose('createdAt', { type: 'DateTime', description: 'Since when.' }),
  }),
});

const USER_ARG = { type: 'UUID', required: true, description: 'The user id of a member.' } as const;

builder.queryField('members', (t) =>
  t.connection(
    {
      type: Member,
      authScopes: { administrator: true },
      description: 'Who belongs to the workspace, newest first. Needs a session of an owner or admin.',
      resolve: (_root, args, { domain }) => listMembers(domain, args),
    },
    { name: 'MemberConnection', description: 'A page of members.' },
    { name: 'MemberEdge' },
  ),
);

const UpdateMemberInput = builder.inputType('UpdateMemberInput', {
  description: 'What a member is from now on.',
  fields: (t) => ({
    role: t.field({ type: RoleEnum, required: true, description: 'None above that of whoever gives it.' }),
  }),
});

builder.mutationField('updateMember', (t) =>
  t.field({
    type: Member,
    authScopes: { administrator: true },
    description:
      'Gives a member another role. It holds at once, on every process; what their sessions have open ends. Only an owner makes or changes owners, and the last owner stays one. Needs a session of an owner or admin.',
    args: {
      userId: t.arg(USER_ARG),
      input: t.arg({ type: UpdateMemberInput, required: true, description: 'The role.' }),
    },
    resolve: (_root, { userId, input }, { domain }) => updateMember(domain, userId, input.role),
  }),
);

builder.mutationField('removeMember', (t) =>
  t.field({
    type: Member,
    authScopes: { administrator: true },
    description:
      'Takes a member out of the workspace: their sessions and invitations end at once, on every process. API keys stay. Only an owner removes owners, and the last owner cannot be removed. Needs a session of an owner or admin.',
    args: { userId: t.arg(USER_ARG) },
    resolve: (_root, { userId }, { domain }) => removeMember(domain, userId),
  }),
);
