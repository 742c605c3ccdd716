import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { CHANGE_EVENT_TYPES } from '../../src/contract/statuses.ts';
import { CursorCodec } from '../../src/db/cursor.ts';
import { expectError, expectGraphqlError } from '../support/error-bodies.ts';
import { lifecycleOf } from '../support/lifecycle.ts';
import type { EventView } from '../support/resource-apis.ts';
import { startService, type TestService } from '../support/service.ts';
import { trackSubscriptions } from '../support/subscriptions.ts';
import { makeKey } from '../support/tenants.ts';

let service: TestService;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.close());

const feeds = trackSubscriptions();
afterEach(feeds.closeAll);

const list = (query = '', key = service.keys.live) => service.send('GET', `/v1/events?limit=100${query}`, { key });
const typesOf = async (query = '') => ((await list(query)).body.data as EventView[]).map(({ type }) => type);

async function turn(script = 'Hello', fields: object = {}) {
  const { body } = await service.agentTurn(script, fields);
  return { id: body.conversation_id as string, runId: body.run_id as string };
}

const make = async () =>
  (await service.send('POST', '/v1/resources', { body: { type: 'a', fields: {} } })).body.data.id as string;

describe('GET /v1/events', () => {
  it('lists only types of resources and integrations by default', async () => {
    await Promise.all([turn(), make()]);
    const types = await typesOf();
    expect(types).toContain('resource.created');
    expect(types.filter((type) => !(CHANGE_EVENT_TYPES as readonly string[]).includes(type))).toEqual([]);
  });

  it('adds the lifecycle events with include=runs, in one order', async () => {
    const { id, runId } = await turn();
    await make();
    const events = (await list('&include=runs')).body.data as EventView[];
    expect(events.slice(0, 3).map(({ type }) => type)).toEqual(['resource.created', 'run.completed', 'run.started']);
    expect(events[1]).toMatchObject({ resource_id: runId, payload: { conversation_id: id } });
    const one = await service.send('GET', `/v1/events/${events[1]?.id}`);
    expect(one.body.data).toEqual(events[1]);
  });

  it('pages through both without gap or repeat', async () => {
    const all = ((await list('&include=runs')).body.data as EventView[]).map(({ id }) => id);
    const received: string[] = [];
    for (let cursor = ''; ; ) {
      const { body } = await service.send('GET', `/v1/events?limit=2&include=runs${cursor && `&cursor=${cursor}`}`);
      received.push(...body.data.map(({ id }: EventView) => id));
      if (!body.meta.hasMore) break;
      cursor = body.meta.nextCursor;
    }
    expect(received).toEqual(all);
  });

  it('rejects an unknown include, and names it', async () => {
    for (const query of ['&include=all', '&include=', '&include=RUNS', '&include=runs&include=x']) {
      expectError(await list(query), 'invalid_request', { param: 'include' });
    }
  });

  it('takes a lifecycle type without include, and gives types precedence over include', async () => {
    const { runId } = await turn();
    expect(await typesOf(`&type=run.started&resourceId=${runId}`)).toEqual(['run.started']);
    expect(await typesOf(`&resourceId=${runId}`)).toEqual([]);
    expect(await typesOf(`&resourceId=${runId}&include=runs`)).toEqual(['run.completed', 'run.started']);
    expect(new Set(await typesOf('&type=resource.created&include=runs'))).toEqual(new Set(['resource.created']));
  });

  it('binds a cursor to include, and accepts the cursors of earlier versions', async () => {
    await make();
    await make();
    const { nextCursor: cursor } = (await service.send('GET', '/v1/events?limit=1')).body.meta;
    expectError(await list(`&include=runs&cursor=${cursor}`), 'invalid_cursor', { param: 'cursor' });
    const { id } = await service.service.services.stores.prisma.environment.findFirstOrThrow({
      where: { kind: 'live' },
    });
    const codec = new CursorCodec(service.service.services.settings.secretKey, ['event log', id, null, null]);
    const { xmin } = await firstPosition();
    const stream = await feeds.open(
      service,
      'subscription ($after: String) { eventAppended(after: $after) { event { type } } }',
      { after: codec.encode([xmin, '', '']) },
      service.keys.live,
    );
    expect((await stream.next()).data.eventAppended.event.type).toBe('RESOURCE_CREATED');
  });

  it('needs conversations:read for lifecycle events', async () => {
    const { id } = await turn();
    const [event] = await lifecycleOf(service, id);
    const key = await makeKey(service, { scopes: ['events:read'] });
    const facts = { facts: { required_scope: 'conversations:read' } };
    expect((await list('', key)).status).toBe(200);
    for (const query of ['&include=runs', '&type=run.started', '&type=resource.created&type=trigger.used']) {
      expectError(await list(query, key), 'forbidden', facts);
    }
    expectError(await service.send('GET', `/v1/events/${event?.id}`, { key }), 'not_found');
    const subscribed = await feeds.open(
      service,
      'subscription { eventAppended(filter: { include: [RUNS] }) { cursor } }',
      {},
      key,
    );
    if (subscribed.rejection) expectGraphqlError(subscribed.rejection, 'forbidden', facts);
    expect(subscribed.rejection).toBeDefined();
  });
});

/** The position before the oldest event. */
async function firstPosition() {
  const [row] = await service.service.services.stores.prisma.$queryRaw<{ xmin: string }[]>`
    SELECT min(xid)::text AS xmin FROM event`;
  return row ?? { xmin: '0' };
}
