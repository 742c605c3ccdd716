import { UUID_PATTERN } from '../../../contract/ids.ts';
import {
  findMembers,
  listMembers,
  type Member as MemberRow,
  removeMember,
  updateMember,
} from '../../../domain/access/members/members.ts';
import { hasSecondFactor } from '../../../domain/access/second-factors/factors.ts';
import { signInMethodsOf } from '../../../domain/access/sign-in-methods.ts';
import type { NodeExtensions } from '../../../operation/node-scope.ts';
import { builder } from '../builder.ts';
import { deletedId, mutation } from '../mutation.ts';
import { RoleEnum, SignInMethodEnum } from './access-enums.ts';
import { User } from './workspaces.ts';

export const Member = builder.node(builder.objectRef<MemberRow>('Member'), {
  id: { resolve: ({ userId }) => userId, description: 'The global ID, for `node`.' },
  extensions: { nodeAdministrator: true } satisfies NodeExtensions,
  description: 'A member of the workspace.',
  loadMany: async (ids, { domain }) => {
    const members = await findMembers(
      domain,
      ids.filter((id) => UUID_PATTERN.test(id)),
    );
    return ids.map((id) => members.find(({ userId }) => userId === id) ?? null);
  },
  fields: (t) => ({
    userId: t.expose('userId', { type: 'UUID', description: 'The ID of the user. Operations on members use it.' }),
    user: t.expose('user', { type: User, description: 'The person.' }),
    role: t.expose('role', { type: RoleEnum, description: 'The role in the workspace.' }),
    ssoLinkedAt: t.field({
      type: 'DateTime',
      nullable: true,
      description: 'When the member first used single sign-on with the latest provider. Null: they never did.',
      resolve: ({ identities }) => identities[0]?.createdAt ?? null,
    }),
    signInMethods: t.field({
      type: [SignInMethodEnum],
      description:
        'How the member can sign in to the workspace. Empty: they need a link for a new password first, or are removed.',
      resolve: ({ userId }, _args, { domain }) => signInMethodsOf(domain, userId),
    }),
    hasSecondFactor: t.boolean({
      description: 'Whether the member has a second factor for sign-ins with a password.',
      resolve: ({ userId }, _args, { domain }) => hasSecondFactor(domain, userId),
    }),
    joinedAt: t.expose('createdAt', { type: 'DateTime', description: 'When the user joined the workspace.' }),
  }),
});

export const USER_ID = {
  type: 'UUID',
  idOf: ['Member', 'User'],
  required: true,
  description: 'The user ID of a member.',
} as const;

builder.queryField('members', (t) =>
  t.connection(
    {
      publishing: 'never',
      type: Member,
      access: { administrator: true },
      description: 'Members of the workspace, newest first. Needs a session of an owner or admin.',
      resolve: (_root, args, { domain }) => listMembers(domain, args),
    },
    { name: 'MemberConnection', description: 'A page of members.' },
    { name: 'MemberEdge' },
  ),
);

const UpdateMemberInput = builder.inputType('UpdateMemberInput', {
  description: 'Changes to a member.',
  fields: (t) => ({
    userId: t.field(USER_ID),
    role: t.field({
      type: RoleEnum,
      required: true,
      description: "The new role. It must not be higher than the caller's role.",
    }),
  }),
});

const RemoveMemberInput = builder.inputType('RemoveMemberInput', {
  description: 'The member to remove.',
  fields: (t) => ({ userId: t.field(USER_ID) }),
});

mutation('updateMember', {
  publishing: 'never',
  access: { administrator: true },
  description:
    "Changes the role of a member. Takes effect immediately on every process, and ends the member's open streams. Only owners can make or change owners. The last owner cannot be changed. Needs a session of an owner or admin.",
  input: UpdateMemberInput,
  errors: ['invalid_request', 'not_found'],
  resolve: ({ userId, role }, { domain }) => updateMember(domain, userId, role),
  payload: (t) => ({
    member: t.field({ type: Member, description: 'The changed member.', resolve: (member) => member }),
  }),
});

mutation('removeMember', {
  publishing: 'never',
  access: { administrator: true },
  description:
    "Removes a member from the workspace. Ends the member's sessions and invitations immediately on every process. API keys stay valid. Only owners can remove owners. The last owner cannot be removed. Needs a session of an owner or admin.",
  input: RemoveMemberInput,
  errors: ['invalid_request', 'not_found'],
  resolve: ({ userId }, { domain }) => removeMember(domain, userId),
  payload: (t) => ({
    deletedId: deletedId(t, 'Member', ({ userId }) => userId),
    member: t.field({ type: Member, description: 'Their last state.', resolve: (member) => member }),
  }),
});
