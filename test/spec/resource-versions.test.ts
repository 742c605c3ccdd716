import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { RESOURCE_DOORS } from '../support/resource-doors.ts';
import { startService, type TestService } from '../support/service.ts';

let service: TestService;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.close());

const STRONG = /^"[\x21\x23-\x7e]+"$/;

for (const door of RESOURCE_DOORS) {
  const make = async (fields: object = { n: 0 }) => {
    const { resource, etag } = await door.create(service, 'counter', fields);
    return { id: resource?.id ?? '', etag: etag ?? '' };
  };

  describe(`WIRE 10: the entity tag of a resource by ${door.name}`, () => {
    it('is strong, and another one after every change, back to what it was included', async () => {
      const { id, etag } = await make({ n: 0 });
      const seen = [etag];
      for (const n of [1, 0, 1, 0]) seen.push((await door.update(service, id, { n })).etag ?? '');
      expect(seen.filter((one) => STRONG.test(one))).toHaveLength(5);
      expect(new Set(seen).size).toBe(5);
      expect((await door.read(service, id)).etag).toBe(seen.at(-1));
    });

    it('stays where nothing changed', async () => {
      const { id, etag } = await make({ n: 0 });
      expect((await door.update(service, id, { n: 0 })).etag).toBe(etag);
    });

    it("is no other resource's", async () => {
      expect((await make()).etag).not.toBe((await make()).etag);
    });

    it('lets a change through while it holds, and 412 after', async () => {
      const { id, etag } = await make();
      expect((await door.update(service, id, { n: 1 }, etag)).status).toBe(200);
      const refused = { status: 412, code: 'precondition_failed', param: door.ifMatch };
      expect(await door.update(service, id, { n: 2 }, etag)).toMatchObject(refused);
      expect(await door.delete(service, id, etag)).toMatchObject(refused);
      const { etag: now, resource } = await door.read(service, id);
      expect(resource?.fields).toEqual({ n: 1 });
      expect((await door.delete(service, id, now ?? '')).status).toBe(204);
    });

    it('is asked for even where the change would be none', async () => {
      const { id } = await make({ n: 0 });
      expect((await door.update(service, id, { n: 0 }, '"stale"')).status).toBe(412);
    });

    it.each<[form: string, status: number, of: (etag: string) => string]>([
      ['*', 200, () => '*'],
      ['a list that holds it', 200, (etag) => `"a", ${etag},"b"`],
      ['a list with empty elements', 200, (etag) => `, ${etag} ,,`],
      ['a tag with a comma beside it', 200, (etag) => `"a,b", ${etag}`],
      ['other tags', 412, () => '"a", "b"'],
      ['a weak tag, which is never equal', 412, (etag) => `W/${etag}`],
      ['a tag without quotes', 400, (etag) => etag.slice(1, -1)],
      ['half a tag', 400, (etag) => etag.slice(0, -1)],
      ['a tag and more', 400, (etag) => `${etag} x`],
      ['tags without a comma', 400, (etag) => `${etag} ${etag}`],
      ['* in a list', 400, (etag) => `*, ${etag}`],
      ['nothing but a comma', 400, () => ','],
    ])('is given as %s: %i', async (_form, status, of) => {
      const { id, etag } = await make();
      const outcome = await door.update(service, id, { n: 1 }, of(etag));
      expect(outcome.status).toBe(status);
      if (status === 400) expect(outcome).toMatchObject({ code: 'invalid_request', param: door.ifMatch });
    });
  });

  describe(`WIRE 10: racing changes of one resource by ${door.name}`, () => {
    it('of different keys all hold, each with the before and after that it met', async () => {
      const { id } = await make({ n: 0 });
      const keys = Array.from({ length: 20 }, (_, index) => `k${index}`);
      const outcomes = await Promise.all(keys.map((key) => door.update(service, id, { [key]: key, n: key })));
      expect(outcomes.map(({ status }) => status)).toEqual(keys.map(() => 200));
      const { resource } = await door.read(service, id);
      expect(resource?.fields).toEqual({
        ...Object.fromEntries(keys.map((key) => [key, key])),
        n: expect.any(String),
      });
      const { body } = await service.send('GET', `/v1/events?limit=100&resourceId=${id}&type=resource.updated`);
      // Each change began where another one ended: the befores and afters of n make one chain.
      const steps = new Map<unknown, unknown>(
        body.data.map(({ payload }: { payload: { before: { n: unknown }; after: { n: unknown } } }) => [
          payload.before.n,
          payload.after.n,
        ]),
      );
      let at: unknown = 0;
      for (let step = 0; step < keys.length; step += 1) at = steps.get(at);
      expect([steps.size, at]).toEqual([keys.length, resource?.fields.n]);
    });

    it('with the same tag: exactly one wins', async () => {
      for (let round = 0; round < 5; round += 1) {
        const { id, etag } = await make();
        const outcomes = await Promise.all(
          Array.from({ length: 8 }, (_, n) => door.update(service, id, { n: n + 1 }, etag)),
        );
        const statuses = outcomes.map(({ status }) => status).sort();
        expect(statuses).toEqual([200, ...Array(7).fill(412)]);
        const winner = outcomes.find(({ status }) => status === 200);
        expect((await door.read(service, id)).resource).toEqual(winner?.resource);
      }
    });

    it('a change and a deletion with the same tag: exactly one wins', async () => {
      const { id, etag } = await make();
      const [changed, deleted] = await Promise.all([
        door.update(service, id, { n: 1 }, etag),
        door.delete(service, id, etag),
      ]);
      const wins = [changed.status === 200, deleted.status === 204];
      expect(wins.filter(Boolean)).toHaveLength(1);
      expect([404, 412]).toContain(wins[0] ? deleted.status : changed.status);
    });
  });
}

