import { generateKeyPairSync } from 'node:crypto';
import type { Request } from 'express';
import { errors, interactionPolicy, type KoaContextWithOIDC, Provider } from 'oidc-provider';
import { LIMITS } from '../../contract/limits.ts';
import { SCOPES } from '../../contract/scopes.ts';
import { type AdapterParts, RecordAdapter } from './adapter.ts';
import type { ProviderParts } from './parts.ts';

/** The methods with which apps identify themselves. Both need no secret that the service would have to store. */
const CLIENT_METHODS = ['none', 'private_key_jwt'] as const;

/** The library of the authorization server with the rules of this service. It is loaded with the first request. */
export function createProvider(parts: ProviderParts): (request: never, response: never) => Promise<void> {
  // Node 20 has no `URL.parse`, which the library calls.
  URL.parse ??= (url, base) => (URL.canParse(url, base) ? new URL(url, base) : null);
  const { publicUrl, cookie } = parts;
  const { records, tokens } = parts.rules;
  const adapterParts: AdapterParts = {
    records,
    publicUrl,
    currentApp: () => parts.appOf(Provider.ctx?.oidc.client),
    invalidGrant: (reason) => new errors.InvalidGrant(reason),
  };
  const provider = new Provider(publicUrl, {
    adapter: (name) => new RecordAdapter(name, adapterParts),
    clientAuthMethods: [...CLIENT_METHODS],
    // Of a native app only the port of a loopback address may vary.
    clientDefaults: {
      application_type: 'native',
      grant_types: ['authorization_code', 'refresh_token'],
      id_token_signed_response_alg: 'ES256',
      response_types: ['code'],
      token_endpoint_auth_method: 'none',
    },
    // Every origin can redeem a code: the code, and the secret of PKCE, are the credentials. No cookie is.
    clientBasedCORS: () => true,
    claims: {},
    cookies: {
      keys: [cookie.key],
      names: { interaction: cookie.name, resume: 'parley_connection_resume', session: 'parley_connection_session' },
      // The path covers /graphql, which checks that the browser of the member started the request.
      short: { path: '/', sameSite: 'lax', httpOnly: true, secure: cookie.isSecure },
      long: { path: '/oauth', sameSite: 'lax', httpOnly: true, secure: cookie.isSecure },
    },
    enableHttpPostMethods: false,
    expiresWithSession: () => false,
    extraTokenClaims: () => undefined,
    features: {
      clientIdMetadataDocument: {
        enabled: true,
        ack: 'draft-02',
        allowFetch: (ctx: KoaContextWithOIDC, clientId: string) => parts.mayReadDocument(ctx.req as Request, clientId),
      },
      devInteractions: { enabled: false },
      resourceIndicators: {
        enabled: true,
        defaultResource: (_ctx, _client, oneOf) => [oneOf ?? `${publicUrl}/mcp`].flat()[0] ?? `${publicUrl}/mcp`,
        getResourceServerInfo: (_ctx, resource) => {
          if (!parts.resources.includes(resource)) throw new errors.InvalidTarget();
          return { scope: SCOPES.join(' '), audience: publicUrl, accessTokenFormat: 'opaque' };
        },
        useGrantedResource: () => true,
      },
      revocation: { enabled: true },
      rpInitiatedLogout: { enabled: false },
      userinfo: { enabled: false },
    },
    fetch: (url) => parts.fetch(String(url)),
    findAccount: async (_ctx, appId) =>
      (await records.isConnected(appId)) ? { accountId: appId, claims: () => ({ sub: appId }) } : undefined,
    interactions: {
      policy: alwaysAsk(),
      url: (_ctx, { uid }) => `${publicUrl}/dashboard/connect/${uid}`,
    },
    issueRefreshToken: (_ctx, client) => client.grantTypeAllowed('refresh_token'),
    jwks: { keys: [unusedKey()] },
    loadExistingGrant: (ctx) => {
      const grantId = ctx.oidc.result?.consent?.grantId;
      return grantId ? ctx.oidc.provider.Grant.find(grantId) : undefined;
    },
    pkce: { required: () => true },
    renderError: (ctx, { error, error_description: description }) => {
      ctx.type = 'text/plain';
      ctx.body = `The app cannot be connected: ${description ?? error}.\n`;
    },
    responseTypes: ['code'],
    revokeGrantPolicy: () => true,
    rotateRefreshToken: true,
    routes: {
      authorization: '/oauth/authorize',
      jwks: '/oauth/jwks',
      revocation: '/oauth/revoke',
      token: '/oauth/token',
    },
    scopes: [],
    ttl: {
      AccessToken: LIMITS.appTokenMinutes * 60,
      AuthorizationCode: LIMITS.appCodeSeconds,
      Grant: LIMITS.appDays * 86_400,
      Interaction: LIMITS.appRequestMinutes * 60,
      RefreshToken: LIMITS.appRefreshDays * 86_400,
      Session: LIMITS.appRequestMinutes * 60,
    },
  });
  // The caller sets the headers of a proxy from the public URL: see `createAuthorizationServer`.
  provider.proxy = true;
  // The library creates IDs without a prefix. Its types do not name the method.
  Object.assign(provider.AccessToken.prototype, {
    generateTokenId(this: { format: string }) {
      // The method of the library does the same.
      this.format = 'opaque';
      return tokens.access();
    },
  });
  Object.assign(provider.RefreshToken.prototype, { generateTokenId: tokens.refresh });
  Object.assign(provider.AuthorizationCode.prototype, { generateTokenId: tokens.code });
  provider.on('server_error', (_ctx, error) => parts.onError(error));
  return provider.callback() as (request: never, response: never) => Promise<void>;
}

/** The library requires a key for ID tokens, which this service does not issue. */
function unusedKey() {
  return { ...generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey.export({ format: 'jwk' }), use: 'sig' };
}

/** Nothing but the decision of the member on the page of this service continues a request. */
function alwaysAsk() {
  const { Check, Prompt } = interactionPolicy;
  const undecided = new Check('undecided', 'the member has not decided yet', 'consent_required', ({ oidc }) =>
    oidc.result?.consent ? Check.NO_NEED_TO_PROMPT : Check.REQUEST_PROMPT,
  );
  return [
    new Prompt({ name: 'login', requestable: true }),
    new Prompt({ name: 'consent', requestable: true }, undecided),
  ];
}
