import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { expectGraphqlError } from '../support/error-bodies.ts';
import { errorOf, mutationOf, resultOf } from '../support/results.ts';
import { startService, type TestService } from '../support/service.ts';
import { makeKey } from '../support/tenants.ts';
import { changeEndpoint, createEndpoint, makeEndpoint, readEndpoint, updateEndpoint } from '../support/webhooks.ts';

const ADDRESSES: Readonly<Record<string, string>> = {
  localhost: '127.0.0.1',
  'public.example': '93.184.216.34',
  'private.example': '10.1.2.3',
  'loopback.example': '127.0.0.1',
  'link-local.example': '169.254.169.254',
  'inside.example': 'fd00::1',
};

const outbound = {
  resolveName: async (name: string) => {
    const address = ADDRESSES[name];
    if (!address) throw new Error('no such host');
    return [{ address, family: address.includes(':') ? 6 : 4 }];
  },
};

const PUBLIC = 'https://public.example/hook?token=a';
/** The selections of operations that do not return the endpoint itself. */
const UNKNOWN = 'whk_00000000000000000000000000';

let service: TestService;
beforeAll(async () => {
  service = await startService({ allowLoopback: false }, { outbound });
});
afterAll(() => service.close());
afterEach(async () => {
  await service.service.services.stores.prisma.webhookEndpoint.deleteMany();
});

describe('webhook endpoints', () => {
  it('are created and read back without the secret', async () => {
    const eventTypes = ['RESOURCE_CREATED', 'INTEGRATION_CONNECTED'];
    const { body } = await createEndpoint(service, { url: PUBLIC, description: 'Ours', eventTypes });
    const { endpoint, secret } = body.data.createWebhookEndpoint;
    expect(endpoint).toMatchObject({ url: PUBLIC, description: 'Ours', eventTypes, enabled: true });
    expect(endpoint.endpointId).toMatch(/^whk_[0-7][0-9a-hjkmnp-tv-z]{25}$/);
    expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
    expect(resultOf(await readEndpoint(service, endpoint.endpointId))).toEqual(endpoint);
  });

  it('subscribe to every event type by default', async () => {
    const { body } = await createEndpoint(service, { url: PUBLIC });
    const { endpoint } = body.data.createWebhookEndpoint;
    expect(endpoint).toMatchObject({ description: '', eventTypes: null });
  });

  it('are listed newest first, page by page', async () => {
    const created: string[] = [];
    for (let count = 0; count < 3; count += 1) created.push((await makeEndpoint(service, PUBLIC)).id);
    const page = async (after: string | null) => {
      const document = `query ($after: String) {
        webhookEndpoints(first: 2, after: $after) { nodes { endpointId } totalCount pageInfo { endCursor hasNextPage } } }`;
      return (await service.graphql(document, { after })).body.data.webhookEndpoints;
    };
    const first = await page(null);
    const second = await page(first.pageInfo.endCursor);
    const ids = [...first.nodes, ...second.nodes].map(({ endpointId }: { endpointId: string }) => endpointId);
    expect(ids).toEqual(created.reverse());
    expect([first.totalCount, first.pageInfo.hasNextPage, second.pageInfo.hasNextPage]).toEqual([3, true, false]);
  });

  it('keep the fields that an update omits', async () => {
    const { id } = await makeEndpoint(service, PUBLIC, { description: 'Ours', eventTypes: ['RESOURCE_CREATED'] });
    const change = async (input: object) => resultOf(await updateEndpoint(service, id, input));
    const url = 'https://public.example/other';
    const stored = { description: 'Ours', eventTypes: ['RESOURCE_CREATED'] };
    expect(await change({ url })).toMatchObject({ ...stored, url });
    expect(await change({ description: '' })).toMatchObject({ ...stored, url, description: '' });
    expect(await change({ eventTypes: null })).toMatchObject({ url, description: '', eventTypes: null });
    expect(await change({})).toMatchObject({ url, description: '', eventTypes: null });
  });

  it('can be disabled and enabled repeatedly', async () => {
    const { id } = await makeEndpoint(service, PUBLIC);
    for (const [name, enabled] of [
      ['disableWebhookEndpoint', false],
      ['disableWebhookEndpoint', false],
      ['enableWebhookEndpoint', true],
      ['enableWebhookEndpoint', true],
    ] as const) {
      expect(resultOf(await changeEndpoint(service, name, id))).toMatchObject({ endpointId: id, enabled });
    }
  });

  it('are limited to 20 per environment, even when many are created at once', async () => {
    const all = await Promise.all(Array.from({ length: 25 }, () => createEndpoint(service, { url: PUBLIC })));
    const rejected = all.filter(errorOf);
    expect(rejected).toHaveLength(5);
    for (const response of rejected) expectGraphqlError(response, 'invalid_request', { param: null, message: /20/ });
    const other = await createEndpoint(service, { url: PUBLIC }, { key: service.keys.test });
    expect(errorOf(other)).toBeUndefined();
  });

  it.each([
    'updateWebhookEndpoint',
    'enableWebhookEndpoint',
    'disableWebhookEndpoint',
    'deleteWebhookEndpoint',
    'rotateWebhookSecret',
    'sendTestWebhook',
  ])('return not_found from %s if they do not exist', async (name) => {
    const changes = name === 'updateWebhookEndpoint' ? { url: 'nonsense' } : {};
    for (const id of [UNKNOWN, 'whk_', '', 'x']) {
      const response = await service.graphql(mutationOf(name, '{ __typename }'), { input: { id, ...changes } });
      expectGraphqlError(response, 'not_found', { param: 'id' });
    }
  });

  it('need the scope webhooks:manage', async () => {
    const key = await makeKey(service, { scopes: ['resources:write', 'events:read'] });
    const response = await createEndpoint(service, { url: PUBLIC }, { key });
    expectGraphqlError(response, 'forbidden', { facts: { required_scope: 'webhooks:manage' } });
  });
});

