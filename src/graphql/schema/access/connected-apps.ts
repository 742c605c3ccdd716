import type { Scope } from '../../../contract/scopes.ts';
import { disconnectApp, listConnectedApps, ownApps } from '../../../domain/access/apps/connected-apps.ts';
import type { NodeExtensions } from '../../../operation/node-scope.ts';
import { DISCONNECT_APP } from '../../../shapes/sign-in.ts';
import { builder } from '../builder.ts';
import { deletedId, mutation } from '../mutation.ts';
import { uuidKey } from '../node-keys.ts';
import type { NodeRowsExtensions } from '../node-rows.ts';
import { inputType } from '../shape-fields.ts';
import { EnvironmentKindEnum, ScopeEnum } from './access-enums.ts';

export const ConnectedApp = builder.prismaNode('ConnectedApp', {
  id: { field: 'id', description: 'The global ID, for `node`.' },
  extensions: {
    nodeSession: true,
    nodeRows: {
      model: 'connectedApp',
      keyOf: uuidKey,
      where: (context) => ownApps(context.domain, context.requireSession()),
    },
  } satisfies NodeExtensions & NodeRowsExtensions,
  nullable: true,
  findUnique: (id) => ({ id: uuidKey(id) }),
  description: 'An app that the signed-in member has allowed to act for them, for example an assistant.',
  fields: (t) => ({
    appId: t.expose('id', { type: 'UUID', description: 'The ID, for disconnectApp.' }),
    clientId: t.exposeString('clientId', {
      description: 'The client ID of the app: for most apps the URL of a document.',
    }),
    clientName: t.exposeString('clientName', { description: 'The name that the app gives itself.' }),
    clientHost: t.exposeString('clientHost', {
      nullable: true,
      description: 'The host of the document that describes the app. Null: nobody verified who the app is.',
    }),
    environment: t.field({
      type: EnvironmentKindEnum,
      select: { environment: true },
      description: 'The environment whose data the app gets.',
      resolve: ({ environment }) => environment,
    }),
    scopes: t.field({
      type: [ScopeEnum],
      select: { scopes: true },
      description: 'What the app may do, if the role of the member still has the scope.',
      resolve: ({ scopes }) => scopes as Scope[],
    }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'When the member allowed the app.' }),
    lastUsedAt: t.expose('lastUsedAt', {
      type: 'DateTime',
      nullable: true,
      description: 'Last use, with a precision of one minute. Null: it has not been used.',
    }),
    expiresAt: t.expose('expiresAt', { type: 'DateTime', description: 'When the member must allow the app again.' }),
  }),
});

builder.queryField('connectedApps', (t) =>
  t.field({
    publishing: 'never',
    type: [ConnectedApp],
    access: { session: true },
    description: 'The apps that the signed-in member has connected to the workspace, newest first. Needs a session.',
    resolve: (_root, _args, context) => listConnectedApps(context.domain, context.requireSession()),
  }),
);

mutation('disconnectApp', {
  publishing: 'never',
  access: { session: true },
  description: 'Ends the access of an app of the signed-in member immediately on every process. Needs a session.',
  input: inputType(DISCONNECT_APP),
  errors: ['not_found'],
  resolve: async ({ appId }, context) => {
    await disconnectApp(context.domain, context.requireSession(), appId);
    return { appId };
  },
  payload: (t) => ({ deletedId: deletedId(t, 'ConnectedApp', ({ appId }) => appId) }),
});
