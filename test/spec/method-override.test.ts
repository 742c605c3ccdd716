import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { expectError } from '../support/error-bodies.ts';
import { startService, type TestService } from '../support/service.ts';

let service: TestService;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.close());

const create = async () =>
  (await service.send('POST', '/v1/resources', { body: { type: 'ticket', fields: { a: 1 } } })).body.data.id;

const total = async () => (await service.send('GET', '/v1/resources?limit=100')).body.data.length;

/** Not with the client, which compares a response with the document of its method. */
async function post(
  path: string,
  method: string,
  { body, key = service.key }: { body?: object; key?: string | null } = {},
) {
  const response = await fetch(`${service.url}${path}`, {
    method: 'POST',
    headers: {
      'X-HTTP-Method-Override': method,
      ...(key !== null && { authorization: `Bearer ${key}` }),
      ...(body && { 'content-type': 'application/json' }),
    },
    ...(body && { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  return { status: response.status, headers: response.headers, body: text ? JSON.parse(text) : undefined };
}

describe('X-HTTP-Method-Override', () => {
  it.each(['PATCH', 'patch', ' Patch '])('lets a POST change a resource as %j', async (method) => {
    const path = `/v1/resources/${await create()}`;
    const response = await post(path, method, { body: { fields: { b: 2 } } });
    expect([response.status, response.body.data.fields]).toEqual([200, { a: 1, b: 2 }]);
  });

  it('lets a POST delete a resource and put a rating', async () => {
    const path = `/v1/resources/${await create()}`;
    expect((await post(path, 'DELETE')).status).toBe(204);
    expect((await service.send('GET', path)).status).toBe(404);
    const { conversation_id } = (await service.chat('Hello')).body;
    const messages = `/v1/runner/conversation/${conversation_id}/messages`;
    const reply = (await service.send('GET', messages)).body.items[1].id;
    const rated = await post(`${messages}/${reply}/rating`, 'PUT', { body: { rating: 'up' } });
    expect([rated.status, rated.body.rating.value]).toEqual([200, 'up']);
  });

  it('creates nothing if the path does not accept the method, or a POST lacks the header', async () => {
    const before = await total();
    const body = { type: 'ticket', fields: {} };
    const created = await create();
    expectError(await post('/v1/resources', 'PATCH', { body }), 'method_not_allowed');
    expectError(await service.send('POST', `/v1/resources/${created}`, { body }), 'method_not_allowed');
    expect((await post('/graphql', 'PUT', { body: { query: '{ __typename }' } })).status).toBe(405);
    expect(await total()).toBe(before + 1);
  });

  it.each(['GET', 'HEAD', 'PATCHY', 'PATCH, DELETE', ''])('is 400 as %j', async (method) => {
    const before = await total();
    const response = await post('/v1/resources', method, { body: { type: 'ticket', fields: {} } });
    expectError(response, 'invalid_request', { param: 'x-http-method-override' });
    expect(await total()).toBe(before);
  });

  it('does nothing on other methods, and needs credentials like the method itself', async () => {
    const path = `/v1/resources/${await create()}`;
    const read = await service.send('GET', path, { headers: { 'X-HTTP-Method-Override': 'DELETE' } });
    expect(read.status).toBe(200);
    expect((await post(path, 'DELETE', { key: null })).status).toBe(401);
    expect((await service.send('GET', path)).status).toBe(200);
  });
});
