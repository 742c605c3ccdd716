import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { publish, unpublish } from '../support/documents.ts';
import { expectError } from '../support/error-bodies.ts';
import { startService, type TestService } from '../support/service.ts';
import { makeKey, makeWorkspace, openSession } from '../support/tenants.ts';

let service: TestService;
let resourceId: string;
beforeAll(async () => {
  service = await startService();
  resourceId = await createResource('order');
  await publish(service, 'orders', ORDERS);
  await publish(service, 'order', ORDER);
  await publish(service, 'add_note', ADD);
  await publish(service, 'change_note', CHANGE);
  await publish(service, 'page', PAGE);
});
afterAll(() => service.close());

const ORDERS = `query ($type: String = "order", $types: [EventType!], $first: Int, $filter: ResourceFilter) {
  resources(filter: $filter, first: $first) { nodes { resourceId type } totalCount }
  orders: resources(filter: { type: $type }) { totalCount }
  events(filter: { types: $types }) { totalCount }
}`;
const ORDER = `query ($id: ID!) @rest(get: "/v1/x/order/{id}/summary") {
  resource(id: $id) { resourceId type createdAt }
}`;
const ADD = `mutation ($input: CreateResourceInput!) @rest(post: "/v1/x/add_note", status: 201, unwrap: true) {
  createResource(input: $input) { ... on CreateResourcePayload { resource { resourceId etag @header(name: "ETag") } } }
}`;
const CHANGE = `mutation ($id: ID!, $fields: JSONObject!, $if: String @header(name: "If-Match"))
  @rest(patch: "/v1/x/change_note/{id}", status: 204) {
  updateResource(input: { id: $id, fields: $fields, ifMatch: $if }) { ... on UpdateResourcePayload { resource { etag @header(name: "ETag") } } }
}`;
const EMPTY = '{ resources(filter: { type: "none" }) { totalCount } }';
/** Several root fields: a look-up that finds nothing is null. */
const PAGE = 'query ($id: ID!) { resource(id: $id) { resourceId } resources(filter: { type: "none" }) { totalCount } }';

const createResource = async (type: string, fields = {}) =>
  (await service.send('POST', '/v1/resources', { body: { type, fields } })).body.data.id;

