import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { nested } from '../support/json-text.ts';
import { eventsOf, RESOURCE_DOORS } from '../support/resource-doors.ts';
import { startService, type TestService } from '../support/service.ts';

let service: TestService;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.close());

const UNKNOWN = 'res_00000000000000000000000000';
const RESOURCE_ID = /^res_[0-7][0-9a-hjkmnp-tv-z]{25}$/;
const KIB = 1024;

for (const door of RESOURCE_DOORS) {
  const make = async (fields: object = { name: 'Ada' }, type = 'contact') => {
    const { resource, etag } = await door.create(service, type, fields);
    return { ...resource, id: resource?.id ?? '', etag: etag ?? '' };
  };

  describe(`SPEC 4.8: resources by ${door.name}`, () => {
    it('are created and read back as they were sent', async () => {
      const fields = { name: 'Ada', tags: ['a', { deep: null }], snake_case: 1, camelCase: 1.5, '': '', __proto: true };
      const created = await door.create(service, 'contact', fields);
      expect(created).toMatchObject({ status: 201, resource: { type: 'contact', fields } });
      const { id = '', createdAt, updatedAt } = created.resource ?? {};
      expect(id).toMatch(RESOURCE_ID);
      expect(createdAt).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
      expect(updatedAt).toBe(createdAt);
      expect(await door.read(service, id)).toEqual({ ...created, status: 200 });
    });

    it('keep keys and numbers that JavaScript would lose', async () => {
      const text = '{"__proto__":{"a":1},"constructor":2,"$type":"x","10":1,"2":2,"n":1e300,"z":-0}';
      const sent = JSON.parse(text) as object;
      const { id } = await make(sent);
      const { resource } = await door.read(service, id);
      expect(Object.entries(resource?.fields ?? {}).sort()).toEqual(Object.entries({ ...sent, z: 0 }).sort());
      expect(Object.hasOwn(resource?.fields ?? {}, '__proto__')).toBe(true);
    });

    it('take of a change the keys that are given, null included, and keep the others', async () => {
      const { id, createdAt } = await make({ keep: [1], change: { a: 1, b: 2 }, clear: 'x' });
      const changed = await door.update(service, id, { change: { a: 1 }, clear: null, add: 3 });
      const fields = { keep: [1], change: { a: 1 }, clear: null, add: 3 };
      expect(changed).toMatchObject({ status: 200, resource: { id, fields, createdAt } });
      expect(await door.read(service, id)).toEqual(changed);
    });

    it('tell of a change with before and after of the changed keys only', async () => {
      const { id } = await make({ same: { x: 1, y: [2] }, change: 1 });
      await door.update(service, id, { same: { y: [2], x: 1 }, change: 2, add: null });
      expect((await eventsOf(service, id)).map(({ type, payload }) => ({ type, payload }))).toEqual([
        { type: 'resource.created', payload: { type: 'contact', fields: { same: { x: 1, y: [2] }, change: 1 } } },
        { type: 'resource.updated', payload: { before: { change: 1 }, after: { change: 2, add: null } } },
      ]);
    });

    it.each([{}, { a: 1 }, { b: { y: [null], x: 1 } }, { a: 1, b: { x: 1, y: [null] } }])(
      'are not changed by %j, which is what they are: no event, and updated_at stays',
      async (patch) => {
        const { id } = await make({ a: 1, b: { x: 1, y: [null] } });
        const before = await door.read(service, id);
        expect(await door.update(service, id, patch)).toEqual(before);
        expect(await door.read(service, id)).toEqual(before);
        expect(await eventsOf(service, id)).toHaveLength(1);
      },
    );

    it('are deleted, answering nothing; the log keeps what they were', async () => {
      const { id } = await make({ name: 'Ada' });
      expect(await door.delete(service, id)).toEqual({ status: 204 });
      expect(await door.read(service, id)).toMatchObject({ status: 404, code: 'not_found' });
      const last = (await eventsOf(service, id)).at(-1);
      expect(last).toMatchObject({ type: 'resource.deleted', payload: { type: 'contact', fields: { name: 'Ada' } } });
    });

    it.each([UNKNOWN, 'res_', 'x', 'RES_01m7yzjxd9e5st3z1tnx0vwvq9', "' OR 1=1"])(
      'that are not there (%s) are 404, whatever is wrong beside',
      async (id) => {
        const missing = { status: 404, code: 'not_found', param: 'id' };
        expect(await door.read(service, id)).toMatchObject(missing);
        expect(await door.update(service, id, { a: 1 })).toMatchObject(missing);
        expect(await door.update(service, id, { a: JSON.parse(nested(30)) }, 'wrong')).toMatchObject(missing);
        expect(await door.delete(service, id, 'wrong')).toMatchObject(missing);
      },
    );
  });

  describe(`WIRE 1: limits of a resource by ${door.name}`, () => {
    it.each(['a', 'a1_', 'a'.repeat(64)])('the type %s is taken', async (type) => {
      expect((await door.create(service, type, {})).status).toBe(201);
    });

    it.each(['', 'A', '1a', '_a', 'a-b', 'a b', 'ä', 'a'.repeat(65), 'a\n', 5, null, ['a'], undefined])(
      'the type %j is refused',
      async (type) => {
        expect(await door.create(service, type, {})).toMatchObject({ status: 400, param: 'type' });
      },
    );

    it.each([null, undefined, [], 'a', 5, true])('fields that are %j are refused', async (fields) => {
      const refused = { status: 400, code: 'invalid_request', param: 'fields' };
      expect(await door.create(service, 'a', fields)).toMatchObject(refused);
      const { id } = await make();
      expect(await door.update(service, id, fields)).toMatchObject(refused);
    });

    it('fields are at most 20 levels deep', async () => {
      const deep = (levels: number) => JSON.parse(nested(levels)) as object;
      const { id } = await make();
      // The object of all fields is the first level.
      expect((await door.create(service, 'a', { a: deep(19) })).status).toBe(201);
      expect((await door.update(service, id, { a: deep(19) })).status).toBe(200);
      const refused = { status: 400, param: 'fields', message: expect.stringContaining('20 levels') };
      expect(await door.create(service, 'a', { a: deep(20) })).toMatchObject(refused);
      expect(await door.update(service, id, { a: deep(20) })).toMatchObject(refused);
    });

    it('fields are at most 256 KiB as JSON, in bytes, after a merge too', async () => {
      const frame = JSON.stringify({ a: '' }).length;
      const full = 'x'.repeat(256 * KIB - frame);
      const { id } = await make({ a: full });
      expect((await door.read(service, id)).resource?.fields.a).toBe(full);
      const refused = { status: 400, param: 'fields', message: expect.stringContaining('256 KiB') };
      expect(await door.create(service, 'a', { a: `${full}x` })).toMatchObject(refused);
      expect(await door.create(service, 'a', { a: 'ä'.repeat(full.length - 1) })).toMatchObject(refused);
      expect(await door.update(service, id, { b: 1 })).toMatchObject(refused);
      expect(await eventsOf(service, id)).toHaveLength(1);
      expect((await door.update(service, id, { a: 'less', b: 1 })).status).toBe(200);
    });

    it.each(['1e999', '-1e999'])('a number that none can hold (%s) is refused, and its field named', async (number) => {
      const raw = {
        REST: ['/v1/resources', `{"type":"a","fields":{"a":{"b":[0,${number}]}}}`],
        GraphQL: [
          '/graphql',
          `{"query":"mutation ($input: CreateResourceInput!) { createResource(input: $input) { id } }","variables":{"input":{"type":"a","fields":{"a":{"b":[0,${number}]}}}}}`,
        ],
      }[door.name] as [string, string];
      const { body } = await service.send('POST', raw[0], { raw: raw[1] });
      const error = body.error ?? body.errors[0].extensions;
      expect(error).toMatchObject({ code: 'invalid_request', param: 'fields.a.b[1]' });
    });

    it.each(['a\0', '\ud800'])('text and keys that cannot be stored are refused', async (text) => {
      const { id } = await make();
      for (const fields of [{ a: text }, { [text]: 1 }, { a: [{ [text]: 1 }] }]) {
        expect(await door.create(service, 'a', fields)).toMatchObject({ status: 400, code: 'invalid_request' });
        expect(await door.update(service, id, fields)).toMatchObject({ status: 400, code: 'invalid_request' });
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
