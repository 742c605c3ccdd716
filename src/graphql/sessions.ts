import { RATE_LIMITS } from '../domain/access/rate-limits.ts';
import {
  type Belonging as BelongingRow,
  changePassword,
  listBelongings,
  listSessions,
  revokeSession,
  type SignedIn,
  signIn,
} from '../domain/access/sessions.ts';
import type { SessionCaller } from '../domain/context.ts';
import { builder } from './builder.ts';
import type { GraphContext } from './context.ts';
import { EnvironmentKindEnum, RoleEnum, ScopeEnum } from './enums.ts';

export const User = builder.objectRef<SessionCaller['user']>('User').implement({
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

const Belonging = builder.objectRef<BelongingRow>('Belonging').implement({
  description: 'A workspace that somebody is a member of.',
  fields: (t) => ({
    workspaceId: t.expose('id', { type: 'UUID', description: 'For signIn.' }),
    name: t.exposeString('name', { description: 'For people.' }),
    role: t.expose('role', { type: RoleEnum, description: 'What they are in it.' }),
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
    belongsTo: t.field({
      type: [Belonging],
      description: 'All workspaces that they are a member of, the first one first.',
      resolve: (me, _args, { domain }) => listBelongings(domain, me),
    }),
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

/** A session as it is told: without its token, where that is the browser's cookie. */
interface ToldSession extends Omit<SignedIn, 'token'> {
  readonly token: string | null;
}

export const SignedInObject = builder.objectRef<ToldSession>('SignedIn').implement({
  description: 'A new session.',
  fields: (t) => ({
    token: t.exposeString('token', {
      nullable: true,
      description:
        'Shown this once: sess_ and 43 characters, to be sent as a bearer. Null where a cookie was asked for: scripts do not see it.',
    }),
    expiresAt: t.expose('expiresAt', { type: 'DateTime', description: 'In 24 hours.' }),
    sessionId: t.expose('sessionId', { type: 'UUID', description: 'What the list of sessions names it by.' }),
  }),
});

/** How a page asks for its session. */
export const COOKIE_FIELD = {
  description:
    "For this service's own pages: the session becomes a cookie that no script can read, in place of the token. By default not.",
} as const;

/** Tells of a new session, in the way that was asked for. */
export function signedIn(
  { keepSession }: GraphContext,
  { cookie }: { readonly cookie?: boolean | null | undefined },
  session: SignedIn,
): ToldSession {
  if (!cookie) return session;
  keepSession(session);
  return { ...session, token: null };
}

const SignInInput = builder.inputType('SignInInput', {
  description: 'Who signs in.',
  fields: (t) => ({
    email: t.string({ required: true, description: 'In any case.' }),
    password: t.string({ required: true, description: 'As it was set.' }),
    workspaceId: t.field({
      type: 'UUID',
      description: 'Where; by default the workspace that they have been a member of for longest.',
    }),
    cookie: t.boolean(COOKIE_FIELD),
  }),
});

builder.mutationField('signIn', (t) =>
  t.field({
    type: SignedInObject,
    description:
      'Opens a session of 24 hours. No credentials are needed. 10 attempts a minute by account, and by address. An error unauthorized where the two do not belong together.',
    args: { input: t.arg({ type: SignInInput, required: true, description: 'The account.' }) },
    resolve: async (_root, { input }, context) => {
      await context.countByAddress(RATE_LIMITS.signInByAddress);
      await context.count(RATE_LIMITS.signInByAccount, input.email.trim().toLowerCase());
      return signedIn(context, input, await signIn(context.open, input));
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
    description:
      'Ends the session that this request came with, and takes back its cookie, where it came with one. True. Needs a session.',
    resolve: async (_root, _args, context) => {
      const caller = context.requireSession();
      await revokeSession(context.domain, caller, caller.id);
      context.forgetSession();
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
