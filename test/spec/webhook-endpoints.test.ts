import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { expectGraphqlError } from '../support/error-bodies.ts';
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
/** What operations select that do not answer the endpoint itself. */
const FIELDS: Readonly<Record<string, string>> = {
  rotateWebhookSecret: '{ secret }',
  sendTestWebhook: '{ deliveryId }',
};

const UNKNOWN = 'whk_00000000000000000000000000';

let service: TestService;
beforeAll(async () => {
  service = await startService({ allowLoopback: false }, { outbound });
});
afterAll(() => service.close());
afterEach(async () => {
  await service.service.services.prisma.webhookEndpoint.deleteMany();
});

describe('WIRE 12: webhook endpoints', () => {
  it('are created and read back, but for the secret', async () => {
    const eventTypes = ['resource.created', 'integration.connected'];
    const { body } = await createEndpoint(service, { url: PUBLIC, description: 'Ours', eventTypes });
    const { endpoint, secret } = body.data.createWebhookEndpoint;
    expect(endpoint).toMatchObject({ url: PUBLIC, description: 'Ours', eventTypes, enabled: true });
    expect(endpoint.endpointId).toMatch(/^whk_[0-7][0-9a-hjkmnp-tv-z]{25}$/);
    expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
    expect((await readEndpoint(service, endpoint.endpointId)).body.data.it).toEqual(endpoint);
  });

  it('want events of every type where none is named', async () => {
    const { body } = await createEndpoint(service, { url: PUBLIC });
    const { endpoint } = body.data.createWebhookEndpoint;
    expect(endpoint).toMatchObject({ description: '', eventTypes: null });
  });

  it('are listed newest first, page by page', async () => {
    const made: string[] = [];
    for (let count = 0; count < 3; count += 1) made.push((await makeEndpoint(service, PUBLIC)).id);
    const page = async (after: string | null) => {
      const document = `query ($after: String) {
        webhookEndpoints(first: 2, after: $after) { nodes { endpointId } totalCount pageInfo { endCursor hasNextPage } } }`;
      return (await service.graphql(document, { after })).body.data.webhookEndpoints;
    };
    const first = await page(null);
    const second = await page(first.pageInfo.endCursor);
    const ids = [...first.nodes, ...second.nodes].map(({ endpointId }: { endpointId: string }) => endpointId);
    expect(ids).toEqual(made.reverse());
    expect([first.totalCount, first.pageInfo.hasNextPage, second.pageInfo.hasNextPage]).toEqual([3, true, false]);
  });

  it('keep what a change leaves out', async () => {
    const { id } = await makeEndpoint(service, PUBLIC, { description: 'Ours', eventTypes: ['resource.created'] });
    const change = async (input: object) => (await updateEndpoint(service, id, input)).body.data.it;
    const url = 'https://public.example/other';
    const kept = { description: 'Ours', eventTypes: ['resource.created'] };
    expect(await change({ url })).toMatchObject({ ...kept, url });
    expect(await change({ description: '' })).toMatchObject({ ...kept, url, description: '' });
    expect(await change({ eventTypes: null })).toMatchObject({ url, description: '', eventTypes: null });
    expect(await change({})).toMatchObject({ url, description: '', eventTypes: null });
  });

  it('are disabled and enabled, as often as anybody likes', async () => {
    const { id } = await makeEndpoint(service, PUBLIC);
    for (const [name, enabled] of [
      ['disableWebhookEndpoint', false],
      ['disableWebhookEndpoint', false],
      ['enableWebhookEndpoint', true],
      ['enableWebhookEndpoint', true],
    ] as const) {
      expect((await changeEndpoint(service, name, id)).body.data.it).toMatchObject({ endpointId: id, enabled });
    }
  });

  it('are at most 20 in an environment, also when many are made at once', async () => {
    const all = await Promise.all(Array.from({ length: 25 }, () => createEndpoint(service, { url: PUBLIC })));
    const refused = all.filter(({ body }) => body.errors);
    expect(refused).toHaveLength(5);
    for (const answer of refused) expectGraphqlError(answer, 'invalid_request', { param: null, message: /20/ });
    const other = await createEndpoint(service, { url: PUBLIC }, { key: service.keys.test });
    expect(other.body.errors).toBeUndefined();
  });

  it.each([
    'updateWebhookEndpoint',
    'enableWebhookEndpoint',
    'disableWebhookEndpoint',
    'deleteWebhookEndpoint',
    'rotateWebhookSecret',
    'sendTestWebhook',
    'webhookEndpoint',
  ])('that are not there are told of as such by %s', async (name) => {
    const fields = FIELDS[name] ?? '{ endpointId }';
    const operation = name === 'webhookEndpoint' ? 'query' : 'mutation';
    const input = name === 'updateWebhookEndpoint' ? ', input: { url: "nonsense" }' : '';
    for (const id of [UNKNOWN, 'whk_', '', 'x']) {
      const answer = await service.graphql(`${operation} ($id: ID!) { ${name}(id: $id${input}) ${fields} }`, { id });
      expectGraphqlError(answer, 'not_found', { param: 'id' });
    }
  });

  it('need the scope webhooks:manage', async () => {
    const key = await makeKey(service, { scopes: ['resources:write', 'events:read'] });
    const answer = await createEndpoint(service, { url: PUBLIC }, { key });
    expectGraphqlError(answer, 'forbidden', { facts: { required_scope: 'webhooks:manage' } });
  });
});

describe('WIRE 12: the address of an endpoint', () => {
  const refused = [
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

  it.each(refused)('is refused as %s, at creation and in a change', async (url) => {
    expectGraphqlError(await createEndpoint(service, { url }), 'invalid_request', { param: 'url' });
    const { id } = await makeEndpoint(service, PUBLIC);
    expectGraphqlError(await updateEndpoint(service, id, { url }), 'invalid_request', { param: 'url' });
    expect((await readEndpoint(service, id)).body.data.it.url).toBe(PUBLIC);
  });

  it('is told to be wrong in words that hold nothing of what its name leads to', async () => {
    const { body } = await createEndpoint(service, { url: 'https://private.example/' });
    expect(body.errors[0].message).toBe('url cannot be used. The address is not a public one.');
  });

  it('may be this machine, by http too, where the configuration allows it; other addresses stay what they are', async () => {
    const open = await startService({ allowLoopback: true }, { outbound });
    for (const url of ['http://127.0.0.1:9/', 'http://localhost:9/', 'http://[::1]:9/', 'https://127.0.0.1:9/']) {
      const { body } = await createEndpoint(open, { url });
      expect([url, body.errors]).toEqual([url, undefined]);
    }
    for (const url of ['http://public.example/', 'http://10.0.0.1/', 'https://10.0.0.1/', 'http://loopback.example/']) {
      expectGraphqlError(await createEndpoint(open, { url }), 'invalid_request', { param: 'url' });
    }
    await open.close();
  });
});

describe('WIRE 1: limits of an endpoint', () => {
  it.each([
    ['description', 'a'.repeat(501)],
    ['description', 'a\0'],
    ['eventTypes', []],
    ['eventTypes', ['resource.created', 'webhook.test']],
    ['eventTypes', ['*']],
  ])('%s is refused as %j', async (param, value) => {
    const answer = await createEndpoint(service, { url: PUBLIC, [param]: value });
    expectGraphqlError(answer, 'invalid_request', { param });
  });
});
