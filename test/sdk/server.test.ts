import { Webhook } from 'standardwebhooks';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  createServerClient,
  type FollowedEvent,
  type ServerClient,
  verifyWebhook,
} from '../../src/sdk/server/index.ts';
import { type Receiver, signedHeaders, startReceiver } from '../support/receiver.ts';
import { startService, type TestService } from '../support/service.ts';
import { makeEndpoint } from '../support/webhooks.ts';

let service: TestService;
let server: ServerClient;
beforeAll(async () => {
  service = await startService();
  server = createServerClient({ baseUrl: service.url, apiKey: service.key });
});
afterAll(() => service.close());

const isWrong = (param: string) => expect.objectContaining({ code: 'invalid_call', param });

describe('the SDK for servers', () => {
  it('creates, reads, changes and deletes resources', async () => {
    const created = await server.resources.create({ type: 'order', fields: { number: 7, note: 'a' } });
    expect(await server.resources.get(created.id)).toEqual(created);
    const changed = await server.resources.update(created.id, { fields: { note: 'b' } });
    expect(changed.fields).toEqual({ number: 7, note: 'b' });
    await server.resources.delete(created.id);
    await expect(server.resources.get(created.id)).rejects.toMatchObject({ code: 'not_found', status: 404 });
  });

  it('lists resources and events over several pages, and stops when the loop ends', async () => {
    const ids: string[] = [];
    for (let count = 0; count < 5; count += 1)
      ids.unshift((await server.resources.create({ type: 'page', fields: { count } })).id);
    const listed: string[] = [];
    for await (const { id } of server.resources.list({ type: 'page', pageSize: 2 })) listed.push(id);
    expect(listed).toEqual(ids);
    for await (const { id, type, resourceId } of server.events.list({ type: 'resource.created', pageSize: 1 })) {
      expect({ type, resourceId }).toEqual({ type: 'resource.created', resourceId: ids[0] });
      expect(await server.events.get(id)).toMatchObject({ id, resourceId });
      break;
    }
  });

  async function take(count: number, events: AsyncIterable<FollowedEvent>): Promise<FollowedEvent[]> {
    const taken: FollowedEvent[] = [];
    for await (const event of events) {
      taken.push(event);
      if (taken.length === count) break;
    }
    return taken;
  }

  it('follows events from a cursor, each once and in order, even if the loop is slower than the service', async () => {
    const { body } = await service.graphql('{ events { followCursor } }');
    const after = body.data.events.followCursor;
    const ids: string[] = [];
    for (let count = 0; count < 300; count += 1)
      ids.push((await server.resources.create({ type: 'followed', fields: {} })).id);
    const first = await take(2, server.events.follow({ after }));
    const rest = await take(298, server.events.follow({ after: String(first.at(-1)?.cursor) }));
    const received = [...first, ...rest].map(({ event }) => event);
    expect(received.map(({ resourceId }) => resourceId)).toEqual(ids);
    expect(new Set(received.map(({ type }) => type))).toEqual(new Set(['resource.created']));
  });

  it('ends a stream of events when its signal is aborted, and throws if the key is wrong', async () => {
    expect(await take(1, server.events.follow({ signal: AbortSignal.timeout(50) }))).toEqual([]);
    const stranger = createServerClient({ baseUrl: service.url, apiKey: 'sk_test_wrong' });
    await expect(take(1, stranger.events.follow())).rejects.toMatchObject({ code: 'unauthorized' });
  });
});

describe('verifyWebhook', () => {
  let receiver: Receiver;
  let secret: string;
  beforeAll(async () => {
    receiver = await startReceiver();
    ({ secret } = await makeEndpoint(service, receiver.url));
    await server.resources.create({ type: 'order', fields: {} });
    await receiver.waitForCount(1);
  });
  afterAll(() => receiver.close());

  const received = () => {
    const [message] = receiver.received;
    if (!message) throw new Error('No message arrived.');
    return { body: message.body, headers: signedHeaders(message) };
  };

  it('returns the message that the service signed, from headers of Node and of fetch', async () => {
    const { body, headers } = received();
    const message = await verifyWebhook({ headers, body, secret });
    expect(message).toMatchObject({ type: 'resource.created', data: { type: 'order' } });
    const bytes = new TextEncoder().encode(body);
    expect(await verifyWebhook({ headers: new Headers(headers), body: bytes, secret })).toEqual(message);
  });

  it('rejects a changed body, another secret, a missing header and an invalid secret', async () => {
    const { body, headers } = received();
    const other = `whsec_${btoa('x'.repeat(32))}`;
    for (const change of [{ body: `${body} ` }, { secret: other }])
      await expect(verifyWebhook({ headers, body, secret, ...change })).rejects.toEqual(isWrong('webhook-signature'));
    const { 'webhook-id': _, ...rest } = headers;
    await expect(verifyWebhook({ headers: rest, body, secret })).rejects.toEqual(isWrong('webhook-id'));
    await expect(verifyWebhook({ headers, body, secret: 'whsec_' })).rejects.toEqual(isWrong('secret'));
  });

  it('rejects a message that is older than its tolerance, although the signature is right', async () => {
    const at = new Date(Date.now() - 301_000);
    const headers = {
      'webhook-id': 'evt_1',
      'webhook-timestamp': String(Math.floor(at.getTime() / 1_000)),
      'webhook-signature': new Webhook(secret).sign('evt_1', at, '{}'),
    };
    await expect(verifyWebhook({ headers, body: '{}', secret })).rejects.toEqual(isWrong('webhook-timestamp'));
    expect(await verifyWebhook({ headers, body: '{}', secret, toleranceSeconds: 600 })).toEqual({});
  });
});
