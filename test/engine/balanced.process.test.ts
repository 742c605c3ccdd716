import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { LIMITS } from '../../src/contract/limits.ts';
import { lookup, pauseTurn, readHistory, resume } from '../support/agent-turns.ts';
import { type BalancedService, startBalanced } from '../support/balancer.ts';
import type { Client } from '../support/client.ts';
import { type PostgresStore, postgresStore } from '../support/data-stores.ts';
import { POSTGRES_URL } from '../support/database.ts';
import { killAll } from '../support/process.ts';
import { errorOf } from '../support/results.ts';
import { DEMO_AGENT_ID, DEMO_CHAT_ID } from '../support/service.ts';
import { readEvents } from '../support/streams.ts';
import { subscribe } from '../support/subscriptions.ts';

const REDIS_URL = process.env.TEST_REDIS_URL;

const CARRIERS = [
  { name: 'LISTEN/NOTIFY', env: {}, skip: !POSTGRES_URL },
  { name: 'Redis', env: { REDIS_URL: REDIS_URL ?? '' }, skip: !POSTGRES_URL || !REDIS_URL },
];

const LOG = 'subscription { eventAppended { event { type resourceId } } }';

for (const { name, env, skip } of CARRIERS) {
  describe.skipIf(skip)(`three processes with nginx in front, and ${name}`, () => {
    let store: PostgresStore;
    let balanced: BalancedService;
    beforeAll(async () => {
      store = await postgresStore();
      balanced = await startBalanced(store, env);
    });
    afterAll(async () => {
      await balanced?.close();
      await killAll();
      await store?.remove();
    });

    /** Options with a new client IP address, as nginx receives it. */
    const from = (address: string) => ({ headers: { 'x-forwarded-for': address }, key: null });

    it('accept the turns and resumes of a conversation at any process', async () => {
      const { body } = await balanced.agentTurn('Hello');
      const id: string = body.conversation_id;
      for (let turn = 0; turn < 6; turn += 1) {
        const paused = await pauseTurn(balanced, id, `${lookup('one')}\n/say ${turn}`);
        const response = await resume(balanced, paused, { name: 'Ada' });
        expect(response).toMatchObject({ status: 200, body: { content: `${turn}`, run_status: 'completed' } });
      }
      expect((await readHistory(balanced, id)).items.filter(({ role }) => role === 'assistant')).toHaveLength(7);
      const worked = await Promise.all(balanced.processes.map(turnsOf));
      expect(worked.every((turns) => turns > 0)).toBe(true);
    });

    it('send events of other processes to a subscription at once', async () => {
      const feed = await subscribe(balanced, LOG, {}, store.key);
      for (const [index, process] of balanced.processes.entries()) {
        const body = { type: 'note', fields: { index } };
        const created = await process.send('POST', '/v1/resources', { body });
        const results = (await feed.next()).data.eventAppended.event;
        expect(results).toEqual({ type: 'RESOURCE_CREATED', resourceId: created.body.data.id });
      }
      await feed.close();
    });

    it('stream replies chunk by chunk, as text and as events', async () => {
      const stream = (accept: string) =>
        fetch(`${balanced.url}/v1/runner/${DEMO_CHAT_ID}/conversation/stream`, {
          method: 'POST',
          headers: { authorization: `Bearer ${store.key}`, 'content-type': 'application/json', accept },
          body: JSON.stringify({ content: [{ type: 'text', text: '/stream 40' }] }),
        });
      const pieces: number[] = [];
      for await (const _piece of (await stream('text/plain')).body ?? []) pieces.push(performance.now());
      expect(pieces.length).toBeGreaterThan(10);
      expect((pieces.at(-1) ?? 0) - (pieces[0] ?? 0)).toBeGreaterThan(200);
      const events = await readEvents(await stream('text/event-stream'));
      expect(events.filter(({ event }) => event === 'delta')).toHaveLength(40);
    });

    it('share one limit, by the IP address that nginx sees', async () => {
      // Limit: 60 reads of unknown triggers per minute and IP address.
      const read = (client: Client, options: object) =>
        client.send('GET', `/v1/runner/${DEMO_AGENT_ID}/trigger/unknown1`, options);
      const responses = await Promise.all(Array.from({ length: 63 }, () => read(balanced, from('203.0.113.1'))));
      expect(responses.filter(({ status }) => status === 429)).toHaveLength(3);
      // The header of a client is not trusted: nginx appends the address that it sees.
      expect((await read(balanced, from('203.0.113.9'))).status).toBe(429);
      // In a direct request the process treats the sender as its proxy.
      for (const process of balanced.processes) {
        expect((await read(process, from('127.0.0.1'))).status).toBe(429);
        expect((await read(process, from('203.0.113.9'))).status).toBe(404);
      }
    });

    it('send a client to the same process for its shared stream', async () => {
      const token = (await balanced.send('PUT', '/graphql/stream')).body;
      const headers = { 'x-graphql-event-stream-token': token };
      const body = { query: '{ __typename }', extensions: { operationId: 'a' } };
      const stream = await fetch(`${balanced.url}/graphql/stream?token=${token}`);
      expect(stream.status).toBe(200);
      expect((await balanced.send('POST', '/graphql/stream', { body, headers })).status).toBe(202);
      let text = '';
      for await (const bytes of stream.body ?? []) {
        text += Buffer.from(bytes).toString();
        if (text.includes('complete')) break;
      }
      expect(text).toContain('"__typename":"Query"');
    });

    it('stay reachable when requests bring long headers that a response could repeat', async () => {
      // A public deployment, whose runner paths accept requests from pages of any origin.
      const opened = await balanced.graphql(
        'mutation ($id: ID!) { updateDeployment(input: { deploymentId: $id, authRequired: false }) { __typename ... on UpdateDeploymentPayload { deployment { id } } ... on Error { code message path } } }',
        { id: DEMO_CHAT_ID },
      );
      expect(errorOf(opened)).toBeUndefined();
      const long = Array.from({ length: 1_700 }, () => 'abc').join('.');
      const preflight = { origin: 'https://example.com', 'access-control-request-method': 'POST' };
      const headers: Record<string, string>[] = [
        { ...preflight, origin: `https://${long}` },
        { ...preflight, 'access-control-request-headers': long.replaceAll('.', ',') },
        { 'x-request-id': long },
        { 'x-environment': long, accept: long },
      ];
      const paths = ['/graphql', '/graphql/stream', '/v1/resources', `/v1/runner/${DEMO_CHAT_ID}/conversation`];
      for (const path of paths) {
        for (const method of ['OPTIONS', 'GET', 'POST']) {
          const sent = headers.map((long) => fetch(`${balanced.url}${path}`, { method, headers: long }));
          for (const { status } of await Promise.all(sent)) expect(status, `${method} ${path}`).toBeLessThan(500);
        }
        expect((await balanced.send('GET', '/v1/resources')).status).toBe(200);
      }
    });

    it('accept bodies up to the limit of each path, and nginx rejects a larger one like the service', async () => {
      const bodyOf = (bytes: number) => JSON.stringify({ query: '{ __typename }' }).padEnd(bytes);
      const send = (path: string, bytes: number) => balanced.send('POST', path, { raw: bodyOf(bytes) });
      const most = LIMITS.bodyBytes;
      expect(await send('/graphql', most)).toMatchObject({ status: 200, body: { data: { __typename: 'Query' } } });
      expect(await send('/graphql', most + 1)).toMatchObject({
        status: 413,
        body: { errors: [{ extensions: { code: 'PAYLOAD_TOO_LARGE' } }] },
      });
      const path = `/v2/runner/${DEMO_AGENT_ID}/conversation`;
      expect((await send(path, LIMITS.runnerBodyBytes)).status).toBe(400);
      expect(await send(path, LIMITS.runnerBodyBytes + 1)).toMatchObject({
        status: 413,
        body: { error: { code: 'payload_too_large' }, request_id: expect.any(String) },
      });
    });

    it('return links with the address that clients know', async () => {
      const { body } = await balanced.graphql('{ deployments(first: 1) { nodes { chatUrl } } }');
      expect(body.data.deployments.nodes[0].chatUrl).toMatch(`${balanced.url}/`);
    });
  });
}

async function turnsOf(process: Client): Promise<number> {
  const { body } = await process.send('GET', '/metrics', { key: null });
  return Number(/parley_turns_total\{outcome="completed"\} (\d+)/.exec(body)?.[1] ?? 0);
}
