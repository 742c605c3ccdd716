import type { Mutant } from './mutant.ts';

const APPS = 'domain/access/apps';
const SERVER = 'identity/authorization-server';
const DECISIONS = 'spec/connected-apps.test.ts';
const TOKENS = 'spec/app-tokens.test.ts';
const RACES = 'spec/app-races.test.ts';
const REGISTRATIONS = 'spec/app-registration.test.ts';
const LIFETIMES = 'spec/app-registration-lifetime.test.ts';
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
    find: 'grantedScopes(row, SCOPES_OF_ROLE[row.role])',
    replace: 'grantedScopes(row, SCOPES_OF_ROLE.owner)',
    test: DECISIONS,
  },
  {
    name: 'a decision is made twice',
    file: `${APPS}/decisions.ts`,
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
    find: 'if (!scopes) throw',
    replace: 'if (resource === publicUrl + publicUrl) throw',
    test: REQUESTS,
  },
  {
    name: 'requests of apps are not counted',
    file: 'pages/apps/router.ts',
    find: 'await countRequest(services.stores.rateLimiter, limit, key, reportLimit(exchange));',
    replace: 'void [countRequest, limit, key, reportLimit];',
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
  {
    name: 'registrations of apps are not counted',
    file: 'pages/apps/router.ts',
    find: '.post(count, countRegistration, registration(services))',
    replace: '.post(count, registration(services))',
    test: REGISTRATIONS,
  },
  {
    name: 'any number of apps is stored',
    file: `${APPS}/registered-apps.ts`,
    find: 'if (!row) throw tooMany();',
    replace: 'if (!row) return { clientId, name, redirectUris, createdAt: new Date() };',
    test: REGISTRATIONS,
  },
  {
    name: 'an app registers a redirect URI that runs a script',
    file: `${APPS}/redirect-uris.ts`,
    find: 'if (FORBIDDEN.includes(protocol)) throw',
    replace: 'if (FORBIDDEN.includes(input)) throw',
    test: REGISTRATIONS,
  },
  {
    name: 'a registered app keeps the characters of its name that mislead',
    file: `${APPS}/app-name.ts`,
    find: "replaceAll(/[\\p{C}\\p{Zl}\\p{Zp}]/gu, ' ')",
    replace: "replaceAll(/[\\p{Zl}\\p{Zp}]/gu, ' ')",
    test: REGISTRATIONS,
  },
  {
    name: 'a registration with a connection is deleted',
    file: `${APPS}/registered-apps.ts`,
    find: 'WHERE id IN (SELECT id FROM due WHERE NOT is_used)',
    replace: 'WHERE id IN (SELECT id FROM due)',
    test: LIFETIMES,
  },
  {
    name: 'a deleted registration is connected',
    file: `${APPS}/registered-apps.ts`,
    find: 'data: { expiresAt } })).count > 0',
    replace: 'data: { expiresAt } })).count >= 0',
    test: LIFETIMES,
  },
  {
    name: 'a registered app is connected although registration is off',
    file: `${APPS}/registered-apps.ts`,
    find: 'if (settings.appRegistration && (',
    replace: 'if (settings !== undefined && (',
    test: LIFETIMES,
  },
  {
    name: 'a registered app asks for access although registration is off',
    file: 'pages/apps/router.ts',
    find: "if (!appRegistration) rejectRegistered(query.getAll('client_id'));",
    replace: 'if (!appRegistration) rejectRegistered([]);',
    test: LIFETIMES,
  },
];
