import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { enumValueIn } from '../../src/contract/enum-names.ts';
import { EVENT_TYPES } from '../../src/contract/statuses.ts';
import { expectError, expectGraphqlError } from '../support/error-bodies.ts';
import type { EventView } from '../support/resource-apis.ts';
import { startService, type TestService } from '../support/service.ts';

let service: TestService;
/** Events of two resources, newest first: five of each, alternating. */
let log: EventView[];
let resourceId: string;
beforeAll(async () => {
  service = await startService();
  const make = async () =>
    (await service.send('POST', '/v1/resources', { body: { type: 'a', fields: { n: 0 } } })).body.data.id as string;
  const ids = [await make(), await make()];
  for (let n = 1; n <= 3; n += 1) {
    for (const id of ids) await service.send('PATCH', `/v1/resources/${id}`, { body: { fields: { n } } });
  }
  for (const id of ids) await service.send('DELETE', `/v1/resources/${id}`);
  resourceId = ids[0] ?? '';
  log = (await service.send('GET', '/v1/events')).body.data;
});
afterAll(() => service.close());

const list = async (query: Record<string, string> | string) =>
  service.send('GET', `/v1/events?${typeof query === 'string' ? query : new URLSearchParams(query)}`);
const read = async (query: Record<string, string> | string) => (await list(query)).body.data as EventView[];

describe('GET /v1/events', () => {
  it('returns the log newest first, each event with its original data', () => {
    const [deleted] = log;
    expect(log.map(({ type }) => type)).toEqual([
      ...Array(2).fill('resource.deleted'),
      ...Array(6).fill('resource.updated'),
      ...Array(2).fill('resource.created'),
    ]);
    expect(deleted).toEqual({
      id: expect.stringMatching(/^evt_[0-7][0-9a-hjkmnp-tv-z]{25}$/),
      type: 'resource.deleted',
      resource_id: expect.stringMatching(/^res_/),
      payload: { type: 'a', fields: { n: 3 } },
      occurred_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
    });
    const times = log.map(({ occurred_at }) => occurred_at);
    expect(times).toEqual([...times].sort().reverse());
  });

  it('pages through the whole log by nextCursor', async () => {
    const received: EventView[] = [];
    for (let cursor = ''; ; ) {
      const { body } = await list({ limit: '3', ...(cursor && { cursor }) });
      received.push(...body.data);
      if (!body.meta.hasMore) break;
      cursor = body.meta.nextCursor;
    }
    expect(received).toEqual(log);
  });

  it('filters by resource and by type, and by both', async () => {
    expect(await read({ resourceId })).toEqual(log.filter(({ resource_id }) => resource_id === resourceId));
    expect(await read({ type: 'resource.created' })).toEqual(log.slice(-2));
    expect(await read({ type: 'integration.connected' })).toEqual([]);
    expect(await read({ type: 'resource.deleted', resourceId })).toHaveLength(1);
    expect(await read('type=resource.deleted&type=resource.created')).toHaveLength(4);
    expect(await read({ resourceId: 'nobody' })).toEqual([]);
  });

  it('treats from as inclusive and to as exclusive', async () => {
    const times = [...new Set(log.map(({ occurred_at }) => occurred_at))];
    const at = times[Math.floor(times.length / 2)] ?? '';
    expect(await read({ from: at })).toEqual(log.filter(({ occurred_at }) => occurred_at >= at));
    expect(await read({ to: at })).toEqual(log.filter(({ occurred_at }) => occurred_at < at));
    expect(await read({ from: at, to: at })).toEqual([]);
    const next = new Date(Date.parse(at) + 1).toISOString();
    expect(await read({ from: at, to: next })).toEqual(log.filter(({ occurred_at }) => occurred_at === at));
  });

  it('accepts date-times with an offset', async () => {
    const at = log[4]?.occurred_at ?? '';
    const shifted = new Date(Date.parse(at) + 5.5 * 3_600_000).toISOString().replace('Z', '+05:30');
    expect(await read({ from: shifted })).toEqual(await read({ from: at }));
  });

  it.each([
    '',
    'yesterday',
    '2026-01',
    '2026-01-31T09:30:00',
    '2026-01-31 09:30:00Z',
    '2026-02-30T09:30:00Z',
    '2026-01-31T24:00:00Z',
    '2026-01-31T09:30:60Z',
    '1769851800000',
    '0000-01-01T00:00:00Z',
    '2026-01-31T09:30:00Z\0',
  ])('rejects %j as from and as to', async (text) => {
    for (const param of ['from', 'to']) expectError(await list({ [param]: text }), 'invalid_request', { param });
  });

  it('rejects a from that is after to', async () => {
    const response = await list({ from: '2026-01-02T00:00:00Z', to: '2026-01-02T01:00:00+02:00' });
    expectError(response, 'invalid_request', { param: 'from', message: 'from must not be after to' });
  });

  it('rejects an unknown type and lists the known types', async () => {
    for (const query of ['type=resource.lost', 'type=', 'type=resource.created&type=x']) {
      const response = await list(query);
      expectError(response, 'invalid_request', { param: 'type', message: EVENT_TYPES.join(', ') });
    }
  });

  it('binds a cursor to every filter', async () => {
    const cursor = (await list('limit=1')).body.meta.nextCursor as string;
    const to = '2126-01-01T00:00:00Z';
    for (const filter of [{ resourceId }, { type: 'resource.updated' }, { from: '2026-01-01T00:00:00Z' }, { to }]) {
      expectError(await list({ ...filter, cursor } as Record<string, string>), 'invalid_cursor', { param: 'cursor' });
    }
  });
});