describe('a published document over REST', () => {
  it('reads variables from the path, the query string and the body, with the names of GraphQL', async () => {
    const order = await service.send('GET', `/v1/x/order/${resourceId}/summary?unknown=1`);
    expect(order.body).toMatchObject({ resource: { resourceId, type: 'order' } });
    const filter = encodeURIComponent(JSON.stringify({ type: 'order' }));
    const path = `/v1/x/orders?first=1&types=RESOURCE_CREATED&types=RESOURCE_DELETED&filter=${filter}`;
    const orders = await service.send('GET', path);
    expect(orders.body.resources).toMatchObject({ nodes: [{ type: 'order' }], totalCount: 1 });
    const added = await service.send('POST', '/v1/x/add_note', {
      body: { input: { type: 'note', fields: {} }, other: 1 },
    });
    expect(added).toMatchObject({ status: 201, body: { resource: { resourceId: expect.stringMatching(/^res_/) } } });
    expect(added.headers.get('etag')).toMatch(/^".+"$/);
  });

  it('uses the headers If-Match and ETag of the document', async () => {
    const id = await createResource('note');
    const path = `/v1/x/change_note/${id}`;
    const first = await service.send('PATCH', path, { body: { fields: { a: 1 } } });
    expect([first.status, first.body]).toEqual([204, '']);
    const etag = first.headers.get('etag') ?? '';
    const headers = { 'if-match': etag };
    expect((await service.send('PATCH', path, { body: { fields: { a: 2 } }, headers })).status).toBe(204);
    const stale = await service.send('PATCH', path, { body: { fields: { a: 3 } }, headers });
    expectError(stale, 'precondition_failed');
  });

  it('has the error of its root field as its status, and null in a page of several root fields', async () => {
    expectError(await service.send('GET', '/v1/x/order/res_unknown/summary'), 'not_found');
    expectError(await service.send('PATCH', '/v1/x/change_note/res_unknown', { body: { fields: {} } }), 'not_found');
    const invalid = await service.send('POST', '/v1/x/add_note', {
      body: { input: { type: 'Not valid', fields: {} } },
    });
    expectError(invalid, 'invalid_request', { param: 'type' });
    expect((await service.send('GET', '/v1/x/page?id=res_unknown')).body).toEqual({
      resource: null,
      resources: { totalCount: 0 },
    });
  });

  it('names an invalid variable', async () => {
    expectError(await service.send('GET', '/v1/x/orders?first=many'), 'invalid_request', { param: 'first' });
    expectError(await service.send('GET', '/v1/x/orders?first=1&first=2'), 'invalid_request', { param: 'first' });
    expectError(await service.send('GET', '/v1/x/orders?filter=%7B'), 'invalid_json', { param: 'filter' });
    expectError(await service.send('GET', '/v1/x/orders?types=NOTHING'), 'invalid_request', { param: 'types[0]' });
    expectError(await service.send('GET', '/v1/x/page'), 'invalid_request', { param: 'id' });
    expectError(await service.send('POST', '/v1/x/add_note', { body: [] }), 'invalid_request');
    expectError(await service.send('POST', '/v1/x/add_note', { raw: '{' }), 'invalid_json');
    const own = { input: { type: 'note', fields: {}, own: 1 } };
    expectError(await service.send('POST', '/v1/x/add_note', { body: own }), 'invalid_request', { param: 'own' });
  });

  it('needs a credential before anything is looked up', async () => {
    for (const path of ['/v1/x/orders', '/v1/x/unknown', '/v1/x/openapi.json']) {
      expectError(await service.send('GET', path, { key: null }), 'unauthorized');
    }
  });

  it('needs the scopes of its root fields, and no scope of documents', async () => {
    const reader = await makeKey(service, { scopes: ['resources:read', 'events:read'] });
    expect((await service.send('GET', '/v1/x/orders', { key: reader })).status).toBe(200);
    const body = { input: { type: 'Not valid', fields: {} } };
    expectError(await service.send('POST', '/v1/x/add_note', { key: reader, body }), 'forbidden', {
      facts: { required_scope: 'resources:write' },
    });
    const partial = await makeKey(service, { scopes: ['resources:read'] });
    expectError(await service.send('GET', '/v1/x/orders', { key: partial }), 'forbidden', {
      facts: { required_scope: 'events:read' },
    });
    const viewer = await openSession(service, 'viewer');
    expect((await service.send('GET', '/v1/x/orders', { key: viewer })).status).toBe(200);
  });

  it('is unknown in every other environment', async () => {
    const other = await makeWorkspace(service);
    for (const key of [service.keys.test, other.keys.live]) {
      expectError(await service.send('GET', '/v1/x/orders', { key }), 'not_found');
    }
  });

  it('rejects unknown paths with 404, and other methods with 405', async () => {
    for (const path of ['/v1/x/unknown', '/v1/x/order', '/v1/x/orders/more', '/v1/x/order/1/other', '/v1/x/orders/']) {
      expectError(await service.send('GET', path), 'not_found');
    }
    expectError(await service.send('GET', '/v1/x/order/%ff/summary'), 'invalid_request');
    const wrong = await service.send('PUT', '/v1/x/orders');
    expectError(wrong, 'method_not_allowed');
    expect(wrong.headers.get('allow')).toBe('GET, HEAD, OPTIONS');
    const options = await service.send('OPTIONS', '/v1/x/add_note');
    expect([options.status, options.headers.get('allow')]).toEqual([204, 'POST, OPTIONS']);
    const head = await service.send('HEAD', '/v1/x/orders');
    expect([head.status, head.body]).toEqual([200, '']);
  });

  it('has an ETag of the response of a query, and 304 for If-None-Match', async () => {
    const first = await service.send('GET', '/v1/x/orders');
    const etag = first.headers.get('etag') ?? '';
    expect(first.headers.get('cache-control')).toBe('private, no-cache');
    const same = await service.send('GET', '/v1/x/orders', { headers: { 'if-none-match': etag } });
    expect([same.status, same.body, same.headers.get('etag')]).toEqual([304, '', etag]);
    await createResource('order');
    const changed = await service.send('GET', '/v1/x/orders', { headers: { 'if-none-match': etag } });
    expect(changed.status).toBe(200);
    expect(changed.headers.get('etag')).not.toBe(etag);
  });

  it('replays the response to an Idempotency-Key', async () => {
    const headers = { 'idempotency-key': randomUUID() };
    const body = { input: { type: 'note', fields: { key: headers['idempotency-key'] } } };
    const first = await service.send('POST', '/v1/x/add_note', { body, headers });
    const again = await service.send('POST', '/v1/x/add_note', { body, headers });
    expect(again.body).toEqual(first.body);
    expect(again.headers.get('idempotency-replayed')).toBe('true');
    const other = { input: { type: 'other', fields: {} } };
    expectError(await service.send('POST', '/v1/x/add_note', { body: other, headers }), 'idempotency_key_reused');
  });

  it('limits the cost of each call', async () => {
    const text = `query ($first: Int) { conversations(first: $first) { nodes { runs(first: $first) { nodes { history(first: $first) { nodes { id } } } } } } }`;
    await publish(service, 'expensive', text);
    expect((await service.send('GET', '/v1/x/expensive?first=2')).status).toBe(200);
    expectError(await service.send('GET', '/v1/x/expensive?first=100'), 'invalid_request');
  });

  it('runs its new version at once, and is unknown after it is unpublished', async () => {
    const { documentId } = await publish(service, 'changing', EMPTY);
    expect((await service.send('GET', '/v1/x/changing')).body).toEqual({ resources: { totalCount: 0 } });
    await publish(service, 'changing', EMPTY.replace('totalCount', 'totalCount nodes { type }'));
    expect((await service.send('GET', '/v1/x/changing')).body).toEqual({ resources: { totalCount: 0, nodes: [] } });
    await unpublish(service, documentId);
    expectError(await service.send('GET', '/v1/x/changing'), 'not_found');
  });

  it('is counted', async () => {
    const { documentId } = await publish(service, 'counted', 'query ($id: ID!) { resource(id: $id) { type } }');
    await service.send('GET', `/v1/x/counted?id=${resourceId}`);
    await service.send('GET', '/v1/x/counted?id=res_unknown');
    await service.service.services.stores.documentCalls.flush();
    await service.send('GET', `/v1/x/counted?id=${resourceId}`);
    await service.service.services.stores.documentCalls.flush();
    const read = `query ($id: ID!) { document(by: { id: $id }) { calls(days: 1) {
      calls errors averageMs medianMs p95Ms lastCalledAt days { calls errors averageMs medianMs p95Ms } } } }`;
    const { calls } = (await service.graphql(read, { id: documentId })).body.data.document;
    expect(calls).toMatchObject({ calls: 3, errors: 1, days: [{ calls: 3, errors: 1 }] });
    expect(calls.averageMs).toBeGreaterThan(0);
    const { medianMs, p95Ms } = calls;
    expect(medianMs).toBeGreaterThan(0);
    expect(p95Ms).toBeGreaterThanOrEqual(medianMs);
    expect(calls.days[0]).toMatchObject({ medianMs, p95Ms });
    expect(Date.parse(calls.lastCalledAt)).toBeGreaterThan(Date.now() - 60_000);
  });

  it('has the median and the 95th percentile of its response times', async () => {
    const { documentId } = await publish(service, 'measured', EMPTY);
    const { documentCalls, prisma } = service.service.services.stores;
    const { environmentId } = await prisma.document.findFirstOrThrow({ where: { id: documentId } });
    const read = `query ($id: ID!) { document(by: { id: $id }) { calls(days: 1) { medianMs p95Ms } } }`;
    const percentiles = async () => (await service.graphql(read, { id: documentId })).body.data.document.calls;
    expect(await percentiles()).toEqual({ medianMs: null, p95Ms: null });
    // From the longest to the shortest, stored in two halves: the first one has more classes than the second one.
    for (let durationMs = 1_000; durationMs > 0; durationMs -= 1) {
      documentCalls.record({ environmentId, documentId, isError: false, durationMs });
      if (durationMs === 501) await documentCalls.flush();
    }
    await documentCalls.flush();
    const { medianMs, p95Ms } = await percentiles();
    expect(Math.abs(medianMs / 500 - 1)).toBeLessThan(0.1);
    expect(Math.abs(p95Ms / 950 - 1)).toBeLessThan(0.1);
  });
});
