import type { Mutant } from './mutant.ts';

const SIGN_IN = 'domain/actions/sign-in';
const MIX_UP = 'spec/integration-sign-in-mix-up.test.ts';
const RESPONSES = 'spec/integration-sign-in-responses.test.ts';
const RACES = 'spec/integration-token-races.test.ts';
const TOKENS = 'spec/integration-tokens.test.ts';
const NEED = 'spec/integration-sign-in-need.test.ts';
const HOSTILE = 'spec/hostile-authorization-servers.test.ts';
const CHALLENGES = 'spec/mcp-challenges.test.ts';

/** Guards of the sign-in to MCP servers. */
export const INTEGRATION_SIGN_IN: readonly Mutant[] = [
  {
    name: 'a server without metadata gets the code of another authorization server',
    file: `${SIGN_IN}/finish.ts`,
    find: 'return iss === issuer || (!isDescribed &&',
    replace: 'return iss === issuer || !isDescribed || (!isDescribed &&',
    test: MIX_UP,
  },
  {
    name: 'a response for one integration counts for another one',
    file: 'pages/integration-sign-in.ts',
    find: 'if (ticket?.integrationId !== integrationId)',
    replace: 'if (!ticket)',
    test: MIX_UP,
  },
  {
    name: 'a response counts for an attempt with another state',
    file: `${SIGN_IN}/finish.ts`,
    find: "    attempt.state === response.get('state') &&\n",
    replace: '',
    test: RESPONSES,
  },
  {
    name: 'a response counts in a browser that began another attempt',
    file: `${SIGN_IN}/finish.ts`,
    find: '    attempt?.state === ticket.state &&\n    attempt.state ===',
    replace: '    attempt?.state ===',
    test: RESPONSES,
  },
  {
    name: 'a response counts in another session',
    file: `${SIGN_IN}/finish.ts`,
    find: '    attempt.sessionId === sessionId &&\n',
    replace: '',
    test: RESPONSES,
  },
  {
    name: 'a response counts for another URL of the integration',
    file: `${SIGN_IN}/finish.ts`,
    find: 'attempt.url === record.integration.url;',
    replace: "attempt.url !== '';",
    test: RACES,
  },
  {
    name: 'a response counts after the time of its attempt',
    file: `${SIGN_IN}/finish.ts`,
    find: 'attempt.until <= ctx.now().getTime()',
    replace: 'attempt.until <= 0',
    test: RESPONSES,
  },
  {
    name: 'two requests exchange the same code',
    file: `${SIGN_IN}/finish.ts`,
    find: 'if (!isClaimed) throw',
    replace: 'if (isClaimed === undefined) throw',
    test: RESPONSES,
  },
  {
    name: 'the tokens of a code are stored after a sign-out',
    file: `${SIGN_IN}/finish.ts`,
    find: '    if (secrets.redeemed !== attempt.state) return undefined;\n',
    replace: '',
    test: RACES,
  },
  {
    name: 'a finished sign-in loses scopes that the server asked for meanwhile',
    file: `${SIGN_IN}/finish.ts`,
    find: 'before.problem !== FURTHER_SCOPES ||',
    replace: "before.problem !== '' ||",
    test: RACES,
  },
  {
    name: 'two processes change a sign-in that both have read',
    file: `${SIGN_IN}/record.ts`,
    find: 'signInVersion: version, disconnectedAt: null };',
    replace: 'disconnectedAt: null };',
    test: TOKENS,
  },
  {
    name: 'new tokens are lost if another write came first',
    file: `${SIGN_IN}/record.ts`,
    find: 'let left = WRITE_ATTEMPTS;',
    replace: 'let left = WRITE_ATTEMPTS && 1;',
    test: RACES,
  },
  {
    name: 'an attempt is stored for a URL that changed meanwhile',
    file: `${SIGN_IN}/start.ts`,
    find: '    integration.url === attempt.url ? {',
    replace: '    integration.url ? {',
    test: RACES,
  },
  {
    name: 'a token goes to the former URL of an integration',
    file: `${SIGN_IN}/access-token.ts`,
    find: '  if (record.integration.url !== url) throw',
    replace: "  if (record.integration.url === '') throw",
    test: RACES,
  },
  {
    name: 'a token goes to another URL than the one that it was issued for',
    file: `${SIGN_IN}/access-token.ts`,
    find: '|| tokens?.url !== url) throw',
    replace: '|| !tokens) throw',
    test: RACES,
  },
  {
    name: 'an exchange replaces the tokens of a newer sign-in',
    file: `${SIGN_IN}/exchange.ts`,
    find: "signIn?.status === 'refreshing' && tokens?.refreshToken === refreshToken;",
    replace: 'signIn !== undefined && tokens !== null;',
    test: RACES,
  },
  {
    name: 'tokens that could not be stored stay valid',
    file: `${SIGN_IN}/exchange.ts`,
    find: '      revokeUnused(ctx, integration.id, { client, server, tokens: storedTokens(integration.url, tokens) });\n',
    replace: '      void revokeUnused;\n',
    test: RACES,
  },
  {
    name: 'a 401 without a challenge of OAuth blocks an integration',
    file: `${SIGN_IN}/at-server.ts`,
    find: '    if (token === undefined && !error.challenge.isOAuth) throw error;\n',
    replace: '',
    test: NEED,
  },
  {
    name: 'a server that asked for a sign-in by mistake gets no further request',
    file: `${SIGN_IN}/access-token.ts`,
    find: '    if (!state || isUnsigned(record)) return undefined;',
    replace: '    if (!state) return undefined;',
    test: NEED,
  },
  {
    name: 'the success of another request ends the need for a sign-in',
    file: `${SIGN_IN}/at-server.ts`,
    find: '  if (refused === name) await',
    replace: '  if (refused) await',
    test: NEED,
  },
  {
    name: 'a call is sent again after its server has accepted it',
    file: 'model/mcp/challenge.ts',
    find: "      if (message.method === 'tools/call' && response.ok) this.#hasAcceptedCall = true;\n",
    replace: '',
    test: CHALLENGES,
  },
  {
    name: 'a call is repeated in a new session after its first round',
    file: 'model/mcp/session.ts',
    find: 'first.transport.hasBegun || !isLost',
    replace: '!isLost',
    test: CHALLENGES,
  },
  {
    name: 'a call is repeated with other headers after its first round',
    file: 'model/mcp/mcp.ts',
    find: 'progress.hasBegun || !isHeaderMismatch',
    replace: '!isHeaderMismatch',
    test: CHALLENGES,
  },
  {
    name: 'a request of a sign-in goes to an address without https',
    file: 'model/mcp/authorization.ts',
    find: '        requireSafe(url);\n',
    replace: '        void requireSafe;\n',
    test: HOSTILE,
  },
  {
    name: 'the browser is sent to an address without https',
    file: 'model/mcp/authorization.ts',
    find: '        requireSafe(started.authorizationUrl);\n',
    replace: '',
    test: HOSTILE,
  },
  {
    name: 'an authorization server makes the service store long addresses',
    file: 'model/mcp/authorization-bounds.ts',
    find: 'if (url.length <= LIMITS.integrationSignInUrlLength &&',
    replace: 'if (url.length <= LIMITS.integrationSignInBytes &&',
    test: HOSTILE,
  },
  {
    name: 'an authorization server makes the service store any number of methods',
    file: 'model/mcp/authorization-bounds.ts',
    find: 'METHODS.filter((method) => server.authMethods.includes(method))',
    replace: 'server.authMethods',
    test: HOSTILE,
  },
];
