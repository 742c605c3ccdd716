import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { expectError, expectGraphqlError } from '../support/error-bodies.ts';
import { createFixtures, type Fixtures } from '../support/fixtures.ts';
import { startService, type TestService } from '../support/service.ts';
import { makeKey } from '../support/tenants.ts';

let service: TestService;
let fixtures: Fixtures;
beforeAll(async () => {
  service = await startService();
  fixtures = await createFixtures(service);
});
afterAll(() => service.close());

type Headers = Record<string, string>;

/** The same read through each API, with only these headers. */
const APIS = [
  {
    name: 'REST',
    read: (headers: Headers) =>
      service.send('GET', `/v1/runner/conversation/${fixtures.conversationId}/messages`, { key: null, headers }),
    expectRefused: expectError,
  },
  {
    name: 'GraphQL',
    read: (headers: Headers) => service.graphql('{ conversations { totalCount } }', {}, { key: null, headers }),
    expectRefused: expectGraphqlError,
  },
];

const unknownKey = `sk_live_${'a'.repeat(43)}`;

/** Headers without a valid credential. */
const BAD: readonly [what: string, headers: () => Headers][] = [
  ['no credentials', () => ({})],
  ['an empty x-api-key', () => ({ 'x-api-key': '' })],
  ['an unknown key as Bearer', () => ({ authorization: `Bearer ${unknownKey}` })],
  ['an unknown key as x-api-key', () => ({ 'x-api-key': unknownKey })],
  ['Bearer without a key', () => ({ authorization: 'Bearer' })],
  ['a key without Bearer', () => ({ authorization: service.keys.live })],
  ['Basic', () => ({ authorization: `Basic ${Buffer.from(`key:${service.keys.live}`).toString('base64')}` })],
  ['Bearer in x-api-key', () => ({ 'x-api-key': `Bearer ${service.keys.live}` })],
  ['two keys after one Bearer', () => ({ authorization: `Bearer ${service.keys.live} ${service.keys.live}` })],
  ['a truncated key', () => ({ authorization: `Bearer ${service.keys.live.slice(0, -1)}` })],
  ['a key with an additional character', () => ({ authorization: `Bearer ${service.keys.live}a` })],
  ['a key in another case', () => ({ authorization: `Bearer ${service.keys.live.toLowerCase()}` })],
  [
    'a live key with the prefix of a test key',
    () => ({ 'x-api-key': service.keys.live.replace('sk_live_', 'sk_test_') }),
  ],
  ['a key that is not ASCII', () => ({ authorization: 'Bearer sk_live_ä' })],
  ['10,000 characters', () => ({ 'x-api-key': 'a'.repeat(10_000) })],
  ['SQL text', () => ({ authorization: "Bearer ' OR 1=1 --" })],
];

for (const { name, read, expectRefused: expectRejected } of APIS) {
  describe(`credentials through ${name}`, () => {
    it.each<[string, () => Headers]>([
      ['Authorization: Bearer', () => ({ authorization: `Bearer ${service.keys.live}` })],
      ['the word Bearer in any case', () => ({ authorization: `bearer ${service.keys.live}` })],
      ['x-api-key', () => ({ 'x-api-key': service.keys.live })],
      [
        'the same key in both',
        () => ({
          authorization: `Bearer ${service.keys.live}`,
          'x-api-key': service.keys.live,
        }),
      ],
      [
        'x-api-key next to credentials of a proxy',
        () => ({ authorization: 'Basic eDp5', 'x-api-key': service.keys.live }),
      ],
      ['x-api-key next to an unknown scheme', () => ({ authorization: 'Digest x', 'x-api-key': service.keys.live })],
      ['x-api-key next to an empty Authorization', () => ({ authorization: '', 'x-api-key': service.keys.live })],
    ])('are accepted as %s', async (_form, headers) => {
      const { status, body } = await read(headers());
      expect([status, body.errors]).toEqual([200, undefined]);
    });

    it.each(BAD)('are rejected with 401: %s', async (_description, headers) => {
      const response = await read(headers());
      expect(response.status).toBe(401);
      expect(response.headers.get('www-authenticate')).toMatch(/^Bearer resource_metadata=/);
      expectRejected(response, 'unauthorized', { param: null });
    });

    it('are rejected from the moment their key is revoked', async () => {
      const key = await makeKey(service);
      expect((await read({ 'x-api-key': key })).status).toBe(200);
      await service.service.services.stores.prisma.apiKey.updateMany({
        where: { lastFour: key.slice(-4), name: 'A test' },
        data: { revokedAt: new Date() },
      });
      const response = await read({ 'x-api-key': key });
      expect(response.status).toBe(401);
      expect(response.headers.get('www-authenticate')).toMatch(/^Bearer resource_metadata=/);
      expectRejected(response, 'unauthorized');
    });

    it('are rejected with 400 if two disagree, valid or not', async () => {
      for (const other of [service.keys.test, unknownKey, 'x']) {
        const response = await read({ authorization: `Bearer ${service.keys.live}`, 'x-api-key': other });
        expectRejected(response, 'invalid_request', { param: null, message: 'different credentials' });
        expect(response.status).toBe(400);
      }
    });
  });
}