describe('WIRE 10: If-None-Match on GET', () => {
  const read = (id: string, headers: Record<string, string>, method = 'GET') =>
    service.send(method, `/v1/resources/${id}`, { headers });
  const make = async () => {
    const { body, headers } = await service.send('POST', '/v1/resources', { body: { type: 'a', fields: { a: 1 } } });
    return { id: body.data.id as string, etag: headers.get('etag') ?? '' };
  };

  it.each<[form: string, of: (etag: string) => string]>([
    ['the tag', (etag) => etag],
    ['a list that holds it', (etag) => `"a", ${etag}`],
    ['the tag as a weak one', (etag) => `W/${etag}`],
    ['*', () => '*'],
  ])('answers 304 without a body to %s', async (_form, of) => {
    const { id, etag } = await make();
    for (const method of ['GET', 'HEAD']) {
      const answer = await read(id, { 'if-none-match': of(etag) }, method);
      expect([answer.status, answer.body, answer.headers.get('etag')]).toEqual([304, '', etag]);
    }
  });

  it('answers the resource once it was changed, and where the header holds no tag of it', async () => {
    const { id, etag } = await make();
    for (const text of ['"other"', 'nonsense', etag.slice(1, -1)]) {
      expect((await read(id, { 'if-none-match': text })).status).toBe(200);
    }
    await service.send('PATCH', `/v1/resources/${id}`, { body: { fields: { a: 2 } } });
    const answer = await read(id, { 'if-none-match': etag });
    expect([answer.status, answer.body.data.fields]).toEqual([200, { a: 2 }]);
    expect(answer.headers.get('etag')).not.toBe(etag);
  });

  it('is no answer to those who may not read, nor for what is not there', async () => {
    const { id, etag } = await make();
    const headers = { 'if-none-match': etag };
    expect((await service.send('GET', `/v1/resources/${id}`, { headers, key: null })).status).toBe(401);
    expect((await service.send('GET', `/v1/resources/${id}`, { headers, key: service.keys.test })).status).toBe(404);
  });

  it('the tag stands in the header, never in the body', async () => {
    const { id } = await make();
    const { body } = await read(id, {});
    expect(Object.keys(body.data)).toEqual(['id', 'type', 'fields', 'created_at', 'updated_at']);
  });
});
