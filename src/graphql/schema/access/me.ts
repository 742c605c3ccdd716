import { RATE_LIMITS } from '../../../domain/access/rate-limits.ts';
import { countRecoveryCodes, listFactors } from '../../../domain/access/second-factors/factors.ts';
import { changePassword } from '../../../domain/access/sessions.ts';
import {
  listMemberships,
  readEmailVerification,
  signInMethodsOf,
  type WorkspaceMembership,
} from '../../../domain/access/sign-in-methods.ts';
import { updateMe } from '../../../domain/access/workspaces/rename.ts';
import type { SessionCaller } from '../../../domain/caller.ts';
import { CHANGE_PASSWORD, UPDATE_ME } from '../../../shapes/accounts.ts';
import { builder } from '../builder.ts';
import { mutation } from '../mutation.ts';
import { inputType } from '../shape-fields.ts';
import { EnvironmentKindEnum, RoleEnum, ScopeEnum, SignInMethodEnum } from './access-enums.ts';
import { SignInFactor } from './sign-in-factor.ts';
import { User, WorkspaceObject, workspaceOf } from './workspaces.ts';

const Membership = builder.objectRef<WorkspaceMembership>('Membership').implement({
  description: 'The membership of a user in a workspace.',
  fields: (t) => ({
    workspaceId: t.expose('id', { type: 'UUID', description: 'The ID of the workspace, for signIn.' }),
    name: t.exposeString('name', { description: 'Display name.' }),
    role: t.expose('role', { type: RoleEnum, description: "The user's role in the workspace." }),
    signInMethods: t.expose('signInMethods', {
      type: [SignInMethodEnum],
      description: 'How the user can sign in to the workspace.',
    }),
  }),
});

const Me = builder.objectRef<SessionCaller>('Me').implement({
  description: 'The signed-in member and their permissions.',
  fields: (t) => ({
    user: t.field({ type: User, description: 'The signed-in person.', resolve: ({ user }) => user }),
    workspace: t.field({ type: WorkspaceObject, description: 'The workspace of the session.', resolve: workspaceOf }),
    role: t.expose('role', { type: RoleEnum, description: "The member's role in the workspace." }),
    environment: t.field({
      type: EnvironmentKindEnum,
      description: 'The environment of this request: LIVE, unless it has the header `x-environment: test`.',
      resolve: ({ environment }) => environment.kind,
    }),
    scopes: t.field({
      type: [ScopeEnum],
      description: 'The scopes of the role.',
      resolve: ({ scopes }) => [...scopes],
    }),
    expiresAt: t.expose('expiresAt', { type: 'DateTime', description: 'When the session expires.' }),
    emailVerifiedAt: t.field({
      type: 'DateTime',
      nullable: true,
      description:
        'When the user proved that the email address is theirs. Null: they have not, so they cannot join another workspace with a link that its inviter saw.',
      resolve: (me, _args, { domain }) => readEmailVerification(domain, me),
    }),
    signInMethods: t.field({
      type: [SignInMethodEnum],
      description: 'How the member can sign in to the workspace of the session.',
      resolve: ({ user }, _args, { domain }) => signInMethodsOf(domain, user.id),
    }),
    secondFactors: t.field({
      type: [SignInFactor],
      description: 'The second factors of the member, oldest first. They are for all workspaces.',
      resolve: ({ user }, _args, { open }) => listFactors(open, user.id),
    }),
    recoveryCodesLeft: t.int({
      description: 'The recovery codes that the member has not used.',
      resolve: ({ user }, _args, { open }) => countRecoveryCodes(open, user.id),
    }),
    belongsTo: t.field({
      type: [Membership],
      description: 'All workspaces of the user, in the order in which they joined.',
      resolve: (me, _args, { domain }) => listMemberships(domain, me),
    }),
  }),
});

builder.queryField('me', (t) =>
  t.field({
    publishing: 'never',
    type: Me,
    nullable: true,
    access: { session: true },
    description: 'The signed-in member. Needs a session: error session_required for an API key.',
    resolve: (_root, _args, context) => context.requireSession(),
  }),
);

mutation('changePassword', {
  publishing: 'never',
  access: { session: true },
  description: `Changes the member's password and ends all other sessions of the member. Limit: ${RATE_LIMITS.signInByAccount.points} attempts per minute per account. Needs a session.`,
  input: inputType(CHANGE_PASSWORD),
  errors: ['invalid_request'],
  resolve: async (input, context) => {
    const caller = context.requireSession();
    await context.count(RATE_LIMITS.signInByAccount, caller.user.email);
    await changePassword(context.domain, caller, input);
    return caller;
  },
  payload: (t) => ({ me: t.field({ type: Me, description: 'The signed-in member.', resolve: (me) => me }) }),
});

mutation('updateMe', {
  publishing: 'never',
  access: { session: true },
  description: "Changes the member's name, in all their workspaces. The audit log keeps both names. Needs a session.",
  input: inputType(UPDATE_ME),
  errors: ['invalid_request'],
  resolve: async (input, context) => {
    const caller = context.requireSession();
    const { name } = await updateMe(context.domain, caller, input);
    return { ...caller, user: { ...caller.user, name } };
  },
  payload: (t) => ({ me: t.field({ type: Me, description: 'The signed-in member.', resolve: (me) => me }) }),
});
