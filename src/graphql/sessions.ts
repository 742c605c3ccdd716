import { RATE_LIMITS } from '../domain/access/rate-limits.ts';
import { changePassword, listSessions, revokeSession, type SignedIn, signIn } from '../domain/access/sessions.ts';
import type { SessionCaller } from '../domain/context.ts';
import { builder } from './builder.ts';
import { EnvironmentKindEnum, RoleEnum, ScopeEnum } from './enums.ts';

const User = builder.objectRef<SessionCaller['user']>('User').implement({
  description: 'A person.',
  fields: (t) => ({
    userId: t.expose('id', { type: 'UUID', description: 'Stays the same when the e-mail address changes.' }),
    email: t.exposeString('email', { description: 'What they sign in with, in lower case.' }),
    name: t.exposeString('name', { description: 'For people.' }),
  }),
});

const WorkspaceObject = builder.objectRef<SessionCaller>('Workspace').implement({
  description: 'What people, workflows and deployments belong to.',
  fields: (t) => ({
    workspaceId: t.field({
      type: 'UUID',
      description: 'Its id.',
      resolve: ({ environment }) => environment.workspaceId,
    }),
    name: t.exposeString('workspaceName', { description: 'For people.' }),
  }),
});

const Me = builder.objectRef<SessionCaller>('Me').implement({
  description: 'Who asks, and what they may do.',
  fields: (t) => ({
    user: t.field({ type: User, description: 'The person.', resolve: ({ user }) => user }),
    workspace: t.field({ type: WorkspaceObject, description: 'Where they signed in.', resolve: (me) => me }),
    role: t.expose('role', { type: RoleEnum, description: 'What they are in the workspace.' }),
    environment: t.field({
      type: EnvironmentKindEnum,
      description: 'Where this request acts: live, unless it says `x-environment: test`.',
      resolve: ({ environment }) => environment.kind,
    }),
    scopes: t.field({
      type: [ScopeEnum],
      description: 'What their role allows.',
      resolve: ({ scopes }) => [...scopes],
    }),
    expiresAt: t.expose('expiresAt', { type: 'DateTime', description: 'When the session ends.' }),
  }),
});

builder.queryField('me', (t) =>
  t.field({
    type: Me,
    nullable: true,
    authScopes: { session: true },
    description: 'The member who asks; an error session_required for an API key. Needs a session.',
    resolve: (_root, _args, context) => context.requireSession(),
  }),
);

const SignedInObject = builder.objectRef<SignedIn>('SignedIn').implement({
  description: 'A new session.',
  fields: (t) => ({
    token: t.exposeString('token', {
      description: 'Shown this once: sess_ and 43 characters, to be sent as a bearer.',
    }),
    expiresAt: t.expose('expiresAt', { type: 'DateTime', description: 'In 24 hours.' }),
    sessionId: t.expose('sessionId', { type: 'UUID', description: 'What the list of sessions names it by.' }),
  }),
});

const SignInInput = builder.inputType('SignInInput', {
  description: 'Who signs in.',
  fields: (t) => ({
    email: t.string({ required: true, description: 'In any case.' }),
    password: t.string({ required: true, description: 'As it was set.' }),
  }),
});

builder.mutationField('signIn', (t) =>
  t.field({
    type: SignedInObject,
    description:
      'Opens a session of 24 hours. No credentials are needed. 10 attempts a minute by account, and by address. An error unauthorized where the two do not belong together.',
    args: { input: t.arg({ type: SignInInput, required: true, description: 'The account.' }) },
    resolve: async (_root, { input }, { open, count, countByAddress }) => {
      await countByAddress(RATE_LIMITS.signInByAddress);
      await count(RATE_LIMITS.signInByAccount, input.email.trim().toLowerCase());
      return signIn(open, input);
    },
  }),
);

const SessionObject = builder.prismaObject('Session', {
  description: 'An open session of the member who asks.',
  fields: (t) => ({
    sessionId: t.expose('id', { type: 'UUID', description: 'For revokeSession.' }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'When they signed in.' }),
    expiresAt: t.expose('expiresAt', { type: 'DateTime', description: 'When it ends by itself.' }),
    lastUsedAt: t.expose('lastUsedAt', {
      type: 'DateTime',
      nullable: true,
      description: 'When it was last used, to the minute; null before its first use.',
    }),
    address: t.exposeString('address', { nullable: true, description: 'From where they signed in.' }),
    userAgent: t.exposeString('userAgent', { nullable: true, description: 'With what they signed in.' }),
    isCurrent: t.boolean({
      description: 'Whether this request came with it.',
      resolve: ({ id }, _args, { caller }) => id === caller?.id,
    }),
  }),
});

builder.queryField('sessions', (t) =>
  t.field({
    type: [SessionObject],
    authScopes: { session: true },
    description: "The member's own open sessions, newest first. Needs a session.",
    resolve: (_root, _args, context) => listSessions(context.domain, context.requireSession()),
  }),
);

builder.mutationField('revokeSession', (t) =>
  t.field({
    type: 'Boolean',
    authScopes: { session: true },
    description: "Ends one of the member's own sessions at once, on every process. True. Needs a session.",
    args: { sessionId: t.arg({ type: 'UUID', required: true, description: 'One that is open.' }) },
    resolve: async (_root, { sessionId }, context) => {
      await revokeSession(context.domain, context.requireSession(), sessionId);
      return true;
    },
  }),
);

builder.mutationField('signOut', (t) =>
  t.field({
    type: 'Boolean',
    authScopes: { session: true },
    description: 'Ends the session that this request came with. True. Needs a session.',
    resolve: async (_root, _args, context) => {
      const caller = context.requireSession();
      await revokeSession(context.domain, caller, caller.id);
      return true;
    },
  }),
);

const ChangePasswordInput = builder.inputType('ChangePasswordInput', {
  description: 'Another password for the member who asks.',
  fields: (t) => ({
    currentPassword: t.string({ required: true, description: 'The one that holds until now.' }),
    newPassword: t.string({ required: true, description: '12 to 256 characters.' }),
  }),
});

builder.mutationField('changePassword', (t) =>
  t.field({
    type: 'Boolean',
    authScopes: { session: true },
    description:
      "Sets the member's password, and ends all their other sessions. 10 attempts a minute by account. True. Needs a session.",
    args: { input: t.arg({ type: ChangePasswordInput, required: true, description: 'Both passwords.' }) },
    resolve: async (_root, { input }, context) => {
      const caller = context.requireSession();
      await context.count(RATE_LIMITS.signInByAccount, caller.user.email);
      await changePassword(context.domain, caller, input);
      return true;
    },
  }),
);
