import type { ConnectPageData } from '../../src/contract/apps/connect-page.ts';
import type { Client } from './client.ts';
import { TestApp, TestBrowser, type TokenReply } from './connecting.ts';
import { REMOVE_ISSUER, SET_ISSUER } from './end-users.ts';
import { FAKE_CLIENT } from './fake-oidc.ts';
import { type RealProvider, signInAt, startProvider } from './oidc-provider.ts';
import { errorOf } from './results.ts';
import type { TestService } from './service.ts';
import { openSession } from './tenants.ts';

const OWN_PAGE = { 'sec-fetch-site': 'same-origin' };

/** A deployment whose end users sign in at a real provider, and connect an app. */
export class EndUserSite {
  readonly client: Client;
  readonly provider: RealProvider;
  readonly environmentId: string;
  readonly app: TestApp;
  readonly #place: SitePlace;

  private constructor(client: Client, provider: RealProvider, place: SitePlace) {
    this.client = client;
    this.provider = provider;
    this.environmentId = place.environmentId;
    this.app = new TestApp(client, place.clientId, place.redirectUri);
    this.#place = place;
  }

  /** At the first workspace of a service of this process. */
  static async open(service: TestService, ids: SiteIds, host?: 'localhost'): Promise<EndUserSite> {
    const { prisma } = service.service.services.stores;
    const where = { kind: 'live', workspace: { name: 'Demo' } } as const;
    const { id: environmentId } = await prisma.environment.findFirstOrThrow({ where });
    const { publicUrl } = service.service.services.settings;
    const owner = () => openSession(service, 'owner');
    return EndUserSite.openAt(service, { ...ids, environmentId, publicUrl, owner }, host);
  }

  /** The provider knows the users `ada`, `bob`, `carol`, and `reader`, whose name is a scope. */
  static async openAt(client: Client, place: SitePlace, host?: 'localhost'): Promise<EndUserSite> {
    const people = {
      ada: { name: 'Ada Lovelace' },
      bob: { name: 'Bob' },
      carol: { name: 'Carol' },
      reader: { name: 'conversations:read' },
    };
    const redirectUri = `${place.publicUrl}/connect/callback/${place.environmentId}`;
    const site = new EndUserSite(client, await startProvider(redirectUri, people, host), place);
    await site.offer();
    return site;
  }

  get resource(): string {
    return this.resourceOf(this.#place.deploymentId);
  }

  resourceOf(deploymentId: string): string {
    return `${this.#place.publicUrl}/mcp/deployments/${deploymentId}`;
  }

  /** Saves the issuer with its sign-in. */
  async offer(changes: object = {}): Promise<void> {
    const { issuer } = this.provider;
    const { clientId, clientSecret } = FAKE_CLIENT;
    const input = {
      ...{ issuer, audience: 'parley', jwksUrl: `${issuer}/jwks`, deploymentIds: [this.#place.deploymentId] },
      ...{ signIn: { clientId, clientSecret }, ...changes },
    };
    const response = await this.client.graphql(SET_ISSUER, { input }, { key: await this.#place.owner() });
    if (errorOf(response)) throw new Error(JSON.stringify(response.body));
  }

  async remove(): Promise<void> {
    await this.client.graphql(REMOVE_ISSUER, {}, { key: await this.#place.owner() });
  }

  /** Starts a request, and signs in up to the page with the decision. Returns its ID. */
  async signIn(browser: TestBrowser, login: string, changes: Readonly<Record<string, string>> = {}): Promise<string> {
    const requestId = await this.app.start(browser, { resource: this.resource, ...changes });
    await this.signInFor(browser, requestId, login);
    return requestId;
  }

  /** Signs in for a request, up to the page with the decision. */
  async signInFor(browser: TestBrowser, requestId: string, login: string): Promise<void> {
    const returned = await browser.open(await this.wayBack(browser, requestId, login));
    const location = returned.headers.get('location') ?? '';
    if (!location.endsWith(`/connect/${requestId}`)) throw new Error(`${returned.status} ${await returned.text()}`);
  }

  /** The address with which the provider sends the browser back. */
  async wayBack(browser: TestBrowser, requestId: string, login: string): Promise<string> {
    const started = await browser.open(`/connect/${requestId}`);
    const authorization = started.headers.get('location');
    if (!authorization) throw new Error(`${started.status} ${await started.text()}`);
    const { pathname, search } = await signInAt(this.provider, new URL(authorization), login);
    return pathname + search;
  }

  answer(
    browser: TestBrowser,
    requestId: string,
    answer: 'allow' | 'deny',
    headers: Record<string, string> = OWN_PAGE,
  ) {
    return browser.open(`/connect/${requestId}/${answer}`, headers, 'POST');
  }

  /** What the app receives after the answer. */
  async decide(browser: TestBrowser, requestId: string, answer: 'allow' | 'deny'): Promise<URLSearchParams> {
    const { redirect_url: url } = (await (await this.answer(browser, requestId, answer)).json()) as {
      readonly redirect_url: string;
    };
    return new URL((await browser.open(url)).headers.get('location') ?? '').searchParams;
  }

  /** The tokens of the app after the user has allowed it. */
  async connect(login: string, changes: Readonly<Record<string, string>> = {}): Promise<TokenReply['body']> {
    const browser = new TestBrowser(this.client);
    const code = (await this.decide(browser, await this.signIn(browser, login, changes), 'allow')).get('code') ?? '';
    const { status, body } = await this.app.redeem(code);
    if (status !== 200) throw new Error(JSON.stringify(body));
    return body;
  }

  close(): void {
    this.provider.close();
  }
}

interface SiteIds {
  readonly deploymentId: string;
  readonly clientId: string;
  /** Default: that of the documents of apps. */
  readonly redirectUri?: string;
}

/** An environment of a service, and what it has to know to offer the sign-in. */
interface SitePlace extends SiteIds {
  readonly environmentId: string;
  readonly publicUrl: string;
  /** Makes a session of an owner. */
  owner(): Promise<string>;
}

/** What the page shows. */
export async function shownOn(response: Response): Promise<{ readonly status: number } & ConnectPageData> {
  const [, data = '{}'] = /id="page-data">([^<]*)</.exec(await response.text()) ?? [];
  return { status: response.status, ...(JSON.parse(data) as ConnectPageData) };
}
