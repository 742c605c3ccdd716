import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { startService, type TestService } from '../support/service.ts';
import { trackSubscriptions } from '../support/subscriptions.ts';
import { makeKey } from '../support/tenants.ts';
import { until } from '../support/until.ts';

let service: TestService;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.close());

const feeds = trackSubscriptions();
afterEach(feeds.closeAll);

const LOG = 'subscription { eventAppended { cursor event { resourceId } } }';
const CONVERSATION = `subscription ($id: ID!) {
  conversationChanged(conversationId: $id) { items { id } conversation { messageCount latestRun { status } } } }`;

const make = () => service.send('POST', '/v1/resources', { body: { type: 'a', fields: {} } });

describe('the cost of subscriptions', () => {
  it.each([
    ['the log', LOG, /from event\b/i, 'eventAppended', async () => ({ variables: {}, change: make })],
    ['a conversation', CONVERSATION, /conversation|timeline_item|\brun\b/i, 'conversationChanged', startConversation],
  ] as const)('in SQL statements is the same for thirty subscribers to %s as for one', async (...row) => {
    const [, document, statementPattern, field, setUp] = row;
    const { variables, change } = await setUp();
    const streams = [await feeds.open(service, document, variables, service.keys.live)];
    const countReads = async () => {
      service.takeStatements();
      await change();
      const results = await Promise.all(streams.map(async (stream) => (await stream.next()).data[field]));
      // Includes the statement that checks for further events.
      await make();
      expect(new Set(results.map((one) => JSON.stringify(one))).size).toBe(1);
      return service.takeStatements().filter((sql) => /^\s*SELECT/i.test(sql) && statementPattern.test(sql)).length;
    };
    if (field === 'conversationChanged') await streams[0]?.next();
    const ofOne = await countReads();
    await feeds.closeAll();
    const many = await Promise.all(
      Array.from({ length: 30 }, () => feeds.open(service, document, variables, service.keys.live)),
    );
    streams.splice(0, 1, ...many);
    if (field === 'conversationChanged') for (const stream of many) await stream.next();
    const ofMany = await countReads();
    // One statement more or less depends on how wake-ups coincide.
    expect(ofMany).toBeLessThanOrEqual(ofOne + 10);
  });

  it('is freed once its subscribers disconnect', async () => {
    const {
      stores: { tails },
      process: { callerWatches, openFeeds: open },
    } = service.service.services;
    for (let round = 0; round < 5; round += 1) {
      const streams = await Promise.all(
        Array.from({ length: 10 }, () => feeds.open(service, LOG, {}, service.keys.live)),
      );
      await make();
      for (const stream of streams) await stream.next();
      expect([tails.size, callerWatches.size, open.size]).toEqual([1, 1, 10]);
      await feeds.closeAll();
      await until(async () => tails.size + callerWatches.size + open.size === 0);
    }
  });

  it('is not shared between keys: each has its own permissions and ends with its own credential', async () => {
    const other = await makeKey(service, { scopes: ['events:read'] });
    const [one, two] = await Promise.all([
      feeds.open(service, LOG, {}, service.keys.live),
      feeds.open(service, LOG, {}, other),
    ]);
    const foreign = await feeds.open(service, LOG, {}, service.keys.test);
    const id = (await make()).body.data.id;
    for (const stream of [one, two]) {
      expect((await stream.next()).data.eventAppended.event.resourceId).toBe(id);
    }
    const created = await service.send('POST', '/v1/resources', {
      body: { type: 'b', fields: {} },
      key: service.keys.test,
    });
    expect((await foreign.next()).data.eventAppended.event.resourceId).toBe(created.body.data.id);
  });
});

async function startConversation() {
  const { body } = await service.agentTurn('Hello');
  const id: string = body.conversation_id;
  return { variables: { id }, change: () => service.agentTurn('Again', { conversation_id: id }) };
}
