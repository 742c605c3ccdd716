import { z } from 'zod';
import { SCOPES } from '../../contract/scopes.ts';
import type { AuthorizationPort } from '../../domain/access/apps/authorization-port.ts';

/** The part of the library's record of a request that the service reads. */
const interaction = z.object({
  params: z.object({
    client_id: z.string(),
    redirect_uri: z.string(),
    scope: z.string(),
    resource: z.union([z.string(), z.array(z.string())]),
  }),
  // The adapter adds it.
  app: z.object({ name: z.string(), host: z.string().nullable() }),
});

/** The record of the library as the domain reads and writes it. */
export const authorizationFormat: AuthorizationPort = {
  requestOf(payload) {
    const { params, app } = interaction.parse(payload);
    const asked = new Set(params.scope.split(' '));
    return {
      resources: [params.resource].flat(),
      clientId: params.client_id,
      clientName: app.name,
      clientHost: app.host,
      redirectUrl: params.redirect_uri,
      scopes: SCOPES.filter((scope) => asked.has(scope)),
    };
  },

  grantOf({ appId, clientId, scopes, expiresAt }, request) {
    const { resource } = interaction.parse(request).params;
    const scope = scopes.join(' ');
    return {
      kind: 'Grant',
      accountId: appId,
      clientId,
      resources: Object.fromEntries([resource].flat().map((each) => [each, scope])),
      iat: Math.floor(Date.now() / 1_000),
      exp: Math.floor(expiresAt.getTime() / 1_000),
    };
  },

  decisionOf(appId) {
    if (appId === undefined) {
      return { result: { error: 'access_denied', error_description: 'The person did not allow the app.' } };
    }
    return { result: { login: { accountId: appId, remember: false }, consent: { grantId: appId } } };
  },
};
