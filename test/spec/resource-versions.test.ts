import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { RESOURCE_APIS } from '../support/resource-apis.ts';
import { startService, type TestService } from '../support/service.ts';

let service: TestService;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.close());

const STRONG = /^"[\x21\x23-\x7e]+"$/;

for (const api of RESOURCE_APIS) {
  const make = async (fields: object = { n: 0 }) => {
    const { resource, etag } = await api.create(service, 'counter', fields);
    return { id: resource?.id ?? '', etag: etag ?? '' };
  };

  describe(`the entity tag of a resource through ${api.name}`, () => {
    it('is strong and changes with every update, also with one that restores old fields', async () => {
      const { id, etag } = await make({ n: 0 });
      const received = [etag];
      for (const n of [1, 0, 1, 0]) received.push((await api.update(service, id, { n })).etag ?? '');
      expect(received.filter((one) => STRONG.test(one))).toHaveLength(5);
      expect(new Set(received).size).toBe(5);
      expect((await api.read(service, id)).etag).toBe(received.at(-1));
    });

    it('stays the same if an update changes nothing', async () => {
      const { id, etag } = await make({ n: 0 });
      expect((await api.update(service, id, { n: 0 })).etag).toBe(etag);
    });

    it('differs between resources', async () => {
      expect((await make()).etag).not.toBe((await make()).etag);
    });

    it('allows an update while it matches, and returns 412 after', async () => {
      const { id, etag } = await make();
      expect((await api.update(service, id, { n: 1 }, etag)).status).toBe(200);
      const rejected = { status: 412, code: 'precondition_failed', param: api.ifMatch };
      expect(await api.update(service, id, { n: 2 }, etag)).toMatchObject(rejected);
      expect(await api.delete(service, id, etag)).toMatchObject(rejected);
      const { etag: now, resource } = await api.read(service, id);
      expect(resource?.fields).toEqual({ n: 1 });
      expect((await api.delete(service, id, now ?? '')).status).toBe(204);
    });

    it('is required even if the update changes nothing', async () => {
      const { id } = await make({ n: 0 });
      expect((await api.update(service, id, { n: 0 }, '"stale"')).status).toBe(412);
    });

    it.each<[form: string, status: number, of: (etag: string) => string]>([
      ['*', 200, () => '*'],
      ['a list that contains it', 200, (etag) => `"a", ${etag},"b"`],
      ['a list with empty elements', 200, (etag) => `, ${etag} ,,`],
      ['a tag with a comma next to it', 200, (etag) => `"a,b", ${etag}`],
      ['other tags', 412, () => '"a", "b"'],
      ['a weak tag, which is never equal', 412, (etag) => `W/${etag}`],
      ['a tag without quotes', 400, (etag) => etag.slice(1, -1)],
      ['half a tag', 400, (etag) => etag.slice(0, -1)],
      ['a tag and more', 400, (etag) => `${etag} x`],
      ['tags without a comma', 400, (etag) => `${etag} ${etag}`],
      ['* in a list', 400, (etag) => `*, ${etag}`],
      ['only a comma', 400, () => ','],
    ])('sent as %s returns %i', async (_form, status, of) => {
      const { id, etag } = await make();
      const outcome = await api.update(service, id, { n: 1 }, of(etag));
      expect(outcome.status).toBe(status);
      if (status === 400) expect(outcome).toMatchObject({ code: 'invalid_request', param: api.ifMatch });
    });
  });

  describe(`racing updates of one resource through ${api.name}`, () => {
    it('to different keys all succeed, each with its own before and after', async () => {
      const { id } = await make({ n: 0 });
      const keys = Array.from({ length: 20 }, (_, index) => `k${index}`);
      const outcomes = await Promise.all(keys.map((key) => api.update(service, id, { [key]: key, n: key })));
      expect(outcomes.map(({ status }) => status)).toEqual(keys.map(() => 200));
      const { resource } = await api.read(service, id);
      expect(resource?.fields).toEqual({
        ...Object.fromEntries(keys.map((key) => [key, key])),
        n: expect.any(String),
      });
      const { body } = await service.send('GET', `/v1/events?limit=100&resourceId=${id}&type=resource.updated`);
      // Each update starts with the result of another one: the befores and afters of n form a chain.
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

    it('let exactly one with the same tag win', async () => {
      for (let round = 0; round < 5; round += 1) {
        const { id, etag } = await make();
        const outcomes = await Promise.all(
          Array.from({ length: 8 }, (_, n) => api.update(service, id, { n: n + 1 }, etag)),
        );
        const statuses = outcomes.map(({ status }) => status).sort();
        expect(statuses).toEqual([200, ...Array(7).fill(412)]);
        const winner = outcomes.find(({ status }) => status === 200);
        expect((await api.read(service, id)).resource).toEqual(winner?.resource);
      }
    });

    it('let exactly one win if an update and a deletion have the same tag', async () => {
      const { id, etag } = await make();
      const [changed, deleted] = await Promise.all([
        api.update(service, id, { n: 1 }, etag),
        api.delete(service, id, etag),
      ]);
      const wins = [changed.status === 200, deleted.status === 204];
      expect(wins.filter(Boolean)).toHaveLength(1);
      expect([404, 412]).toContain(wins[0] ? deleted.status : changed.status);
    });
  });
}

describe('If-None-Match on GET', () => {
  const read = (id: string, headers: Record<string, string>, method = 'GET') =>
    service.send(method, `/v1/resources/${id}`, { headers });
  const make = async () => {
    const { body, headers } = await service.send('POST', '/v1/resources', { body: { type: 'a', fields: { a: 1 } } });
    return { id: body.data.id as string, etag: headers.get('etag') ?? '' };
  };

  it.each<[form: string, of: (etag: string) => string]>([
    ['the tag', (etag) => etag],
    ['a list that contains it', (etag) => `"a", ${etag}`],
    ['the tag in weak form', (etag) => `W/${etag}`],
    ['*', () => '*'],
  ])('returns 304 without a body for %s', async (_form, of) => {
    const { id, etag } = await make();
    for (const method of ['GET', 'HEAD']) {
      const response = await read(id, { 'if-none-match': of(etag) }, method);
      expect([response.status, response.body, response.headers.get('etag')]).toEqual([304, '', etag]);
    }
  });

  it('returns the resource if it has changed or the header has no matching tag', async () => {
    const { id, etag } = await make();
    for (const text of ['"other"', 'nonsense', etag.slice(1, -1)]) {
      expect((await read(id, { 'if-none-match': text })).status).toBe(200);
    }
    await service.send('PATCH', `/v1/resources/${id}`, { body: { fields: { a: 2 } } });
    const response = await read(id, { 'if-none-match': etag });
    expect([response.status, response.body.data.fields]).toEqual([200, { a: 2 }]);
    expect(response.headers.get('etag')).not.toBe(etag);
  });

  it('does not replace 403 or 404', async () => {
    const { id, etag } = await make();
    const headers = { 'if-none-match': etag };
    expect((await service.send('GET', `/v1/resources/${id}`, { headers, key: null })).status).toBe(401);
    expect((await service.send('GET', `/v1/resources/${id}`, { headers, key: service.keys.test })).status).toBe(404);
  });

  it('appears only in the header, never in the body', async () => {
    const { id } = await make();
    const { body } = await read(id, {});
    expect(Object.keys(body.data)).toEqual(['id', 'type', 'fields', 'created_at', 'updated_at']);
  });
});
