import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { LIMITS } from '../../src/contract/limits.ts';
import { JPEG, PNG, pngOf, WEBP } from '../support/pictures.ts';
import { resultOf } from '../support/results.ts';
import { startService, type TestService } from '../support/service.ts';
import { type DeploymentFields, makeDeployment, makeKey } from '../support/tenants.ts';

const BRANDING =
  '{ name logoUrl accent accentShades { light dark } greeting suggestedPrompts theme launcherPosition launcherText language }';

const UPDATE = `mutation ($id: ID!, $branding: DeploymentBrandingInput) {
  updateDeployment(input: { deploymentId: $id, branding: $branding }) { __typename
    ... on UpdateDeploymentPayload { deployment { branding ${BRANDING} } }
    ... on InvalidInput { code message path issues { path message } } ... on Error { code message path } } }`;

const DEFAULTS = {
  name: null,
  logoUrl: null,
  accent: null,
  accentShades: null,
  greeting: null,
  suggestedPrompts: [],
  theme: 'AUTO',
  launcherPosition: 'RIGHT',
  launcherText: null,
  language: 'AUTO',
};

const OTHERS = {
  name: 'Acme help',
  accent: '#0057b8',
  greeting: 'Hello!\nHow can we help?',
  suggestedPrompts: ['Where is my order?', 'Can I return it?'],
  theme: 'DARK',
  launcherPosition: 'LEFT',
  launcherText: 'Ask us',
  language: 'DE',
};

let service: TestService;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.close());

async function made(fields: DeploymentFields = {}): Promise<string> {
  const { id } = await makeDeployment(service, {}, { name: 'Shop', hostedPage: true, authRequired: false, ...fields });
  return id;
}

const update = (id: string, branding: object | null, key?: string) =>
  service.graphql(UPDATE, { id, branding }, key === undefined ? {} : { key });

async function updated(id: string, branding: object | null) {
  const { branding: result } = resultOf(await update(id, branding)) as { branding: Record<string, unknown> };
  return result;
}

const base64 = (picture: Buffer | string) => Buffer.from(picture).toString('base64');

const get = (path: string, headers: Record<string, string> = {}) => fetch(`${service.url}${path}`, { headers });

async function pageData(id: string, page = 'chat'): Promise<Record<string, unknown>> {
  const html = await (await get(`/${page}/${id}`)).text();
  return JSON.parse(html.match(/id="page-data">([^<]*)</)?.[1] ?? '');
}

/** The stored branding, as the path of its logo on this host. */
async function logoPath(id: string, picture: Buffer | string): Promise<string> {
  const { logoUrl } = await updated(id, { logo: base64(picture) });
  return new URL(String(logoUrl)).pathname;
}

