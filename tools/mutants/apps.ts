import type { Mutant } from './mutant.ts';

const APPS = 'domain/access/apps';
const SERVER = 'identity/authorization-server';
const DECISIONS = 'spec/connected-apps.test.ts';
const TOKENS = 'spec/app-tokens.test.ts';
const RACES = 'spec/app-races.test.ts';
const REQUESTS = 'spec/app-requests.test.ts';

/** Guards of apps that members connect. */
export const APPS_OF_MEMBERS: readonly Mutant[] = [
  {
    name: 'a member decides about a request of another browser',
    file: 'operation/cookies.ts',
    find: 'return cookieOf(exchange, connectionCookie(services.settings.publicUrl)) === requestId;',
    replace: 'return cookieOf(exchange, connectionCookie(services.settings.publicUrl)) !== requestId || true;',
    test: DECISIONS,
  },
  {
    name: 'an app gets a code without a decision',
    file: `${SERVER}/authorization-provider.ts`,
    find: 'oidc.result?.consent ? Check.NO_NEED_TO_PROMPT : Check.REQUEST_PROMPT',
    replace: 'oidc.result || !oidc.result ? Check.NO_NEED_TO_PROMPT : Check.REQUEST_PROMPT',
    test: DECISIONS,
  },
  {
    name: 'an app gets scopes that it did not ask for',
    file: `${APPS}/connection-requests.ts`,
    find: 'if (notAsked) throw',
    replace: 'if (notAsked && !request) throw',
    test: DECISIONS,
  },
  {
    name: 'a member allows scopes that they do not have',
    file: `${APPS}/connection-requests.ts`,
    find: 'if (missing) throw',
    replace: 'if (missing && !request) throw',
    test: DECISIONS,
  },
  {
    name: 'an app keeps the scopes of a former role',
    file: `${APPS}/app-caller.ts`,
    find: 'const scopes = SCOPES_OF_ROLE[row.role].filter(',
    replace: 'const scopes = SCOPES_OF_ROLE.owner.filter(',
    test: DECISIONS,
  },
  {
    name: 'a decision is made twice',
    file: `${APPS}/connection-requests.ts`,
    find: "return { idHash, kind: 'Interaction', consumedAt: null, expiresAt: { gt: at } };",
    replace: "return { idHash, kind: 'Interaction', expiresAt: { gt: at } };",
    test: DECISIONS,
  },
  {
    name: 'an ended session allows an app',
    file: `${APPS}/connection-requests.ts`,
    find: 'if (rows.length === 0) throw unauthorized();',
    replace: '',
    test: RACES,
  },
  {
    name: 'a code or refresh token works in two requests at the same time',
    file: `${APPS}/records.ts`,
    find: 'AND consumed_at IS NULL`;',
    replace: 'AND true`;',
    test: TOKENS,
  },
  {
    name: 'an app of a disconnected member keeps its token',
    file: `${APPS}/end-apps.ts`,
    find: 'DELETE FROM connected_app WHERE ${which} RETURNING',
    replace: 'UPDATE connected_app SET client_name = client_name WHERE ${which} RETURNING',
    test: TOKENS,
  },
  {
    name: 'a new password keeps apps',
    file: 'domain/access/sessions.ts',
    find: '...(await endApps(byCaller(ctx), tx, Prisma.sql`user_id = ${user.id}::uuid`))',
    replace: '...(false ? await endApps(byCaller(ctx), tx, Prisma.sql`user_id = ${user.id}::uuid`) : [])',
    test: TOKENS,
  },
  {
    name: 'the secret of a code is stored',
    file: `${SERVER}/adapter.ts`,
    find: '{ jti: _id, returnTo: _url, ...payload }: Payload',
    replace: 'payload: Payload',
    test: TOKENS,
  },
  {
    name: 'any resource is accepted',
    file: `${SERVER}/authorization-provider.ts`,
    find: 'if (!parts.resources.includes(resource)) throw',
    replace: 'if (resource === publicUrl + publicUrl) throw',
    test: REQUESTS,
  },
  {
    name: 'requests of apps are not counted',
    file: 'pages/apps/router.ts',
    find: 'await countRequest(services.stores.rateLimiter, RATE_LIMITS.appRequests, key, reportLimit(exchange));',
    replace: 'void [countRequest, RATE_LIMITS, key, reportLimit];',
    test: REQUESTS,
  },
  {
    name: 'documents of apps are read without a limit',
    file: `${APPS}/rules.ts`,
    find: 'addressKey(address))).allowed;',
    replace: 'addressKey(address))) !== undefined;',
    test: REQUESTS,
  },
  {
    name: 'a forged protocol reaches the authorization server',
    file: `${SERVER}/server.ts`,
    find: "request.headers['x-forwarded-proto'] = protocol.slice(0, -1);",
    replace: '',
    test: REQUESTS,
  },
];
