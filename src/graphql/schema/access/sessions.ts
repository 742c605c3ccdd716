import { ServiceError } from '../../../contract/errors.ts';
import { listSessions, ownSessions, revokeSession, signOut } from '../../../domain/access/sessions.ts';
import type { NodeExtensions } from '../../../operation/node-scope.ts';
import { builder } from '../builder.ts';
import { deletedId, mutation } from '../mutation.ts';
import { uuidKey } from '../node-keys.ts';
import type { NodeRowsExtensions } from '../node-rows.ts';

export const SessionObject = builder.prismaNode('Session', {
  id: { field: 'id', description: 'The global ID, for `node`.' },
  extensions: {
    nodeSession: true,
    nodeRows: {
      model: 'session',
      keyOf: uuidKey,
      where: (context) => ownSessions(context.domain, context.requireSession()),
    },
  } satisfies NodeExtensions & NodeRowsExtensions,
  nullable: true,
  findUnique: (id) => ({ id: uuidKey(id) }),
  description: 'An open session of the signed-in member.',
  fields: (t) => ({
    sessionId: t.expose('id', { type: 'UUID', description: 'The ID, for revokeSession.' }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'When the member signed in.' }),
    expiresAt: t.expose('expiresAt', { type: 'DateTime', description: 'When it expires.' }),
    lastUsedAt: t.expose('lastUsedAt', {
      type: 'DateTime',
      nullable: true,
      description: 'Last use, with a precision of one minute. Null: it has not been used.',
    }),
    address: t.exposeString('address', { nullable: true, description: 'The IP address of the sign-in.' }),
    userAgent: t.exposeString('userAgent', { nullable: true, description: 'The User-Agent header of the sign-in.' }),
    singleSignOn: t.exposeBoolean('singleSignOn', {
      description: 'Whether the member signed in with the identity provider of the workspace, not with a password.',
    }),
    secondFactor: t.exposeBoolean('secondFactor', {
      description: 'Whether the member proved a second factor, not only the password.',
    }),
    isCurrent: t.boolean({
      description: 'Whether this request uses it.',
      resolve: ({ id }, _args, { caller }) => id === caller?.id,
    }),
  }),
});

builder.queryField('sessions', (t) =>
  t.field({
    publishing: 'never',
    type: [SessionObject],
    access: { session: true },
    description: 'Open sessions of the signed-in member, newest first. Needs a session.',
    resolve: (_root, _args, context) => listSessions(context.domain, context.requireSession()),
  }),
);

const RevokeSessionInput = builder.inputType('RevokeSessionInput', {
  description: 'The session to revoke.',
  fields: (t) => ({
    sessionId: t.field({ type: 'UUID', idOf: 'Session', required: true, description: 'The ID of an open session.' }),
  }),
});

mutation('revokeSession', {
  publishing: 'never',
  access: { session: true },
  description: 'Revokes a session of the signed-in member immediately on every process. Needs a session.',
  input: RevokeSessionInput,
  errors: ['not_found'],
  resolve: async ({ sessionId }, context) => {
    await revokeSession(context.domain, context.requireSession(), sessionId);
    return { sessionId };
  },
  payload: (t) => ({ deletedId: deletedId(t, 'Session', ({ sessionId }) => sessionId) }),
});

mutation('signOut', {
  publishing: 'never',
  access: { session: true },
  description:
    'Ends the session of this request and clears its cookie. Error unauthorized if it has ended in the meantime. Needs a session.',
  errors: ['unauthorized'],
  resolve: async (_input, context) => {
    const caller = context.requireSession();
    const isEnded = await signOut(context.domain, caller);
    context.forgetSession();
    if (!isEnded) throw new ServiceError('unauthorized', 'The session has already ended.');
    return { sessionId: caller.id };
  },
  payload: (t) => ({ deletedId: deletedId(t, 'Session', ({ sessionId }) => sessionId) }),
});
