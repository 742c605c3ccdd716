import { operatorContext } from '../../src/domain/access/operator.ts';
import { assignDomain } from '../../src/domain/access/sso/domains.ts';
import type { Context } from '../../src/domain/context.ts';
import { FAKE_CLIENT } from './fake-oidc.ts';
import { errorOf } from './results.ts';
import type { TestService } from './service.ts';
import { openSession, openSessionOf } from './tenants.ts';

/** The answer of a page, without following its redirect. */
export interface PageResponse {
  readonly status: number;
  readonly location: URL | undefined;
  readonly text: string;
  /** `name=value` of the cookies that the browser keeps, and an empty value for those that it deletes. */
  readonly cookies: ReadonlyMap<string, string>;
  readonly setCookie: readonly string[];
}

/** A browser of one person, for pages that answer with redirects. It keeps the cookies of the service. */
export class PageClient {
  readonly #service: TestService;
  readonly #address: string;
  readonly cookies = new Map<string, string>();

  constructor(service: TestService) {
    this.#service = service;
    addresses += 1;
    this.#address = `203.0.113.${addresses % 250}`;
  }

  async open(path: string): Promise<PageResponse> {
    const cookie = [...this.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const headers = { accept: 'text/html', 'x-forwarded-for': this.#address, ...(cookie && { cookie }) };
    const response = await fetch(`${this.#service.url}${path}`, { redirect: 'manual', headers });
    const setCookie = response.headers.getSetCookie();
    const cookies = new Map(setCookie.map((text) => text.split(';')[0]?.split('=') as [string, string]));
    for (const [name, value] of cookies) {
      if (value === '') this.cookies.delete(name);
      else this.cookies.set(name, value);
    }
    const location = response.headers.get('location');
    return {
      status: response.status,
      location: location === null ? undefined : new URL(location),
      text: await response.text(),
      cookies,
      setCookie,
    };
  }

  /** The session token that the browser has. */
  get session(): string | undefined {
    return this.cookies.get('parley_session');
  }
}

let addresses = 0;

/** The reason on the page of a failed single sign-on. */
export function problemOn({ text }: PageResponse): string | undefined {
  return /"signInProblem":"(\w+)"/.exec(text)?.[1];
}

/** The path and query that a provider sends the browser back to. */
export function callbackOf(authorization: URL, fields: Readonly<Record<string, string>> = {}): string {
  const { pathname } = new URL(authorization.searchParams.get('redirect_uri') ?? '');
  const state = authorization.searchParams.get('state') ?? '';
  return `${pathname}?${new URLSearchParams({ code: 'a code', state, ...fields })}`;
}

const SETTINGS =
  '{ oidc { issuer clientId roleClaim roleMap { value role } defaultRole jitMembership } ssoOnly domains redirectUri }';

const UPDATE = `mutation ($input: UpdateSignInSettingsInput!) { updateSignInSettings(input: $input) {
  __typename ... on UpdateSignInSettingsPayload { signInSettings ${SETTINGS} } ... on Error { code message path } } }`;

export const updateSettings = (service: TestService, key: string, input: object) =>
  service.graphql(UPDATE, { input }, { key });

export const readSettings = (service: TestService, key: string) =>
  service.graphql(`{ signInSettings ${SETTINGS} }`, {}, { key });

/** The ID of the first workspace. */
export async function firstWorkspace(service: TestService): Promise<string> {
  const { prisma } = service.service.services.stores;
  return (await prisma.workspace.findFirstOrThrow({ where: { name: 'Demo' } })).id;
}

/** The operator at the command line, in a workspace. */
export async function operatorAt(service: TestService, workspaceId: string): Promise<Context> {
  const { services } = service.service;
  const environment = await services.stores.prisma.environment.findFirstOrThrow({
    where: { workspaceId, kind: 'live' },
  });
  const request = { id: 'test', address: '', userAgent: undefined, claim: undefined, reportLimit: () => {} };
  const operator = { name: 'test', services, request, now: () => new Date(), newId: () => crypto.randomUUID() };
  return operatorContext(operator, environment);
}

/** Assigns a domain like the operator does. */
export async function giveDomain(service: TestService, workspaceId: string, domain: string): Promise<void> {
  await assignDomain(await operatorAt(service, workspaceId), { domain });
}

interface ProviderOptions {
  readonly workspaceId?: string;
  readonly domain?: string;
  /** The user ID of an owner of another workspace. */
  readonly owner?: string;
  readonly fields?: Readonly<Record<string, unknown>>;
}

/** Saves a provider for a workspace through the API. */
export async function saveProvider(
  service: TestService,
  issuer: string,
  options: ProviderOptions = {},
): Promise<string> {
  const workspaceId = options.workspaceId ?? (await firstWorkspace(service));
  if (options.domain) await giveDomain(service, workspaceId, options.domain);
  const key = options.owner ? await openSessionOf(service, options.owner) : await openSession(service, 'owner');
  const oidc = { issuer, ...FAKE_CLIENT, defaultRole: 'VIEWER', jitMembership: true, ...options.fields };
  const response = await updateSettings(service, key, { oidc });
  if (errorOf(response)) throw new Error(JSON.stringify(response.body));
  return workspaceId;
}
