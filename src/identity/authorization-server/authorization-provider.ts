import { generateKeyPairSync } from 'node:crypto';
import type { EventEmitter } from 'node:events';
import type { Request } from 'express';
import { errors, interactionPolicy, type KoaContextWithOIDC, Provider } from 'oidc-provider';
import { LIMITS } from '../../contract/limits.ts';
import { type AdapterParts, ClientAdapter, RecordAdapter } from './adapter.ts';
import type { ProviderParts } from './parts.ts';

/** The methods with which apps identify themselves. Both need no secret that the service would have to store. */
const CLIENT_METHODS = ['none', 'private_key_jwt'] as const;

/** How long each record of the library lives. */
const SECONDS = {
  AccessToken: LIMITS.appTokenMinutes * 60,
  AuthorizationCode: LIMITS.appCodeSeconds,
  Grant: LIMITS.appDays * 86_400,
  Interaction: LIMITS.appRequestMinutes * 60,
  RefreshToken: LIMITS.appRefreshDays * 86_400,
  Session: LIMITS.appRequestMinutes * 60,
} as const;

/** The library of the authorization server with the rules of this service. It is loaded with the first request. */
export function createProvider(parts: ProviderParts): (request: never, response: never) => Promise<void> {
  // Node 20 has no `URL.parse`, which the library calls.
  URL.parse ??= (url, base) => (URL.canParse(url, base) ? new URL(url, base) : null);
  const { publicUrl } = parts;
  const { records, tokens } = parts.rules;
  const adapterParts: AdapterParts = {
    records,
    publicUrl,
    currentApp: () => parts.appOf(Provider.ctx?.oidc.client),
    invalidGrant: (reason) => new errors.InvalidGrant(reason),
  };
  const provider = new Provider(publicUrl, {
    // The record of an assertion stays as long as the assertion is valid.
    assertJwtClientAuthClaimsAndHeader: async (_ctx, { exp }) => {
      if (Number(exp) <= Date.now() / 1_000 + ASSERTION_SECONDS) return;
      throw new errors.InvalidClientAuth('the assertion is valid for too long');
    },
    adapter: (name) =>
      name === 'Client' ? new ClientAdapter(name, adapterParts, parts.rules) : new RecordAdapter(name, adapterParts),
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
    cookies: cookiesOf(parts),
    enableHttpPostMethods: false,
    expiresWithSession: () => false,
    extraTokenClaims: () => undefined,
    features: featuresOf(parts),
    // Of a document, and of the keys that it names. The library reads keys with every request.
    async fetch(url) {
      const request = Provider.ctx?.req as Request | undefined;
      if (request && (await parts.mayFetch(request))) return parts.fetch(String(url));
      throw new errors.InvalidClient('too many documents of apps were read for this address');
    },
    sectorIdentifierUriValidate: () => false,
    findAccount: async (_ctx, appId) =>
      (await records.isConnected(appId)) ? { accountId: appId, claims: () => ({ sub: appId }) } : undefined,
    interactions: {
      policy: alwaysAsk(),
      url: (_ctx, { uid, params }) => parts.decisionPage(String([params.resource].flat()[0]), uid),
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
    ttl: SECONDS,
  });
  // The caller sets the headers of a proxy from the public URL: see `createAuthorizationServer`.
  provider.proxy = true;
  setTokenIds(provider, tokens);
  provider.on('server_error', (_ctx, error) => parts.onError(error));
  // Without a listener, Koa writes to the console. The types do not name its event.
  (provider as EventEmitter).on('error', parts.onError);
  return provider.callback() as (request: never, response: never) => Promise<void>;
}

function cookiesOf({ cookie }: ProviderParts) {
  return {
    keys: [cookie.key],
    names: { interaction: cookie.name, resume: 'parley_connection_resume', session: 'parley_connection_session' },
    // The path covers /graphql and /connect, which check that the browser of the person started the request.
    short: { path: '/', sameSite: 'lax', httpOnly: true, secure: cookie.isSecure },
    long: { path: '/oauth', sameSite: 'lax', httpOnly: true, secure: cookie.isSecure },
  } as const;
}

function featuresOf({ publicUrl, scopesOf, rules }: ProviderParts) {
  const main = `${publicUrl}/mcp`;
  return {
    clientIdMetadataDocument: {
      enabled: true,
      ack: 'draft-02',
      allowFetch: (_ctx: KoaContextWithOIDC, clientId: string) => clientId.length <= LIMITS.appClientIdLength,
      allowClient: (
        _ctx: KoaContextWithOIDC,
        { redirectUris = [] }: { readonly redirectUris?: readonly string[] | undefined },
      ) => redirectUris.every(rules.isSafeRedirect),
    },
    devInteractions: { enabled: false },
    dPoP: { enabled: false },
    resourceIndicators: {
      enabled: true,
      defaultResource: (_ctx: unknown, _client: unknown, oneOf?: readonly string[]) => oneOf?.[0] ?? main,
      getResourceServerInfo: (_ctx: unknown, resource: string) => {
        const scopes = scopesOf(resource);
        if (!scopes) throw new errors.InvalidTarget();
        return { scope: scopes.join(' '), audience: publicUrl, accessTokenFormat: 'opaque' } as const;
      },
      useGrantedResource: () => true,
    },
    revocation: { enabled: true },
    rpInitiatedLogout: { enabled: false },
    userinfo: { enabled: false },
  } as const;
}

function setTokenIds(provider: Provider, tokens: ProviderParts['rules']['tokens']): void {
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
}

/** How long an assertion of an app can be valid. */
const ASSERTION_SECONDS = 300;

/** The library requires a key for ID tokens, which this service does not issue. */
function unusedKey() {
  return { ...generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey.export({ format: 'jwk' }), use: 'sig' };
}

/** Nothing but the decision of the person on the page of this service continues a request. */
function alwaysAsk() {
  const { Check, Prompt } = interactionPolicy;
  const undecided = new Check('undecided', 'nobody has decided yet', 'consent_required', ({ oidc }) =>
    oidc.result?.consent ? Check.NO_NEED_TO_PROMPT : Check.REQUEST_PROMPT,
  );
  return [
    new Prompt({ name: 'login', requestable: true }),
    new Prompt({ name: 'consent', requestable: true }, undecided),
  ];
}
