import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { enumNameOf } from '../../src/contract/enum-names.ts';
import type { HttpResponse, SendOptions } from '../support/client.ts';
import { expectGraphqlError } from '../support/error-bodies.ts';
import { eventsOf } from '../support/resource-apis.ts';
import { resultOf } from '../support/results.ts';
import { startService, type TestService } from '../support/service.ts';
import { makeKey } from '../support/tenants.ts';

const outbound = {
  resolveName: async (name: string) => [
    { address: /^(mcp|elsewhere)\.example$/.test(name) ? '93.184.216.34' : '10.0.0.1', family: 4 },
  ],
};

let service: TestService;
beforeAll(async () => {
  service = await startService({ allowLoopback: false }, { outbound });
});
afterAll(() => service.close());

const URL = 'https://mcp.example/mcp';
const UNKNOWN = 'int_00000000000000000000000000';
const FIELDS = '{ integrationId kind name url headerNames connected connectedAt disconnectedAt }';

function connect(input: object, options?: SendOptions): Promise<HttpResponse> {
  const document = `mutation ($input: ConnectIntegrationInput!) { it: connectIntegration(input: $input) { __typename ... on ConnectIntegrationPayload { integration ${FIELDS} } ... on Error { code message path } } }`;
  return service.graphql(document, { input: { kind: 'MCP', name: 'Ours', url: URL, ...input } }, options);
}

async function connected(input: object = {}): Promise<string> {
  return resultOf(await connect(input)).integrationId;
}

const disconnect = (id: string) =>
  service.graphql(
    `mutation ($id: ID!) { it: disconnectIntegration(input: { id: $id }) { __typename ... on DisconnectIntegrationPayload { integration ${FIELDS} } ... on Error { code message path } } }`,
    { id },
  );

const update = (id: string, input: object) =>
  service.graphql(
    `mutation ($input: UpdateIntegrationInput!) { it: updateIntegration(input: $input) { __typename ... on UpdateIntegrationPayload { integration ${FIELDS} } ... on Error { code message path } } }`,
    { input: { id, ...input } },
  );

const read = (id: string) => service.graphql(`query ($id: ID!) { it: integration(id: $id) ${FIELDS} }`, { id });

describe('integrations', () => {
  it.each(['mcp', 'http'] as const)(
    'of the kind %s can be connected and read back, and the log records it',
    async (kind) => {
      const headers = [{ name: 'Authorization', value: 'Bearer x' }];
      const { body } = await connect({ kind: enumNameOf(kind), headers });
      const { integrationId: id } = resultOf({ body });
      expect(id).toMatch(/^int_[0-7][0-9a-hjkmnp-tv-z]{25}$/);
      const stored = {
        kind: enumNameOf(kind),
        name: 'Ours',
        url: URL,
        headerNames: ['Authorization'],
        connected: true,
      };
      expect(resultOf({ body })).toMatchObject({ ...stored, disconnectedAt: null });
      expect(resultOf(await read(id))).toEqual(resultOf({ body }));
      expect(await eventsOf(service, id)).toMatchObject([
        {
          type: 'integration.connected',
          resource_id: id,
          payload: { integration_id: id, kind, name: 'Ours' },
          occurred_at: resultOf({ body }).connectedAt,
        },
      ]);
    },
  );

  it('are disconnected once and permanently, and the log records it once', async () => {
    const id = await connected();
    const first = await disconnect(id);
    expect(resultOf(first)).toMatchObject({ integrationId: id, connected: false });
    expect(resultOf(first).disconnectedAt).toMatch(/Z$/);
    expect((await disconnect(id)).body).toEqual(first.body);
    const both = await Promise.all([connected(), connected()]);
    await Promise.all([...both, ...both].map(disconnect));
    for (const one of [id, ...both]) {
      const events = await eventsOf(service, one);
      expect(events.map(({ type, payload }) => ({ type, payload }))).toEqual(
        ['integration.connected', 'integration.disconnected'].map((type) => ({
          type,
          payload: { integration_id: one, kind: 'mcp', name: 'Ours' },
        })),
      );
    }
  });

  it('are updated until they are disconnected, and the log does not record it', async () => {
    const id = await connected({ headers: [{ name: 'Authorization', value: 'old' }] });
    const {
      settings: { secretBox },
      stores: { prisma },
    } = service.service.services;
    const secrets = async () => {
      const { sealedSecrets } = await prisma.integration.findFirstOrThrow({ where: { id } });
      return sealedSecrets && JSON.parse(secretBox.open(sealedSecrets, id));
    };
    const stored = resultOf(await read(id));
    for (const nothing of [{}, { name: null, url: null, headers: null }]) {
      expect(resultOf(await update(id, nothing))).toEqual(stored);
    }
    expect(await secrets()).toEqual([{ name: 'Authorization', value: 'old' }]);
    const named = await update(id, { name: 'Theirs', url: `${URL}/2` });
    expect(resultOf(named)).toEqual({ ...stored, name: 'Theirs', url: `${URL}/2` });
    const headers = [{ name: 'X-Key', value: 'new' }];
    const keyed = await update(id, { headers });
    expect(resultOf(keyed)).toEqual({ ...resultOf(named), headerNames: ['X-Key'] });
    expect(await secrets()).toEqual(headers);
    const moved = 'https://elsewhere.example/mcp';
    expectGraphqlError(await update(id, { url: moved }), 'invalid_request', { param: 'headers' });
    expect(resultOf(await update(id, { url: moved, headers }))).toMatchObject({ url: moved });
    expect(resultOf(await update(id, { headers: [] })).headerNames).toEqual([]);
    expect(await secrets()).toBeNull();
    expectGraphqlError(await update(id, { url: 'https://private.example/' }), 'invalid_request', { param: 'url' });
    expectGraphqlError(await update(id, { name: ' ' }), 'invalid_request', { param: 'name' });
    expect(await eventsOf(service, id)).toHaveLength(1);
    await disconnect(id);
    expectGraphqlError(await update(id, { name: 'x' }), 'invalid_request', { param: 'id' });
  });

  it('are listed newest first, with or without disconnected ones', async () => {
    const own = await makeKey(service, { kind: 'test' });
    const created: string[] = [];
    for (let count = 0; count < 3; count += 1) {
      created.unshift(resultOf(await connect({ name: `${count}` }, { key: own })).integrationId);
    }
    const controller = created[1] ?? '';
    await service.graphql(
      'mutation ($id: ID!) { disconnectIntegration(input: { id: $id }) { __typename ... on DisconnectIntegrationPayload { integration { id } } ... on Error { code message path } } }',
      { id: controller },
      { key: own },
    );
    const list = async (args: string) => {
      const document = `{ integrations(${args}) { nodes { integrationId } totalCount pageInfo { endCursor } } }`;
      const { nodes, totalCount, pageInfo } = (await service.graphql(document, {}, { key: own })).body.data
        .integrations;
      const ids = nodes.map(({ integrationId }: { integrationId: string }) => integrationId);
      return { ids, totalCount, endCursor: pageInfo.endCursor };
    };
    const first = await list('first: 2');
    expect(first).toMatchObject({ ids: created.slice(0, 2), totalCount: 3 });
    expect((await list(`first: 2, after: "${first.endCursor}"`)).ids).toEqual(created.slice(2));
    expect(await list('filter: { connected: true }')).toMatchObject({ ids: [created[0], created[2]], totalCount: 2 });
    expect(await list('filter: { connected: false }')).toMatchObject({ ids: [controller], totalCount: 1 });
  });

  it('return not_found if they do not exist, and null for their look-up', async () => {
    for (const id of [UNKNOWN, 'int_', '', 'x']) {
      expect((await read(id)).body).toEqual({ data: { it: null } });
      for (const response of [await update(id, { url: 'x' }), await disconnect(id)]) {
        expectGraphqlError(response, 'not_found', { param: 'id' });
      }
    }
  });

  it('need the scope integrations:manage', async () => {
    const key = await makeKey(service, { scopes: ['resources:write', 'webhooks:manage'] });
    expectGraphqlError(await connect({}, { key }), 'forbidden', { facts: { required_scope: 'integrations:manage' } });
  });
});

