import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { nested } from '../support/json-text.ts';
import { eventsOf, RESOURCE_APIS } from '../support/resource-apis.ts';
import { errorOf } from '../support/results.ts';
import { startService, type TestService } from '../support/service.ts';

let service: TestService;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.close());

const UNKNOWN = 'res_00000000000000000000000000';
const RESOURCE_ID = /^res_[0-7][0-9a-hjkmnp-tv-z]{25}$/;
const KIB = 1024;

for (const api of RESOURCE_APIS) {
  const make = async (fields: object = { name: 'Ada' }, type = 'contact') => {
    const { resource, etag } = await api.create(service, type, fields);
    return { ...resource, id: resource?.id ?? '', etag: etag ?? '' };
  };

  describe(`resources through ${api.name}`, () => {
    it('are created and read back unchanged', async () => {
      const fields = { name: 'Ada', tags: ['a', { deep: null }], snake_case: 1, camelCase: 1.5, '': '', __proto: true };
      const created = await api.create(service, 'contact', fields);
      expect(created).toMatchObject({ status: 201, resource: { type: 'contact', fields } });
      const { id = '', createdAt, updatedAt } = created.resource ?? {};
      expect(id).toMatch(RESOURCE_ID);
      expect(createdAt).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
      expect(updatedAt).toBe(createdAt);
      expect(await api.read(service, id)).toEqual({ ...created, status: 200 });
    });

    it('keep keys and numbers that JavaScript would lose', async () => {
      const text = '{"__proto__":{"a":1},"constructor":2,"$type":"x","10":1,"2":2,"n":1e300,"z":-0}';
      const sent = JSON.parse(text) as object;
      const { id } = await make(sent);
      const { resource } = await api.read(service, id);
      expect(Object.entries(resource?.fields ?? {}).sort()).toEqual(Object.entries({ ...sent, z: 0 }).sort());
      expect(Object.hasOwn(resource?.fields ?? {}, '__proto__')).toBe(true);
    });

    it('are updated with the sent keys, null included, and keep the others', async () => {
      const { id, createdAt } = await make({ keep: [1], change: { a: 1, b: 2 }, clear: 'x' });
      const changed = await api.update(service, id, { change: { a: 1 }, clear: null, add: 3 });
      const fields = { keep: [1], change: { a: 1 }, clear: null, add: 3 };
      expect(changed).toMatchObject({ status: 200, resource: { id, fields, createdAt } });
      expect(await api.read(service, id)).toEqual(changed);
    });

    it('record an update with before and after of the changed keys only', async () => {
      const { id } = await make({ same: { x: 1, y: [2] }, change: 1 });
      await api.update(service, id, { same: { y: [2], x: 1 }, change: 2, add: null });
      expect((await eventsOf(service, id)).map(({ type, payload }) => ({ type, payload }))).toEqual([
        { type: 'resource.created', payload: { type: 'contact', fields: { same: { x: 1, y: [2] }, change: 1 } } },
        { type: 'resource.updated', payload: { before: { change: 1 }, after: { change: 2, add: null } } },
      ]);
    });

    it.each([{}, { a: 1 }, { b: { y: [null], x: 1 } }, { a: 1, b: { x: 1, y: [null] } }])(
      'are not changed by the equal value %j: no event, and the same updated_at',
      async (patch) => {
        const { id } = await make({ a: 1, b: { x: 1, y: [null] } });
        const before = await api.read(service, id);
        expect(await api.update(service, id, patch)).toEqual(before);
        expect(await api.read(service, id)).toEqual(before);
        expect(await eventsOf(service, id)).toHaveLength(1);
      },
    );

    it('are deleted with an empty response, and the log keeps their last state', async () => {
      const { id } = await make({ name: 'Ada' });
      expect(await api.delete(service, id)).toEqual({ status: 204 });
      expect(await api.read(service, id)).toMatchObject({ status: 404, code: 'not_found' });
      const last = (await eventsOf(service, id)).at(-1);
      expect(last).toMatchObject({ type: 'resource.deleted', payload: { type: 'contact', fields: { name: 'Ada' } } });
    });

    it.each([UNKNOWN, 'res_', 'x', 'RES_01m7yzjxd9e5st3z1tnx0vwvq9', "' OR 1=1"])(
      'return 404 if they do not exist (%s), before other errors',
      async (id) => {
        const missing = { status: 404, code: 'not_found', param: 'id' };
        expect(await api.read(service, id)).toMatchObject(missing);
        expect(await api.update(service, id, { a: 1 })).toMatchObject(missing);
        expect(await api.update(service, id, { a: JSON.parse(nested(30)) }, 'wrong')).toMatchObject(missing);
        expect(await api.delete(service, id, 'wrong')).toMatchObject(missing);
      },
    );
  });

  describe(`limits of a resource through ${api.name}`, () => {
    it.each(['a', 'a1_', 'a'.repeat(64)])('accept the type %s', async (type) => {
      expect((await api.create(service, type, {})).status).toBe(201);
    });

    it.each(['', 'A', '1a', '_a', 'a-b', 'a b', 'ä', 'a'.repeat(65), 'a\n', 5, null, ['a'], undefined])(
      'reject the type %j',
      async (type) => {
        expect(await api.create(service, type, {})).toMatchObject({ status: 400, param: 'type' });
      },
    );

    it.each([null, undefined, [], 'a', 5, true])('reject the fields %j', async (fields) => {
      const rejected = { status: 400, code: 'invalid_request', param: 'fields' };
      expect(await api.create(service, 'a', fields)).toMatchObject(rejected);
      const { id } = await make();
      expect(await api.update(service, id, fields)).toMatchObject(rejected);
    });

    it('allow at most 20 levels of fields', async () => {
      const deep = (levels: number) => JSON.parse(nested(levels)) as object;
      const { id } = await make();
      // The fields object is the first level.
      expect((await api.create(service, 'a', { a: deep(19) })).status).toBe(201);
      expect((await api.update(service, id, { a: deep(19) })).status).toBe(200);
      const rejected = { status: 400, param: 'fields', message: expect.stringContaining('20 levels') };
      expect(await api.create(service, 'a', { a: deep(20) })).toMatchObject(rejected);
      expect(await api.update(service, id, { a: deep(20) })).toMatchObject(rejected);
    });

    it('allow at most 256 KiB of fields as JSON in bytes, also after a merge', async () => {
      const frame = JSON.stringify({ a: '' }).length;
      const full = 'x'.repeat(256 * KIB - frame);
      const { id } = await make({ a: full });
      expect((await api.read(service, id)).resource?.fields.a).toBe(full);
      const rejected = { status: 400, param: 'fields', message: expect.stringContaining('256 KiB') };
      expect(await api.create(service, 'a', { a: `${full}x` })).toMatchObject(rejected);
      expect(await api.create(service, 'a', { a: 'ä'.repeat(full.length - 1) })).toMatchObject(rejected);
      expect(await api.update(service, id, { b: 1 })).toMatchObject(rejected);
      expect(await eventsOf(service, id)).toHaveLength(1);
      expect((await api.update(service, id, { a: 'less', b: 1 })).status).toBe(200);
    });

    it.each(['1e999', '-1e999'])(
      'reject a number outside the range of JavaScript (%s), and name its field',
      async (number) => {
        const raw = {
          REST: ['/v1/resources', `{"type":"a","fields":{"a":{"b":[0,${number}]}}}`],
          GraphQL: [
            '/graphql',
            `{"query":"mutation ($input: CreateResourceInput!) { createResource(input: $input) { __typename ... on CreateResourcePayload { resource { id } } ... on Error { code message path } } }","variables":{"input":{"type":"a","fields":{"a":{"b":[0,${number}]}}}}}`,
          ],
        }[api.name] as [string, string];
        const response = await service.send('POST', raw[0], { raw: raw[1] });
        expect(errorOf(response)).toMatchObject({ code: 'invalid_request', param: 'fields.a.b[1]' });
      },
    );

    it.each(['a\0', '\ud800'])('reject text and keys that cannot be stored', async (text) => {
      const { id } = await make();
      for (const fields of [{ a: text }, { [text]: 1 }, { a: [{ [text]: 1 }] }]) {
        expect(await api.create(service, 'a', fields)).toMatchObject({ status: 400, code: 'invalid_request' });
        expect(await api.update(service, id, fields)).toMatchObject({ status: 400, code: 'invalid_request' });
      }
    });
  });
}

describe('the cost of a resource in SQL statements', () => {
  it('is 2 to create it: credentials, and one that writes resource and event', async () => {
    service.takeStatements();
    await service.send('POST', '/v1/resources', { body: { type: 'a', fields: { a: 1, b: 2 } } });
    const statements = service.takeStatements();
    expect(statements, statements.join('\n---\n')).toHaveLength(2);
  });
});