describe('GET /v1/events/{id}', () => {
  it('returns an event of the list', async () => {
    const { status, body } = await service.send('GET', `/v1/events/${log[3]?.id}`);
    expect([status, body]).toEqual([200, { data: log[3] }]);
  });

  it.each(['evt_00000000000000000000000000', 'evt_', 'x'])('returns 404 for %s', async (id) => {
    expectError(await service.send('GET', `/v1/events/${id}`), 'not_found', { param: 'id' });
  });

  it('rejects writing methods', async () => {
    for (const path of ['/v1/events', `/v1/events/${log[0]?.id}`]) {
      for (const method of ['POST', 'PUT', 'PATCH', 'DELETE']) {
        expectError(await service.send(method, path, { body: {} }), 'method_not_allowed');
      }
    }
  });
});

describe('the log through GraphQL', () => {
  const DOCUMENT = `query ($types: [EventType!], $id: ID, $from: DateTime, $to: DateTime) {
    events(filter: { types: $types, resourceId: $id, occurredAt: { from: $from, to: $to } }, first: 100) {
      totalCount nodes { eventId type resourceId payload { json } occurredAt } } }`;
  const send = (variables: object) => service.graphql(DOCUMENT, variables);

  it('returns the same log', async () => {
    const { body } = await send({});
    const nodes = body.data.events.nodes.map((node: Record<string, unknown>) => ({
      id: node.eventId,
      type: enumValueIn(EVENT_TYPES, node.type as never),
      resource_id: node.resourceId,
      payload: (node.payload as { json: object }).json,
      occurred_at: node.occurredAt,
    }));
    expect([nodes, body.data.events.totalCount]).toEqual([log, log.length]);
  });

  it('filters by several types in any order', async () => {
    const types = ['RESOURCE_DELETED', 'RESOURCE_CREATED', 'RESOURCE_DELETED'];
    expect((await send({ types, id: resourceId })).body.data.events.totalCount).toBe(2);
  });

  it('rejects what REST rejects', async () => {
    expectGraphqlError(await send({ types: ['RESOURCE_LOST'] }), 'invalid_request', { param: 'types[0]' });
    expectGraphqlError(await send({ types: [] }), 'invalid_request', { param: 'types' });
    const [from, to] = ['2026-01-02T00:00:00Z', '2026-01-01T00:00:00Z'];
    expectGraphqlError(await send({ from, to }), 'invalid_request', { param: 'occurredAt.from' });
    expectGraphqlError(await send({ from: '2026-01' }), 'invalid_request', { param: 'from' });
    const missing = await service.graphql('{ event(id: "evt_x") { type } }');
    expect(missing.body).toEqual({ data: { event: null } });
  });
});

describe('the log is append-only in the database too', () => {
  it.each([`UPDATE event SET type = 'x'`, 'DELETE FROM event', 'TRUNCATE event CASCADE'])('%s fails', async (sql) => {
    await expect(service.service.services.stores.prisma.$executeRawUnsafe(sql)).rejects.toThrow(/append-only/);
    expect(await read({})).toEqual(log);
  });
});
