import { connect } from './actions.ts';
import type { Client, HttpResponse } from './client.ts';
import { type OAuthOptions, type OAuthPair, startOAuthPair } from './oauth-server.ts';
import { errorOf, resultOf } from './results.ts';
import type { TestService } from './service.ts';

/** Connects the MCP server of a pair. Returns the ID of the integration. */
export const connectPair = (service: Client, pair: OAuthPair, name: string, key?: string): Promise<string> =>
  connect(service, { kind: 'mcp', name, url: pair.mcp.url }, key === undefined ? {} : { key });

const FIELDS = 'state problem issuer scopes signedInAt signedInBy { email } accessExpiresAt renewsAutomatically';

/** The sign-in of an integration as the API shows it. */
export async function signInOf(service: Client, id: string, key?: string) {
  const query = `query ($id: ID!) { integration(id: $id) { lastError signIn { ${FIELDS} } } }`;
  const { body } = await service.graphql(query, { id }, key === undefined ? {} : { key });
  return { lastError: body.data.integration.lastError, ...body.data.integration.signIn };
}

/** Asks the server for its tools. Returns their names, or the problem. */
export async function toolsOf(service: Client, id: string, key?: string): Promise<readonly string[] | string> {
  const query = 'query ($id: ID!) { integration(id: $id) { mcpTools { tools { name } problem } } }';
  const { body } = await service.graphql(query, { id }, key === undefined ? {} : { key });
  const { tools, problem } = body.data.integration.mcpTools;
  return problem ?? tools.map(({ name }: { readonly name: string }) => name);
}

/** Starts a sign-in with the session of a member. */
export function start(
  service: Client,
  session: string,
  id: string,
  input: object = {},
  headers = {},
): Promise<HttpResponse> {
  const document = `mutation ($input: SignInToIntegrationInput!) { signInToIntegration(input: $input) {
    __typename ... on SignInToIntegrationPayload { authorizationUrl integration { integrationId } }
    ... on Error { code message path } } }`;
  return service.graphql(document, { input: { id, ...input } }, { key: session, headers });
}

/** The address for the browser, and the cookie that the start has set. */
export async function started(service: Client, session: string, id: string, input: object = {}, headers = {}) {
  const response = await start(service, session, id, input, headers);
  const cookie = response.headers.getSetCookie().find((text) => text.startsWith('parley_integration='));
  return { url: String(resultOf(response).authorizationUrl), cookie: cookie?.split(';')[0] ?? '' };
}

/** The message of a start that fails. */
export async function startProblem(service: Client, session: string, id: string, input: object = {}) {
  return errorOf(await start(service, session, id, input))?.message as string | undefined;
}

export function signOut(service: Client, id: string, key?: string): Promise<HttpResponse> {
  const document = `mutation ($id: ID!) { signOutOfIntegration(input: { id: $id }) {
    __typename ... on SignOutOfIntegrationPayload { integration { signIn { state } } } ... on Error { code message path } } }`;
  return service.graphql(document, { id }, key === undefined ? {} : { key });
}

/** Opens the address of a response as a browser does. Returns the outcome that the dashboard gets. */
export async function respond(
  service: Client,
  { pathname, search }: URL,
  { session, cookie }: { readonly session?: string | undefined; readonly cookie?: string | undefined },
): Promise<string | null> {
  const first = await fetch(`${service.url}${pathname}${search}`);
  const html = await first.text();
  const [, address = ''] = /content="0;url=([^"]*)"/.exec(html) ?? [];
  const cookies = [...(session ? [`parley_session=${session}`] : []), ...(cookie ? [cookie] : [])].join('; ');
  const path = new URL(address.replaceAll('&amp;', '&'));
  const headers = { cookie: cookies, 'sec-fetch-site': 'same-origin' };
  const second = await fetch(`${service.url}${path.pathname}${path.search}`, { redirect: 'manual', headers });
  return new URL(second.headers.get('location') ?? '').searchParams.get('signIn');
}

/** Signs in to the server of a pair. Returns the outcome. */
export async function signIn(service: Client, session: string, pair: OAuthPair, id: string, input: object = {}) {
  const { url, cookie } = await started(service, session, id, input);
  return respond(service, pair.allow(url), { session, cookie });
}

/** What a server that needs a sign-in says instead of its tools. */
export const NEEDS_SIGN_IN = 'The MCP server needs a sign-in. A member has to sign in to the integration.';

/** The tools of the server of a pair. */
export const ALL_TOOLS = ['weather', 'admin', 'echo'];

/** Pairs of servers with an integration each. */
export class SignIns {
  readonly #pairs: OAuthPair[] = [];
  readonly #partsOf: () => { readonly service: Client; readonly session: string };
  #count = 0;

  constructor(partsOf: () => { readonly service: Client; readonly session: string }) {
    this.#partsOf = partsOf;
  }

  async connected(options: OAuthOptions = {}) {
    const pair = await this.startPair(options);
    this.#count += 1;
    const name = `Desk ${this.#count}`;
    return { pair, name, id: await connectPair(this.#partsOf().service, pair, name) };
  }

  async signedIn(options: OAuthOptions = {}) {
    const { service, session } = this.#partsOf();
    const all = await this.connected(options);
    const outcome = await signIn(service, session, all.pair, all.id);
    if (outcome !== 'done') throw new Error(`The sign-in ended with ${outcome}.`);
    return all;
  }

  async startPair(options: OAuthOptions = {}): Promise<OAuthPair> {
    const pair = await startOAuthPair(options);
    this.#pairs.push(pair);
    return pair;
  }

  async close(): Promise<void> {
    await Promise.all(this.#pairs.splice(0).map((pair) => pair.close()));
  }
}

export function updateIntegration(service: Client, id: string, input: object): Promise<HttpResponse> {
  const document = `mutation ($input: UpdateIntegrationInput!) { updateIntegration(input: $input) {
    __typename ... on UpdateIntegrationPayload { integration { signIn { state } } } ... on Error { code message path } } }`;
  return service.graphql(document, { input: { id, ...input } });
}

export function disconnect(service: Client, id: string): Promise<HttpResponse> {
  const document = `mutation ($id: ID!) { disconnectIntegration(input: { id: $id }) {
    __typename ... on DisconnectIntegrationPayload { integration { name } } ... on Error { code message path } } }`;
  return service.graphql(document, { id });
}

/** The stored columns of a sign-in. */
export const storedSignIn = ({ service }: TestService, id: string) =>
  service.services.stores.prisma.integration.findFirstOrThrow({
    where: { id },
    select: { signIn: true, sealedSignIn: true },
  });

/** Changes the stored state, for states that only time or a crash causes. */
export async function changeState(service: TestService, id: string, change: object): Promise<void> {
  const { signIn: state } = await storedSignIn(service, id);
  const data = { signIn: { ...(state as object), ...change } };
  await service.service.services.stores.prisma.integration.updateMany({ where: { id }, data });
}

/** Gives an integration another URL without the rules of a change, as another release could. */
export async function moveTo({ service }: TestService, id: string, url: string): Promise<void> {
  const data = { config: { url, headerNames: [], trustsHints: false } };
  await service.services.stores.prisma.integration.updateMany({ where: { id }, data });
}

/** The credentials that an MCP server received. */
export const receivedBy = (pair: OAuthPair) =>
  pair.mcp.requests.flatMap(({ headers: { authorization } }) => (authorization === undefined ? [] : [authorization]));

/** The stored columns without a sign-in. */
export const NO_SIGN_IN = { signIn: null, sealedSignIn: null };