describe('the address of an endpoint', () => {
  const rejected = [
    '',
    ' ',
    'nonsense',
    '/hook',
    'ftp://public.example/',
    'http://public.example/hook',
    'https://user:password@public.example/',
    'https://private.example/',
    'https://loopback.example/',
    'https://link-local.example/',
    'https://inside.example/',
    'https://unknown.example/',
    'https://10.0.0.1/',
    'https://[::1]/',
    'https://2130706433/',
    'https://127.0.0.1:8443/',
    'http://127.0.0.1/',
    'http://localhost/',
    'https://public.example/a b',
    `https://public.example/${'a'.repeat(2_048)}`,
  ];

  it.each(rejected)('is rejected as %s, at creation and in an update', async (url) => {
    expectGraphqlError(await createEndpoint(service, { url }), 'invalid_request', { param: 'url' });
    const { id } = await makeEndpoint(service, PUBLIC);
    expectGraphqlError(await updateEndpoint(service, id, { url }), 'invalid_request', { param: 'url' });
    expect(resultOf(await readEndpoint(service, id)).url).toBe(PUBLIC);
  });

  it.each(['private', 'unknown'])('is rejected with the same message if its name is %s', async (name) => {
    const response = await createEndpoint(service, { url: `https://${name}.example/` });
    expect(errorOf(response)?.message).toBe('url cannot be used. The address is not public.');
  });

  it('may be this machine, also by http, if the configuration allows it, and only this machine', async () => {
    const open = await startService({ allowLoopback: true }, { outbound });
    for (const url of ['http://127.0.0.1:9/', 'http://localhost:9/', 'http://[::1]:9/', 'https://127.0.0.1:9/']) {
      expect([url, errorOf(await createEndpoint(open, { url }))]).toEqual([url, undefined]);
    }
    for (const url of ['http://public.example/', 'http://10.0.0.1/', 'https://10.0.0.1/', 'http://loopback.example/']) {
      expectGraphqlError(await createEndpoint(open, { url }), 'invalid_request', { param: 'url' });
    }
    await open.close();
  });
});

describe('limits of an endpoint', () => {
  it.each([
    ['description', 'a'.repeat(501), 'description'],
    ['description', 'a\0', 'description'],
    ['eventTypes', [], 'eventTypes'],
    ['eventTypes', ['RESOURCE_CREATED', 'WEBHOOK_TEST'], 'eventTypes[1]'],
    ['eventTypes', ['*'], 'eventTypes[0]'],
  ])('%s is rejected as %j', async (field, value, param) => {
    const response = await createEndpoint(service, { url: PUBLIC, [field]: value });
    expectGraphqlError(response, 'invalid_request', { param });
  });
});
