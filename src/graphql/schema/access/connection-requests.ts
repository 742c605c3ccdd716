import { LIMITS } from '../../../contract/limits.ts';
import { type Role, SCOPES_OF_ROLE } from '../../../contract/roles.ts';
import type { Scope } from '../../../contract/scopes.ts';
import {
  allowApp,
  denyApp,
  readAllowance,
  readConnectionRequest,
} from '../../../domain/access/apps/connection-requests.ts';
import { type ConnectionRequest, requestUnknown } from '../../../domain/access/apps/decisions.ts';
import type { OperationContext } from '../../../operation/context.ts';
import { ALLOW_APP, DENY_APP } from '../../../shapes/sign-in.ts';
import { builder } from '../builder.ts';
import { mutation, type PayloadBuilder } from '../mutation.ts';
import { inputType } from '../shape-fields.ts';
import { ScopeEnum } from './access-enums.ts';
import { ConnectedApp } from './connected-apps.ts';

const RequestedScope = builder
  .objectRef<{ readonly scope: Scope; readonly canAllow: boolean }>('RequestedScope')
  .implement({
    description: 'A scope that an app asks for.',
    fields: (t) => ({
      scope: t.expose('scope', { type: ScopeEnum, description: 'What the app wants to do.' }),
      canAllow: t.exposeBoolean('canAllow', { description: 'Whether the role of the member has the scope.' }),
    }),
  });

/** The request with the role of the member who reads it. */
interface ReadRequest extends ConnectionRequest {
  readonly role: Role;
}

const ConnectionRequestObject = builder.objectRef<ReadRequest>('ConnectionRequest').implement({
  description: 'An app that asks the signed-in member for access, for example an assistant.',
  fields: (t) => ({
    request: t.exposeString('id', { description: 'The ID, for allowApp and denyApp.' }),
    clientId: t.exposeString('clientId', {
      description: 'The client ID of the app: for most apps the URL of a document.',
    }),
    clientName: t.exposeString('clientName', { description: 'The name that the app gives itself. It proves nothing.' }),
    clientHost: t.exposeString('clientHost', {
      nullable: true,
      description: 'The host of the document that describes the app. Null: nobody verified who the app is.',
    }),
    redirectHost: t.string({
      description:
        'The host, or the scheme of another program, that receives the access. A loopback address is a program on this computer.',
      resolve: ({ redirectUrl }) => hostOf(redirectUrl),
    }),
    isLoopback: t.boolean({
      description:
        'Whether a program on the computer of the member receives the access. Then nobody verified which one.',
      resolve: ({ redirectUrl }) => !/^https:/.test(redirectUrl),
    }),
    scopes: t.field({
      type: [RequestedScope],
      description: 'The scopes that the app asks for.',
      resolve: ({ scopes, role }) => scopes.map((scope) => ({ scope, canAllow: SCOPES_OF_ROLE[role].includes(scope) })),
    }),
    expiresAt: t.expose('expiresAt', { type: 'DateTime', description: 'Until when the member can decide.' }),
  }),
});

function hostOf(url: string): string {
  const { host, protocol } = new URL(url);
  return /^https?:$/.test(protocol) ? host : protocol;
}

builder.queryField('connectionRequest', (t) =>
  t.field({
    publishing: 'never',
    type: ConnectionRequestObject,
    nullable: true,
    access: { session: true },
    description: `The request of an app. Null if another browser started it, if a member decided it, or after ${LIMITS.appRequestMinutes} minutes. Needs a session.`,
    args: {
      request: t.arg.string({ required: true, description: 'The ID of the request, from the address of the page.' }),
    },
    resolve: async (_root, { request: requestId }, context) => {
      const { role } = context.requireSession();
      if (!context.hasConnectionRequest(requestId)) return null;
      const request = await readConnectionRequest(context.open, requestId);
      return request ? { ...request, role } : null;
    },
  }),
);

mutation('allowApp', {
  publishing: 'never',
  access: { session: true },
  description: `Connects an app that asks for access, in the browser where it asked. Limit: ${LIMITS.connectedApps} apps of a member per workspace. Needs a session.`,
  input: inputType(ALLOW_APP),
  errors: ['invalid_request', 'not_found'],
  resolve: async ({ request: requestId, ...input }, context) => {
    const allowance = readAllowance(input);
    requireOwnRequest(context, requestId);
    const app = await allowApp(context.domain, context.requireSession(), requestId, allowance);
    return { app, redirectUrl: continuation(context, requestId) };
  },
  payload: (t) => ({
    app: t.field({ type: ConnectedApp, description: 'The connected app.', resolve: ({ app }) => app }),
    redirectUrl: redirectUrl(t),
  }),
});

mutation('denyApp', {
  publishing: 'never',
  access: { session: true },
  description: 'Refuses access to an app that asks for it, in the browser where it asked. Needs a session.',
  input: inputType(DENY_APP),
  errors: ['not_found'],
  resolve: async ({ request: requestId }, context) => {
    requireOwnRequest(context, requestId);
    await denyApp(context.domain, requestId);
    return { redirectUrl: continuation(context, requestId) };
  },
  payload: (t) => ({ redirectUrl: redirectUrl(t) }),
});

function redirectUrl<Payload extends { readonly redirectUrl: string }>(t: PayloadBuilder<Payload>) {
  return t.string({
    description: 'Where the page continues in the same browser. The app gets the decision there.',
    resolve: (payload) => (payload as Payload).redirectUrl,
  });
}

/** @throws {ServiceError} not_found */
function requireOwnRequest(context: OperationContext, requestId: string): void {
  if (!context.hasConnectionRequest(requestId)) throw requestUnknown();
}

function continuation({ services }: OperationContext, requestId: string): string {
  return `${services.settings.publicUrl}/oauth/authorize/${encodeURIComponent(requestId)}`;
}