describe('the secrets of an integration', () => {
  it('are encrypted, appear in no response, event or log line, and are deleted on disconnect', async () => {
    const value = 'Bearer a-secret-that-nobody-reads';
    const id = await connected({ headers: [{ name: 'Authorization', value }] });
    await connect({ headers: [{ name: 'Host', value }] });
    const {
      stores: { prisma },
      settings: { secretBox },
    } = service.service.services;
    const stored = await prisma.integration.findFirstOrThrow({ where: { id } });
    const sealed = stored.sealedSecrets ?? new Uint8Array();
    expect(Buffer.from(sealed).toString('latin1')).not.toContain('secret');
    expect(JSON.parse(secretBox.open(sealed, id))).toEqual([{ name: 'Authorization', value }]);
    const results = [(await read(id)).body, await eventsOf(service, id), stored.config, service.logLines];
    expect(JSON.stringify(results)).not.toContain('a-secret');
    await disconnect(id);
    expect((await prisma.integration.findFirstOrThrow({ where: { id } })).sealedSecrets).toBeNull();
  });
});

describe('the limits of an integration', () => {
  const header = (name: string, value = 'x') => ({ headers: [{ name, value }] });

  it.each([
    ['name', { name: '' }],
    ['name', { name: ' ' }],
    ['name', { name: 'a'.repeat(101) }],
    ['kind', { kind: 'soap' }],
    ['url', { url: 'http://mcp.example/' }],
    ['url', { url: 'https://private.example/' }],
    ['url', { url: 'http://localhost/' }],
    ['url', { url: 'nonsense' }],
    ['headers[0].name', header('')],
    ['headers[0].name', header('a b')],
    ['headers[0].name', header('a:b')],
    ['headers[0].name', header('ä')],
    ['headers[0].name', header('Host')],
    ['headers[0].name', header('content-length')],
    ['headers[0].name', header('Transfer-Encoding')],
    ['headers[0].value', header('a', '')],
    ['headers[0].value', header('a', ' x')],
    ['headers[0].value', header('a', 'x\r\nHost: evil')],
    ['headers[0].value', header('a', '\u20ac')],
    ['headers[0].value', header('a', 'x'.repeat(4_097))],
    ['headers', { headers: Array.from({ length: 21 }, (_, index) => ({ name: `a${index}`, value: 'x' })) }],
    ['headers', { headers: ['Authorization', 'authorization'].map((name) => ({ name, value: 'x' })) }],
  ])('reject %s in %j', async (param, input) => {
    const response = await connect(input);
    expectGraphqlError(response, 'invalid_request', { param });
    expect(JSON.stringify(response.body)).not.toContain('evil');
  });

  it('accept the maximum length of every field', async () => {
    const headers = Array.from({ length: 20 }, (_, index) => ({ name: `a${index}`, value: 'x'.repeat(4_096) }));
    const { body } = await connect({ name: 'a'.repeat(100), headers });
    expect(resultOf({ body }).headerNames).toHaveLength(20);
  });
});