describe('the branding of a deployment', () => {
  it('has defaults, is changed in part, and is reset by null', async () => {
    const id = await made();
    expect(await updated(id, {})).toEqual(DEFAULTS);
    const accentShades = { light: '#0057b8', dark: expect.stringMatching(/^#[0-9a-f]{6}$/) };
    expect(await updated(id, OTHERS)).toEqual({ ...DEFAULTS, ...OTHERS, accentShades });
    expect(await updated(id, { greeting: null, theme: null })).toMatchObject({
      ...OTHERS,
      greeting: null,
      theme: 'AUTO',
    });
    expect(await updated(id, null)).toEqual(DEFAULTS);
  });

  it('reaches the hosted page and the settings of the widget', async () => {
    const id = await made({ kind: 'agent' });
    await updated(id, { ...OTHERS, accent: '#FFD400' });
    const logoUrl = await logoPath(id, PNG);
    const accent = { light: expect.stringMatching(/^#/), dark: '#ffd400' };
    const { launcherPosition: _position, launcherText, ...page } = OTHERS;
    const branding = { ...page, accent, logoUrl, theme: 'dark', language: 'de' };
    for (const name of ['chat', 'agent']) {
      expect(await pageData(id, name)).toMatchObject({ deploymentId: id, name: 'Shop', branding });
    }
    expect(await (await get(`/agent/${id}`)).text()).toContain('<title>Acme help</title>');
    expect(await (await get(`/widget/${id}.json`)).json()).toEqual({
      state: 'open',
      kind: 'agent',
      branding: { accent, theme: 'dark', language: 'de', launcherPosition: 'left', launcherText },
    });
  });

  it('can be part of a new deployment, with its logo', async () => {
    const { workflowId } = await makeDeployment(service, {});
    const create = `mutation ($input: CreateDeploymentInput!) { createDeployment(input: $input) { __typename
      ... on CreateDeploymentPayload { deployment { branding ${BRANDING} } } ... on Error { code message path } } }`;
    const branding = { greeting: 'Hi', logo: base64(PNG) };
    const response = await service.graphql(create, { input: { workflowId, name: 'A', kind: 'CHAT', branding } });
    const { greeting, logoUrl } = resultOf(response).branding;
    expect(greeting).toBe('Hi');
    expect((await get(new URL(logoUrl).pathname)).status).toBe(200);
  });

  it.each<[string, object, object]>([
    ['name', { name: 'x'.repeat(LIMITS.brandNameLength) }, { name: 'x'.repeat(LIMITS.brandNameLength + 1) }],
    ['greeting', { greeting: 'x'.repeat(LIMITS.greetingLength) }, { greeting: 'x'.repeat(LIMITS.greetingLength + 1) }],
    [
      'launcherText',
      { launcherText: 'x'.repeat(LIMITS.launcherTextLength) },
      { launcherText: 'x'.repeat(LIMITS.launcherTextLength + 1) },
    ],
    ['suggestedPrompts', { suggestedPrompts: prompts(0) }, { suggestedPrompts: prompts(1) }],
    [
      'suggestedPrompts.0',
      { suggestedPrompts: ['x'.repeat(LIMITS.suggestedPromptLength)] },
      { suggestedPrompts: ['x'.repeat(LIMITS.suggestedPromptLength + 1)] },
    ],
    ['logo', { logo: base64(pngOf(LIMITS.logoBytes)) }, { logo: base64(pngOf(LIMITS.logoBytes + 1)) }],
    ['accent', { accent: '#abcdef' }, { accent: '#abcdef0' }],
    ['accent', { accent: '#ABCDEF' }, { accent: 'red' }],
    ['name', { name: 'x' }, { name: ' ' }],
  ])('takes the highest and rejects the first value outside the limit of %s', async (name, taken, rejected) => {
    const id = await made();
    await updated(id, taken);
    const { body } = await update(id, rejected);
    const path = ['branding', ...name.split('.')];
    expect(body.data.updateDeployment).toMatchObject({ code: 'INVALID_REQUEST', path });
  });

  it('records each change with its fields, and no change that changes nothing', async () => {
    const id = await made();
    const { prisma } = service.service.services.stores;
    await updated(id, { greeting: 'Hi', launcherText: 'Ask' });
    await updated(id, { greeting: 'Hi', launcherText: 'Help' });
    await updated(id, { greeting: 'Hi' });
    const entries = await prisma.auditEntry.findMany({ where: { subjectId: id }, orderBy: { occurredAt: 'asc' } });
    expect(entries.map(({ details }) => details)).toEqual([
      { branding: { greeting: 'Hi', launcher_text: 'Ask' } },
      { branding: { launcher_text: 'Help' } },
    ]);
  });

  it('is changed only with workflows:write, and only in its workspace', async () => {
    const id = await made();
    const reader = await makeKey(service, { scopes: ['workflows:read'] });
    expect((await update(id, { name: 'X' }, reader)).body.errors[0].extensions.code).toBe('FORBIDDEN');
    expect(await updated(id, {})).toEqual(DEFAULTS);
    expect((await update(randomUUID(), { name: 'X' })).body.data.updateDeployment.code).toBe('NOT_FOUND');
  });
});

describe('a logo', () => {
  it.each([
    ['image/png', PNG],
    ['image/jpeg', JPEG],
    ['image/webp', WEBP],
  ])('is served as %s by its digest, unchanged and without anything that runs', async (type, picture) => {
    const response = await get(await logoPath(await made(), picture));
    expect(response.headers.get('content-type')).toBe(type);
    expect(response.headers.get('cache-control')).toBe('public, max-age=31536000, immutable');
    expect(response.headers.get('x-content-type-options')).toBe('nosniff');
    expect(response.headers.get('content-security-policy')).toBe("default-src 'none'; frame-ancestors 'none'; sandbox");
    expect(response.headers.get('set-cookie')).toBeNull();
    expect(Buffer.from(await response.arrayBuffer())).toEqual(picture);
  });

  it.each([
    ['SVG', '<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>'],
    ['HTML', '<!doctype html><script>alert(1)</script>'],
    ['GIF', 'GIF89a'],
    ['HTML after a space', ` ${PNG.toString('latin1')}`],
  ])('is rejected if it is %s', async (_format, text) => {
    const { body } = await update(await made(), { logo: base64(text) });
    expect(body.data.updateDeployment).toMatchObject({ path: ['branding', 'logo'] });
    expect(body.data.updateDeployment.message).toContain('PNG, JPEG or WebP');
  });

  it('is rejected if it is not base64', async () => {
    const { body } = await update(await made(), { logo: 'https://shop.example/logo.png' });
    expect(body.data.updateDeployment).toMatchObject({ path: ['branding', 'logo'] });
  });

  it('is not found after it is replaced or deleted, or under another deployment', async () => {
    const [id, other] = [await made(), await made()];
    const first = await logoPath(id, PNG);
    const second = await logoPath(id, WEBP);
    expect((await get(first)).status).toBe(404);
    expect((await get(second)).status).toBe(200);
    await updated(id, { greeting: 'Hi' });
    expect((await get(second)).status).toBe(200);
    expect((await get(second.replace(id, other))).status).toBe(404);
    await updated(id, { logo: null });
    expect((await get(second)).status).toBe(404);
    expect((await get(`/logos/${id}/x`)).status).toBe(404);
    expect((await get('/logos/x/y')).status).toBe(404);
  });
});

describe('GET /widget/{deployment_id}.json', () => {
  const settings = async (id: string, origin?: string) =>
    (await get(`/widget/${id}.json`, origin === undefined ? {} : { origin })).json();

  it('is readable by every site, cacheable for each site, and sets no cookie', async () => {
    const { headers } = await get(`/widget/${await made()}.json`, { origin: 'https://shop.example' });
    expect(headers.get('access-control-allow-origin')).toBe('*');
    expect(headers.get('cache-control')).toBe('public, max-age=60');
    expect(headers.get('vary')).toContain('Origin');
    expect(headers.get('set-cookie')).toBeNull();
  });

  it.each<[string, DeploymentFields | undefined]>([
    ['does not exist', undefined],
    ['is not published', { published: false }],
    ['has no hosted page', { hostedPage: false }],
  ])('says nothing else about a deployment that %s', async (_reason, fields) => {
    const id = fields ? await made(fields) : randomUUID();
    expect(await settings(id)).toEqual({ state: 'unavailable' });
  });

  it('does not open for an ID that is not a UUID', async () => {
    expect(await settings('x')).toEqual({ state: 'unavailable' });
  });

  it.each<[string, DeploymentFields, string | undefined, string]>([
    ['a site of the allowlist', { allowlist: ['shop.example'] }, 'https://www.shop.example:8443', 'open'],
    ['another site', { allowlist: ['shop.example'] }, 'https://shop.example.evil.example', 'site_not_allowed'],
    ['a sandboxed page', { allowlist: ['shop.example'] }, 'null', 'site_not_allowed'],
    ['any site, without an allowlist', {}, 'https://evil.example', 'open'],
    ['another site, if turns need credentials', { authRequired: true }, 'https://shop.example', 'site_not_allowed'],
    ['its own host', { authRequired: true }, undefined, 'open'],
  ])('answers %s as the hosted page does', async (_site, fields, origin, state) => {
    expect(await settings(await made(fields), origin)).toMatchObject({ state });
  });

  it('limits the requests of an IP address', async () => {
    const limited = await startService();
    const path = `${limited.url}/widget/${randomUUID()}.json`;
    const { headers } = await fetch(path);
    expect(headers.get('ratelimit-limit')).toBe('600');
    expect(headers.get('ratelimit-remaining')).toBe('599');
    await limited.close();
  });
});

function prompts(more: number): string[] {
  return Array.from({ length: LIMITS.suggestedPrompts + more }, (_, index) => `Prompt ${index}`);
}
