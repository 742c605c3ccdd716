import { createHash, randomBytes } from 'node:crypto';
import { APP_CALLBACK } from './app-server.ts';
import type { Client } from './client.ts';
import { mutationOf } from './results.ts';

export const ALLOW_APP = mutationOf('allowApp', '{ redirectUrl app { appId } }');
export const DENY_APP = mutationOf('denyApp', '{ redirectUrl }');
export const DISCONNECT_APP = mutationOf('disconnectApp', '{ deletedId }');

/** The tokens of an app, or an error of RFC 6749. */
export interface TokenReply {
  readonly status: number;
  // A test reads any response and asserts its shape.
  // biome-ignore lint/suspicious/noExplicitAny: see above
  readonly body: any;
}

/** A browser: it keeps cookies, and follows no redirects on its own. */
export class TestBrowser {
  readonly #service: Client;
  readonly #cookies = new Map<string, string>();
  /** A browser for each test: the documents of apps are limited by address. */
  readonly #address = `198.51.100.${Math.floor(Math.random() * 256)}`;

  constructor(service: Client) {
    this.#service = service;
  }

  get cookie(): string {
    return [...this.#cookies].map(([name, value]) => `${name}=${value}`).join('; ');
  }

  async open(url: string, headers: Record<string, string> = {}, method = 'GET'): Promise<Response> {
    const { pathname, search } = new URL(url, this.#service.url);
    const response = await fetch(new URL(pathname + search, this.#service.url), {
      method,
      redirect: 'manual',
      headers: { cookie: this.cookie, 'x-forwarded-for': this.#address, ...headers },
    });
    for (const set of response.headers.getSetCookie()) {
      const [pair = ''] = set.split(';');
      const at = pair.indexOf('=');
      if (/expires=Thu, 01 Jan 1970/.test(set)) this.#cookies.delete(pair.slice(0, at));
      else this.#cookies.set(pair.slice(0, at), pair.slice(at + 1));
    }
    return response;
  }
}

/** An app that asks members for access. */
export class TestApp {
  readonly #service: Client;
  readonly clientId: string;
  readonly redirectUri: string;
  readonly verifier = randomBytes(32).toString('base64url');

  constructor(service: Client, clientId: string, redirectUri = APP_CALLBACK) {
    this.#service = service;
    this.clientId = clientId;
    this.redirectUri = redirectUri;
  }

  /** The address that the app opens in the browser of the member. Undefined removes a parameter. */
  authorizeUrl(changes: Readonly<Record<string, string | undefined>> = {}): string {
    const fields = {
      response_type: 'code',
      client_id: this.clientId,
      redirect_uri: this.redirectUri,
      state: 'a state',
      code_challenge: createHash('sha256').update(this.verifier).digest('base64url'),
      code_challenge_method: 'S256',
      ...changes,
    };
    const query = Object.entries(fields).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]]));
    return `/oauth/authorize?${new URLSearchParams(query)}`;
  }

  /** Starts a request in a browser. Returns its ID. */
  async start(browser: TestBrowser, changes: Readonly<Record<string, string | undefined>> = {}): Promise<string> {
    const response = await browser.open(this.authorizeUrl(changes));
    const location = response.headers.get('location') ?? '';
    const [, id] = /\/connect\/([\w-]+)$/.exec(location) ?? [];
    if (id === undefined) throw new Error(`${response.status} ${location} ${await response.text()}`);
    return id;
  }

  async token(fields: Readonly<Record<string, string>>, headers: Record<string, string> = {}): Promise<TokenReply> {
    const response = await fetch(new URL('/oauth/token', this.#service.url), {
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded', ...headers },
      body: new URLSearchParams({ client_id: this.clientId, ...fields }).toString(),
    });
    return { status: response.status, body: await response.json() };
  }

  redeem(code: string, changes: Readonly<Record<string, string>> = {}): Promise<TokenReply> {
    const { redirectUri: redirect_uri, verifier: code_verifier } = this;
    return this.token({ grant_type: 'authorization_code', code, redirect_uri, code_verifier, ...changes });
  }

  refresh(refreshToken: string, changes: Readonly<Record<string, string>> = {}): Promise<TokenReply> {
    return this.token({ grant_type: 'refresh_token', refresh_token: refreshToken, ...changes });
  }

  /** The member allows the app. Returns the URL with the code. */
  async allow(session: string, { scopes, environment = 'LIVE', ...changes }: AllowOptions = {}): Promise<URL> {
    const browser = new TestBrowser(this.#service);
    const requestId = await this.start(browser, changes);
    const input = {
      request: requestId,
      environment,
      scopes: scopes ?? (await this.scopesOf(browser, session, requestId)),
    };
    const { body } = await decide(this.#service, browser, session, ALLOW_APP, input);
    const { redirectUrl } = body.data.allowApp;
    if (!redirectUrl) throw new Error(JSON.stringify(body));
    return new URL((await browser.open(redirectUrl)).headers.get('location') ?? '');
  }

  /** The scopes that the app asks for and the member can allow. */
  async scopesOf(browser: TestBrowser, session: string, requestId: string): Promise<string[]> {
    const { connectionRequest } = (await readRequest(this.#service, browser, session, requestId)).body.data;
    return connectionRequest.scopes.flatMap(({ scope, canAllow }: { scope: string; canAllow: boolean }) =>
      canAllow ? [scope] : [],
    );
  }

  /** The tokens of the app after the member has allowed it. */
  async connect(session: string, options: AllowOptions = {}): Promise<TokenReply['body']> {
    const code = (await this.allow(session, options)).searchParams.get('code') ?? '';
    const { status, body } = await this.redeem(code);
    if (status !== 200) throw new Error(JSON.stringify(body));
    return body;
  }
}

interface AllowOptions {
  readonly scopes?: readonly string[];
  readonly environment?: string;
  readonly scope?: string;
  readonly resource?: string;
}

/** Sends a mutation from a page in the browser, with the session of the member. */
export function decide(service: Client, browser: TestBrowser, session: string, document: string, input: object) {
  return service.graphql(document, { input }, { key: session, headers: { cookie: browser.cookie } });
}

export function readRequest(service: Client, browser: TestBrowser, session: string, requestId: string) {
  return service.graphql(
    `query Request($requestId: String!) {
      connectionRequest(request: $requestId) {
        request clientId clientName clientHost redirectHost isLoopback expiresAt scopes { scope canAllow }
      }
    }`,
    { requestId },
    { key: session, headers: { cookie: browser.cookie } },
  );
}

/** The error that an authorization request gets: in the response, or at the address of the app. */
export async function authorizationError(
  service: Client,
  app: TestApp,
  changes: Readonly<Record<string, string | undefined>>,
) {
  const response = await new TestBrowser(service).open(app.authorizeUrl(changes));
  const location = response.headers.get('location');
  if (response.status === 303 && location?.startsWith(APP_CALLBACK)) {
    return { redirected: new URL(location).searchParams.get('error') };
  }
  return { shown: response.status, text: await response.text() };
}
