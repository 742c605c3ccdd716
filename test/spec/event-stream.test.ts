import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { expectGraphqlError } from '../support/error-bodies.ts';
import { startService, type TestService } from '../support/service.ts';
import { openFeeds, type Subscription } from '../support/subscriptions.ts';
import { makeKey } from '../support/tenants.ts';
import { until } from '../support/until.ts';

let service: TestService;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.close());

const feeds = openFeeds();
afterEach(feeds.closeAll);

const DOCUMENT = `subscription ($after: String, $types: [String!], $resourceId: ID) {
  eventAppended(after: $after, types: $types, resourceId: $resourceId) {
    cursor event { eventId type resourceId payload } } }`;

const PAGE = `query ($types: [String!], $resourceId: ID, $first: Int) {
  events(types: $types, resourceId: $resourceId, first: $first) { ...Page } }
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
    event: { eventId: string; type: string; resourceId: string; payload: object };
  };
}

async function page(variables: object = {}) {
  const { body } = await service.graphql(PAGE, variables);
  return body.data.events as { nodes: { eventId: string }[]; followCursor: string };
}

describe('WIRE 13: eventAppended', () => {
  it('without after gives what happens from now on, as the log has it', async () => {
    await make();
    const stream = await follow();
    const id = await make({ n: 1 }, 'contact');
    const { event } = await next(stream);
    expect(event).toMatchObject({
      type: 'resource.created',
      resourceId: id,
      payload: { type: 'contact', fields: { n: 1 } },
    });
    const { body } = await service.send('GET', `/v1/events/${event.eventId}`);
    expect(body.data).toMatchObject({ id: event.eventId, type: event.type, payload: event.payload });
  });

  it('after the cursor of the last event gives everything since, without gap or repeat, then live', async () => {
    const stream = await follow();
    const ids = [await make(), await make(), await make()];
    const first = await next(stream);
    await stream.close();
    const again = await follow({ after: first.cursor });
    ids.push(await make());
    const rest = [await next(again), await next(again), await next(again)];
    expect([first, ...rest].map(({ event }) => event.resourceId)).toEqual(ids);
  });

  it('after the followCursor of a page gives what the page could not show, and nothing that it did', async () => {
    await make();
    const { nodes, followCursor } = await page({ first: 1 });
    const ids = [await make(), await make()];
    const stream = await follow({ after: followCursor });
    const seen = [await next(stream), await next(stream)];
    expect(seen.map(({ event }) => event.resourceId)).toEqual(ids);
    expect(seen.map(({ event }) => event.eventId)).not.toContain(nodes[0]?.eventId);
  });

  it('from an empty page begins at the beginning', async () => {
    const resourceId = await make();
    const none = await page({ resourceId, types: ['resource.updated'] });
    expect(none.nodes).toEqual([]);
    await service.send('PATCH', `/v1/resources/${resourceId}`, { body: { fields: { a: 1 } } });
    const stream = await follow({ resourceId, types: ['resource.updated'], after: none.followCursor });
    expect((await next(stream)).event).toMatchObject({ type: 'resource.updated', resourceId });
  });

  it('far behind gives a thousand events one after another', async () => {
    const { followCursor } = await page();
    const ids: string[] = [];
    for (let batch = 0; batch < 20; batch += 1) {
      await Promise.all(Array.from({ length: 50 }, async () => ids.push(await make())));
    }
    const stream = await follow({ after: followCursor });
    const seen = new Set<string>();
    for (let count = 0; count < ids.length; count += 1) seen.add((await next(stream)).event.resourceId);
    expect([...seen].sort()).toEqual(ids.sort());
    const last = await make();
    expect((await next(stream)).event.resourceId).toBe(last);
  });

  it('filters by resource and by types', async () => {
    const resourceId = await make();
    const ofResource = await follow({ resourceId });
    const deletions = await follow({ types: ['resource.deleted', 'integration.connected'] });
    await make();
    await service.send('PATCH', `/v1/resources/${resourceId}`, { body: { fields: { a: 1 } } });
    await service.send('DELETE', `/v1/resources/${resourceId}`);
    expect((await next(ofResource)).event).toMatchObject({ type: 'resource.updated', resourceId });
    expect((await next(ofResource)).event).toMatchObject({ type: 'resource.deleted', resourceId });
    expect((await next(deletions)).event).toMatchObject({ type: 'resource.deleted', resourceId });
  });

  it('refuses a cursor that was changed, of another environment or filter, or of the list', async () => {
    const { followCursor: after } = await page();
    const { body } = await service.graphql('{ events(first: 1) { edges { cursor } } }');
    const refused = [
      await follow({ after: `${after}A` }),
      await follow({ after: '' }),
      await follow({ after: body.data.events.edges[0].cursor }),
      await follow({ after, types: ['resource.created'] }),
      await follow({ after, resourceId: 'res_x' }),
      await follow({ after }, service.keys.test),
    ];
    for (const { refused: answer } of refused) {
      expect(answer).toBeDefined();
      if (answer) expectGraphqlError(answer, 'invalid_cursor', { param: 'after' });
    }
  });

  it('refuses types that there are not, and keys that may not read events', async () => {
    const wrong = (await follow({ types: ['x'] })).refused;
    if (wrong) expectGraphqlError(wrong, 'invalid_request', { param: 'types' });
    const key = await makeKey(service, { scopes: ['resources:read', 'resources:write'] });
    const forbidden = (await follow({}, key)).refused;
    if (forbidden) expectGraphqlError(forbidden, 'forbidden', { facts: { required_scope: 'events:read' } });
    expect([wrong, forbidden]).toEqual([expect.anything(), expect.anything()]);
  });

  it('ends at once when its reader goes away, also while nothing happens', async () => {
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