describe('repeated headers', () => {
  const send = async (headers: readonly string[]) => {
    const { hostname, port } = new URL(service.url);
    const path = `/v1/runner/conversation/${fixtures.conversationId}/messages`;
    const sent = request({ hostname, port, path, headers: ['Host', hostname, ...headers] });
    const [response] = (await once(sent.end(), 'response')) as [IncomingMessage];
    response.resume();
    return response.statusCode;
  };

  it.each([
    ['Authorization', (key: string) => `Bearer ${key}`],
    ['X-Api-Key', (key: string) => key],
  ])('of %s may only repeat the same credential', async (name, written) => {
    const [own, other] = [written(service.keys.live), written(service.keys.test)];
    expect(await send([name, own, name.toLowerCase(), own])).toBe(200);
    expect(await send([name, own, name, other])).toBe(400);
    expect(await send([name, own, name, written(unknownKey)])).toBe(400);
  });

  it('joined with a comma count like repeated ones', async () => {
    const [own, other] = [`Bearer ${service.keys.live}`, `Bearer ${service.keys.test}`];
    expect(await send(['Authorization', `Basic eDp5, ${own}`])).toBe(200);
    expect(await send(['Authorization', `${own}, Digest username="x, y", realm="z"`])).toBe(200);
    expect(await send(['Authorization', `${own}, ${own}`])).toBe(200);
    expect(await send(['Authorization', `${own}, ${other}`])).toBe(400);
    expect(await send(['X-Api-Key', `${service.keys.live}, ${service.keys.live}`])).toBe(200);
    expect(await send(['X-Api-Key', `${service.keys.live}, ${service.keys.test}`])).toBe(400);
  });

  it('of Authorization may carry other schemes', async () => {
    const own = `Bearer ${service.keys.live}`;
    expect(await send(['Authorization', 'Basic eDp5', 'Authorization', own])).toBe(200);
    expect(await send(['Authorization', own, 'Authorization', 'Basic eDp5'])).toBe(200);
  });
});

describe('live and test', () => {
  it("never see each other's conversations", async () => {
    const ofTest = await service.send('POST', `/v1/runner/${fixtures.deploymentId}/conversation`, {
      key: service.keys.test,
      body: { content: [{ type: 'text', text: 'Hello' }] },
    });
    const path = (id: string) => `/v1/runner/conversation/${id}/messages`;
    const read = async (id: string, key: string) => (await service.send('GET', path(id), { key })).status;
    const { conversation_id: testId } = ofTest.body;
    expect([await read(testId, service.keys.test), await read(testId, service.keys.live)]).toEqual([200, 404]);
    expect([
      await read(fixtures.conversationId, service.keys.live),
      await read(fixtures.conversationId, service.keys.test),
    ]).toEqual([200, 404]);
  });
});

describe('only a hash of a key is stored', () => {
  it('stores no key in any column of the database', async () => {
    const { prisma } = service.service.services.stores;
    const keys = [service.keys.live, service.keys.test, await makeKey(service)];
    for (const key of keys) expect((await service.graphql('{ __typename }', {}, { key })).status).toBe(200);
    const tables = await prisma.$queryRaw<{ name: string }[]>`
      SELECT table_name AS name FROM information_schema.tables WHERE table_schema = 'public'`;
    for (const { name } of tables) {
      const rows = JSON.stringify(await prisma.$queryRawUnsafe(`SELECT t::text AS row FROM "${name}" t`));
      for (const key of keys) {
        expect(rows).not.toContain(key);
        expect(rows).not.toContain(key.slice(-43));
      }
    }
    expect(tables.map(({ name }) => name)).toContain('api_key');
    expect(service.logLines.join()).not.toMatch(/sk_(live|test)_/);
  });
});
