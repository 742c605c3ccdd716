import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { expectGraphqlError } from '../support/error-bodies.ts';
import { startService, type TestService } from '../support/service.ts';
import { type Subscription, trackSubscriptions } from '../support/subscriptions.ts';
import { makeKey } from '../support/tenants.ts';
import { until } from '../support/until.ts';

let service: TestService;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.close());

const feeds = trackSubscriptions();
afterEach(feeds.closeAll);

const DOCUMENT = `subscription ($after: String, $types: [EventType!], $resourceId: ID) {
  eventAppended(after: $after, filter: { types: $types, resourceId: $resourceId }) {
    cursor event { eventId type resourceId payload { json } } } }`;

const PAGE = `query ($types: [EventType!], $resourceId: ID, $first: Int) {
  events(filter: { types: $types, resourceId: $resourceId }, first: $first) { ...Page } }
  fragment Page on EventConnection { nodes { eventId } followCursor }`;

async function follow(variables: object = {}, key = service.keys.live): Promise<Subscription> {
  const stream = await feeds.open(service, DOCUMENT, variables, key);
  return stream;
}

async function make(fields: object = {}, type = 'a'): Promise<string> {
  return (await service.send('POST', '/v1/resources', { body: { type, fields } })).body.data.id;
}

async function next(stream: Subscription) {
  return (await stream.next()).data.eventAppended as {
    cursor: string;
    event: { eventId: string; type: string; resourceId: string; payload: { json: object } };
  };
}

async function page(variables: object = {}) {
  const { body } = await service.graphql(PAGE, variables);
  return body.data.events as { nodes: { eventId: string }[]; followCursor: string };
}

describe('eventAppended', () => {
  it('sends events from now on without `after`, as the log contains them', async () => {
    await make();
    const stream = await follow();
    const id = await make({ n: 1 }, 'contact');
    const { event } = await next(stream);
    expect(event).toMatchObject({
      type: 'RESOURCE_CREATED',
      resourceId: id,
      payload: { json: { type: 'contact', fields: { n: 1 } } },
    });
    const { body } = await service.send('GET', `/v1/events/${event.eventId}`);
    expect(body.data).toMatchObject({ id: event.eventId, type: 'resource.created', payload: event.payload.json });
  });

  it('sends everything after the cursor of the last event without gap or repeat, then live events', async () => {
    const stream = await follow();
    const ids = [await make(), await make(), await make()];
    const first = await next(stream);
    await stream.close();
    const repeated = await follow({ after: first.cursor });
    ids.push(await make());
    const rest = [await next(repeated), await next(repeated), await next(repeated)];
    expect([first, ...rest].map(({ event }) => event.resourceId)).toEqual(ids);
  });

  it("sends after a page's followCursor only what the page does not contain", async () => {
    await make();
    const { nodes, followCursor } = await page({ first: 1 });
    const ids = [await make(), await make()];
    const stream = await follow({ after: followCursor });
    const received = [await next(stream), await next(stream)];
    expect(received.map(({ event }) => event.resourceId)).toEqual(ids);
    expect(received.map(({ event }) => event.eventId)).not.toContain(nodes[0]?.eventId);
  });

  it('starts at the beginning from an empty page', async () => {
    const resourceId = await make();
    const empty = await page({ resourceId, types: ['RESOURCE_UPDATED'] });
    expect(empty.nodes).toEqual([]);
    await service.send('PATCH', `/v1/resources/${resourceId}`, { body: { fields: { a: 1 } } });
    const stream = await follow({ resourceId, types: ['RESOURCE_UPDATED'], after: empty.followCursor });
    expect((await next(stream)).event).toMatchObject({ type: 'RESOURCE_UPDATED', resourceId });
  });

  it('sends a thousand missed events in order', async () => {
    const { followCursor } = await page();
    const ids: string[] = [];
    for (let batch = 0; batch < 20; batch += 1) {
      await Promise.all(Array.from({ length: 50 }, async () => ids.push(await make())));
    }
    const stream = await follow({ after: followCursor });
    const received = new Set<string>();
    for (let count = 0; count < ids.length; count += 1) received.add((await next(stream)).event.resourceId);
    expect([...received].sort()).toEqual(ids.sort());
    const last = await make();
    expect((await next(stream)).event.resourceId).toBe(last);
  });

  it('filters by resource and by types', async () => {
    const resourceId = await make();
    const ofResource = await follow({ resourceId });
    const deletions = await follow({ types: ['RESOURCE_DELETED', 'INTEGRATION_CONNECTED'] });
    await make();
    await service.send('PATCH', `/v1/resources/${resourceId}`, { body: { fields: { a: 1 } } });
    await service.send('DELETE', `/v1/resources/${resourceId}`);
    expect((await next(ofResource)).event).toMatchObject({ type: 'RESOURCE_UPDATED', resourceId });
    expect((await next(ofResource)).event).toMatchObject({ type: 'RESOURCE_DELETED', resourceId });
    expect((await next(deletions)).event).toMatchObject({ type: 'RESOURCE_DELETED', resourceId });
  });

  it('rejects a changed cursor, and one of another environment, filter or the list', async () => {
    const { followCursor: after } = await page();
    const { body } = await service.graphql('{ events(first: 1) { edges { cursor } } }');
    const rejected = [
      await follow({ after: `${after}A` }),
      await follow({ after: '' }),
      await follow({ after: body.data.events.edges[0].cursor }),
      await follow({ after, types: ['RESOURCE_CREATED'] }),
      await follow({ after, resourceId: 'res_x' }),
      await follow({ after }, service.keys.test),
    ];
    for (const { rejection: response } of rejected) {
      expect(response).toBeDefined();
      if (response) expectGraphqlError(response, 'invalid_cursor', { param: 'after' });
    }
  });

  it('rejects unknown types, and keys that may not read events', async () => {
    const wrong = (await follow({ types: ['x'] })).rejection;
    if (wrong) expectGraphqlError(wrong, 'invalid_request', { param: 'types[0]' });
    const key = await makeKey(service, { scopes: ['resources:read', 'resources:write'] });
    const forbidden = (await follow({}, key)).rejection;
    if (forbidden) expectGraphqlError(forbidden, 'forbidden', { facts: { required_scope: 'events:read' } });
    expect([wrong, forbidden]).toEqual([expect.anything(), expect.anything()]);
  });

  it('ends at once when its client disconnects, also while no event occurs', async () => {
    const count = async () => {
      const { body } = await service.send('GET', '/metrics');
      return Number(/^parley_\w*subscriptions\S* (\d+)$/m.exec(body)?.[1]);
    };
    const before = await count();
    const stream = await follow();
    expect(await count()).toBe(before + 1);
    await stream.close();
    await until(async () => (await count()) === before);
  });
});
