import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { HttpResponse } from '../support/client.ts';
import { expectEnvelope } from '../support/error-bodies.ts';
import { anyJson, anyQuery } from '../support/json-text.ts';
import { SEED } from '../support/seed.ts';
import { startService, type TestService } from '../support/service.ts';

const RUNS = { seed: SEED, numRuns: 150 };

let service: TestService;
let id: string;
beforeAll(async () => {
  service = await startService();
  id = (await service.send('POST', '/v1/resources', { body: { type: 'a', fields: {} } })).body.data.id;
});
afterAll(() => service.close());

function expectOrderly(response: HttpResponse): void {
  expect(response.status).toBeLessThan(500);
  if (response.status >= 300) expectEnvelope(response);
}

describe('any input about resources and events gets the standard error form and never a 5xx', () => {
  it('for any fields, and accepted fields are read back unchanged', async () => {
    let taken = 0;
    const create = async (fields: string) => {
      const response = await service.send('POST', '/v1/resources', { raw: `{"type":"a","fields":${fields}}` });
      expectOrderly(response);
      if (response.status !== 201) return;
      taken += 1;
      const { body } = await service.send('GET', `/v1/resources/${response.body.data.id}`);
      expect(body.data.fields).toEqual(JSON.parse(fields.replace(/-0(?![.\d])/g, '0')));
    };
    await fc.assert(fc.asyncProperty(anyJson, create), RUNS);
    expect(taken).toBeGreaterThan(10);
  });

  it('for any body of an update', async () => {
    const update = async (raw: string) => expectOrderly(await service.send('PATCH', `/v1/resources/${id}`, { raw }));
    await fc.assert(fc.asyncProperty(anyJson, update), { ...RUNS, numRuns: 50 });
    const wrapped = anyJson.map((fields) => `{"fields":${fields}}`);
    await fc.assert(fc.asyncProperty(wrapped, update), { ...RUNS, numRuns: 100 });
  });

  it('for any query of the lists', async () => {
    const path = fc.constantFrom('/v1/resources', '/v1/events');
    const read = async (to: string, query: string) => expectOrderly(await service.send('GET', `${to}?${query}`));
    await fc.assert(fc.asyncProperty(path, anyQuery, read), RUNS);
  });

  it('for any precondition', async () => {
    const tags = fc.array(fc.constantFrom('"', 'W/', ',', ' ', '*', 'a', '\\', '""', '"a"', 'ä'), { maxLength: 12 });
    const change = async (parts: string[]) => {
      const text = parts.join('');
      const headers = { 'if-match': text, 'if-none-match': text };
      const path = `/v1/resources/${id}`;
      expectOrderly(await service.send('PATCH', path, { body: { fields: { text } }, headers }));
      const read = await service.send('GET', path, { headers });
      expect([200, 304]).toContain(read.status);
    };
    await fc.assert(fc.asyncProperty(tags, change), RUNS);
  });

  it('for any segment of a path', async () => {
    const segment = fc.oneof(
      fc.string({ unit: 'grapheme', minLength: 1 }).map(encodeURIComponent),
      fc.constantFrom('%00', '%', '%ED%A0%80', '__proto__', 'res_%00'),
    );
    const send = async (name: string) => {
      expectOrderly(await service.send('GET', `/v1/resources/${name}`));
      expectOrderly(await service.send('PATCH', `/v1/resources/${name}`, { body: { fields: [] } }));
      expectOrderly(await service.send('PATCH', `/v1/resources/${name}`, { raw: '[]' }));
      expectOrderly(await service.send('DELETE', `/v1/resources/${name}`));
      expectOrderly(await service.send('GET', `/v1/events/${name}`));
    };
    await fc.assert(fc.asyncProperty(segment, send), { ...RUNS, numRuns: 40 });
  });
});
