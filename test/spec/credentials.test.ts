import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { SCOPES } from '../../src/contract/scopes.ts';
import type { Answer } from '../support/client.ts';
import { expectError, expectGraphqlError } from '../support/error-bodies.ts';
import { EVERY_FIELD, EVERY_ROUTE, rowOf } from '../support/every-field.ts';
import { type Planted, plant, plantFor } from '../support/plant.ts';
import { startService, type TestService } from '../support/service.ts';
import { makeKey } from '../support/tenants.ts';

let service: TestService;
let planted: Planted;
beforeAll(async () => {
  service = await startService();
  planted = await plant(service);
});
afterAll(() => service.close());

type Headers = Record<string, string>;

/** The same read through each door, with these headers and no others. */
const DOORS = [
  {
    name: 'REST',
    read: (headers: Headers) =>
      service.send('GET', `/v1/runner/conversation/${planted.conversationId}/messages`, { key: null, headers }),
    expectRefused: expectError,
  },
  {
    name: 'GraphQL',
    read: (headers: Headers) => service.graphql('{ conversations { totalCount } }', {}, { key: null, headers }),
    expectRefused: expectGraphqlError,
  },
];

const unknownKey = `sk_live_${'a'.repeat(43)}`;

/** Headers that carry no credential that is good. */
const BAD: readonly [what: string, headers: () => Headers][] = [
  ['none', () => ({})],
  ['an empty x-api-key', () => ({ 'x-api-key': '' })],
  ['an unknown key as Bearer', () => ({ authorization: `Bearer ${unknownKey}` })],
  ['an unknown key as x-api-key', () => ({ 'x-api-key': unknownKey })],
  ['Bearer without a key', () => ({ authorization: 'Bearer' })],
  ['a key without Bearer', () => ({ authorization: service.keys.live })],
  ['Basic', () => ({ authorization: `Basic ${Buffer.from(`key:${service.keys.live}`).toString('base64')}` })],
  ['Bearer in x-api-key', () => ({ 'x-api-key': `Bearer ${service.keys.live}` })],
  ['two keys after one Bearer', () => ({ authorization: `Bearer ${service.keys.live} ${service.keys.live}` })],
  ['a key that is cut', () => ({ authorization: `Bearer ${service.keys.live.slice(0, -1)}` })],
  ['a key with a character more', () => ({ authorization: `Bearer ${service.keys.live}a` })],
  ['a key in another case', () => ({ authorization: `Bearer ${service.keys.live.toLowerCase()}` })],
  ['a live key said to be a test key', () => ({ 'x-api-key': service.keys.live.replace('sk_live_', 'sk_test_') })],
  ['a key that is no ASCII', () => ({ authorization: 'Bearer sk_live_ä' })],
  ['10,000 characters', () => ({ 'x-api-key': 'a'.repeat(10_000) })],
  ['text that means something to a database', () => ({ authorization: "Bearer ' OR 1=1 --" })],
  [
    'a good x-api-key beside an Authorization that is malformed',
    () => ({
      authorization: 'Digest x',
      'x-api-key': service.keys.live,
    }),
  ],
];

for (const { name, read, expectRefused } of DOORS) {
  describe(`SPEC 5: credentials by ${name}`, () => {
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
      ['x-api-key beside an empty Authorization', () => ({ authorization: '', 'x-api-key': service.keys.live })],
    ])('are taken as %s', async (_form, headers) => {
      const { status, body } = await read(headers());
      expect([status, body.errors]).toEqual([200, undefined]);
    });

    it.each(BAD)('are refused with 401 where they are %s', async (_what, headers) => {
      const answer = await read(headers());
      expect(answer.status).toBe(401);
      expect(answer.headers.get('www-authenticate')).toBe('Bearer');
      expectRefused(answer, 'unauthorized', { param: null });
    });

    it('are refused from the moment their key is revoked', async () => {
      const key = await makeKey(service);
      expect((await read({ 'x-api-key': key })).status).toBe(200);
      await service.service.services.prisma.apiKey.updateMany({
        where: { lastFour: key.slice(-4), name: 'A test' },
        data: { revokedAt: new Date() },
      });
      const answer = await read({ 'x-api-key': key });
      expect([answer.status, answer.headers.get('www-authenticate')]).toEqual([401, 'Bearer']);
      expectRefused(answer, 'unauthorized');
    });

    it('are refused with 400 where two disagree, good ones or not', async () => {
      for (const other of [service.keys.test, unknownKey, 'x']) {
        const answer = await read({ authorization: `Bearer ${service.keys.live}`, 'x-api-key': other });
        expectRefused(answer, 'invalid_request', { param: null, message: 'different credentials' });
        expect(answer.status).toBe(400);
      }
    });
  });
}

describe('WIRE 4: a key does only what its scopes say', () => {
  const expectForbidden = (answer: Answer, scope: string | undefined) => {
    const told = { param: null, facts: { required_scope: scope }, message: scope ?? '' };
    if (answer.body.errors) expectGraphqlError(answer, 'forbidden', told);
    else expectError(answer, 'forbidden', told);
  };

  for (const door of [...EVERY_FIELD, ...EVERY_ROUTE].filter(({ scope }) => scope !== undefined)) {
    it(`${door.name} is 403 without ${door.scope}, whatever else the key may do`, async () => {
      const scopes = SCOPES.filter((scope) => scope !== door.scope);
      for (const key of [await makeKey(service, { scopes }), await makeKey(service, { scopes: [] })]) {
        expectForbidden(await rowOf(door)(service, key, planted), door.scope);
      }
    });

    it(`${door.name} asks for nothing but ${door.scope}`, async () => {
      const key = await makeKey(service, { scopes: SCOPES.filter((scope) => scope === door.scope) });
      expect(
        JSON.stringify((await rowOf(door)(service, key, await plantFor(service, door, planted))).body),
      ).not.toContain('forbidden');
    });

    it(`${door.name} is 401 without credentials`, async () => {
      const answer = await rowOf(door)(service, null, planted);
      expect([answer.status, answer.headers.get('www-authenticate')]).toEqual([401, 'Bearer']);
    });
  }
});

describe('WIRE 4: live and test', () => {
  it("never see each other's conversations", async () => {
    const ofTest = await service.send('POST', `/v1/runner/${planted.deploymentId}/conversation`, {
      key: service.keys.test,
      body: { content: [{ type: 'text', text: 'Hello' }] },
    });
    const path = (id: string) => `/v1/runner/conversation/${id}/messages`;
    const read = async (id: string, key: string) => (await service.send('GET', path(id), { key })).status;
    const { conversation_id: testId } = ofTest.body;
    expect([await read(testId, service.keys.test), await read(testId, service.keys.live)]).toEqual([200, 404]);
    expect([
      await read(planted.conversationId, service.keys.live),
      await read(planted.conversationId, service.keys.test),
    ]).toEqual([200, 404]);
  });
});

describe('WIRE 4: only a hash of a key is stored', () => {
  it('in no column of the database stands a key', async () => {
    const { prisma } = service.service.services;
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
    expect(service.logged.join()).not.toMatch(/sk_(live|test)_/);
  });
});
