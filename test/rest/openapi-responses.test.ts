import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { DOCUMENT, unacceptable, undocumented } from '../support/openapi.ts';
import { startService, type TestService } from '../support/service.ts';
import { type Made, prepareSamples, SAMPLES } from './samples.ts';

const operations = Object.entries(DOCUMENT.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, { operationId }]) => ({ name: operationId, method, path })),
);

describe('real responses', () => {
  let service: TestService;
  let made: Made;
  beforeAll(async () => {
    // Nothing listens at this address: messages are lost in the background.
    service = await startService({ mail: { url: 'smtp://127.0.0.1:9', from: 'parley@example.com' } });
    made = await prepareSamples(service);
  });
  afterAll(() => service.close());

  it.each(operations)('of $name match the document', async ({ name, method, path }) => {
    for (const sample of SAMPLES[name]?.(made) ?? []) {
      const answer = await service.send(method.toUpperCase(), sample.path, sample);
      const asked = `${sample.status} ${sample.path}`;
      expect(answer, asked).toMatchObject({ status: sample.status });
      expect(undocumented(method.toUpperCase(), sample.path, answer), asked).toEqual([]);
      if (sample.status >= 300 || !sample.body) continue;
      expect(unacceptable(path, method, sample.body), asked).toEqual([]);
    }
  });

  it.each(Object.entries(DOCUMENT.paths))('to a wrong method of %s match the document', async (path, methods) => {
    const wrong = 'put' in methods ? 'PATCH' : 'PUT';
    const asked = path.replace(/\{\w+\}/g, randomUUID());
    const answer = await service.send(wrong, asked);
    expect(answer.status).toBe(405);
    expect(undocumented(wrong, asked, answer)).toEqual([]);
  });
});

describe('the check of responses', () => {
  const path = '/v1/resources/res_1';
  const headers = new Headers({ 'content-type': 'application/json; charset=utf-8', 'x-request-id': '1', etag: '"1"' });
  const data = { id: 'res_1', type: 'a', fields: {}, created_at: '2026-01-31T09:30:00.000Z' };
  const whole = { ...data, updated_at: data.created_at };

  it('accepts documented responses', () => {
    expect(undocumented('GET', path, { status: 200, headers, body: { data: whole } })).toEqual([]);
  });

  it.each([
    ['a status', { status: 201, headers, body: { data: whole } }],
    ['a field too many', { status: 200, headers, body: { data: { ...whole, more: 1 } } }],
    ['a field too few', { status: 200, headers, body: { data } }],
    ['a type', { status: 200, headers, body: { data: { ...whole, type: 1 } } }],
    ['a body', { status: 304, headers, body: { data: whole } }],
    [
      'a content type',
      { status: 200, headers: new Headers({ ...headersOf(headers), 'content-type': 'a/b' }), body: '' },
    ],
    ['a header', { status: 200, headers: new Headers({ 'content-type': 'application/json' }), body: { data: whole } }],
    ['an error body', { status: 404, headers, body: { error: { code: 'lost' } } }],
  ])('finds %s that is not', (_what, answer) => {
    expect(undocumented('GET', path, answer)).not.toEqual([]);
  });
});

function headersOf(headers: Headers): Record<string, string> {
  return Object.fromEntries(headers);
}
