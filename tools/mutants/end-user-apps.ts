import type { Mutant } from './mutant.ts';

const CONNECT = 'domain/access/end-users/connect';
const APPS = 'spec/end-user-apps.test.ts';
const CONSENT = 'spec/end-user-consent.test.ts';
const ENDS = 'spec/end-user-app-ends.test.ts';

/** Guards of apps that end users connect. */
export const APPS_OF_END_USERS: readonly Mutant[] = [
  {
    name: 'an end user decides about a request of another browser',
    file: 'pages/connect.ts',
    find: 'requestId.length <= LIMITS.appRequestIdLength && hasConnectionCookie(services, exchangeOf(request), requestId)',
    replace:
      'requestId.length <= LIMITS.appRequestIdLength && (services || hasConnectionCookie(services, exchangeOf(request), requestId))',
    test: CONSENT,
  },
  {
    name: 'a page of another site decides for an end user',
    file: 'pages/connect.ts',
    find: '  requireOwnPage(services, exchange);\n',
    replace: '  if (!services) requireOwnPage(services, exchange);\n',
    test: CONSENT,
  },
  {
    name: 'the sign-in of an end user counts for another request',
    file: `${CONNECT}/signed-in-user.ts`,
    find: 'return `end user at ${offered.deployment.id} in ${offered.environment.id} for ${requestId}`;',
    replace: 'return `end user at ${offered.deployment.id} in ${offered.environment.id} for ${typeof requestId}`;',
    test: CONSENT,
  },
  {
    name: 'the response to the sign-in of an end user works twice',
    file: `${CONNECT}/sign-in.ts`,
    find: '  await consumeState(open, place, attempt);\n',
    replace: '  await consumeState(open, place, { ...attempt, state: open.newId() });\n',
    test: CONSENT,
  },
  {
    name: 'the response of another issuer signs an end user in',
    file: 'identity/oidc.ts',
    find: 'new URL(`${redirectUri}?${response}`)',
    replace:
      "new URL(`${redirectUri}?${new URLSearchParams([...response].map(([key, value]) => [key, key === 'iss' ? client.issuer : value]))}`)",
    test: CONSENT,
  },
  {
    name: 'the token of an app works at the address of another deployment',
    file: 'operation/apps/place.ts',
    find: "caller.kind === 'end_user' && caller.deploymentIds.includes(offered.deployment.id);",
    replace: "caller.kind === 'end_user';",
    test: APPS,
  },
  {
    name: 'the token of an app of an end user works at the address of members',
    file: 'operation/apps/place.ts',
    find: "if (caller.kind === 'end_user' && caller.app) throw unauthorized();",
    replace: '',
    test: APPS,
  },
  {
    name: 'an end user with a revoked sign-in allows an app',
    file: `${CONNECT}/decide.ts`,
    find: 'if (isRevoked(user.issuedAt, revocation?.revokedAt)) throw unauthorized();',
    replace: 'void isRevoked(user.issuedAt, revocation?.revokedAt);',
    test: ENDS,
  },
  {
    name: 'an end user connects any number of apps',
    file: `${CONNECT}/decide.ts`,
    find: 'OFFSET ${LIMITS.endUserApps - 1})`;',
    replace: 'OFFSET ${LIMITS.endUserApps * 100})`;',
    test: APPS,
  },
  {
    name: 'apps of end users outlast a change of the issuer',
    file: 'domain/access/end-users/sign-in-settings.ts',
    find: 'every((name) => after[name] === before?.[name])',
    replace: 'every(() => true)',
    test: ENDS,
  },
  {
    name: 'an app is connected while the issuer changes',
    file: 'domain/access/end-users/issuer-lock.ts',
    find: 'FOR NO KEY UPDATE`',
    replace: '`',
    test: ENDS,
  },
  {
    name: 'an app of an end user has scopes that the issuer does not give the user',
    file: `${CONNECT}/signed-in-user.ts`,
    find: 'return scopes.filter((scope) => asked.includes(scope));',
    replace: 'return END_USER_SCOPES.filter((scope) => asked.includes(scope)) as typeof scopes & Scope[];',
    test: APPS,
  },
  {
    name: 'the lock of an issuer that was replaced during the wait is missing',
    file: 'domain/access/end-users/issuer-lock.ts',
    find: 'const [replacement] = await lock();',
    replace: 'const replacement = undefined;',
    test: ENDS,
  },
  {
    name: 'an app of an end user finds out names of published documents',
    file: 'transports/mcp/step-up.ts',
    find: 'if (deploymentId !== undefined) return undefined;',
    replace: '',
    test: APPS,
  },
  {
    name: 'expired connections keep their registrations',
    file: 'domain/access/apps/registered-apps.ts',
    find: 'SELECT id FROM connected_app WHERE expires_at <= now() LIMIT',
    replace: 'SELECT id FROM connected_app WHERE false LIMIT',
    test: 'spec/app-registration-lifetime.test.ts',
  },
  {
    name: 'a token that a server made for an end user is asked to get more scopes',
    file: 'domain/access/scopes.ts',
    find: "caller.kind === 'end_user' && caller.app ? {",
    replace: "caller.kind === 'end_user' ? {",
    test: 'spec/mcp-step-up.test.ts',
  },
];
