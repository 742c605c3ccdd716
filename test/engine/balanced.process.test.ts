import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { lookup, pauseTurn, readHistory, resume } from '../support/agent-turns.ts';
import { type Balanced, startBalanced } from '../support/balancer.ts';
import type { Client } from '../support/client.ts';
import { POSTGRES_URL } from '../support/database.ts';
import { type PostgresPlace, postgres } from '../support/places.ts';
import { killAll } from '../support/process.ts';
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
  describe.skipIf(skip)(`three processes behind nginx, with ${name}`, () => {
    let home: PostgresPlace;
    let front: Balanced;
    beforeAll(async () => {
      home = await postgres();
      front = await startBalanced(home, env);
    });
    afterAll(async () => {
      await front?.close();
      await killAll();
      await home?.remove();
    });

    /** As nginx hears of it: a client's address as the service knows it, a new one for each. */
    const from = (address: string) => ({ headers: { 'x-forwarded-for': address }, key: null });

    it('take the turns and resumes of a conversation, whichever process gets them', async () => {
      const { body } = await front.agentTurn('Hello');
      const id: string = body.conversation_id;
      for (let turn = 0; turn < 6; turn += 1) {
        const paused = await pauseTurn(front, id, `${lookup('one')}\n/say ${turn}`);
        const answer = await resume(front, paused, { name: 'Ada' });
        expect(answer).toMatchObject({ status: 200, body: { content: `${turn}`, run_status: 'completed' } });
      }
      expect((await readHistory(front, id)).items.filter(({ role }) => role === 'assistant')).toHaveLength(7);
      const worked = await Promise.all(front.processes.map(turnsOf));
      expect(worked.every((turns) => turns > 0)).toBe(true);
    });

    it('tell a feed of what other processes wrote, as it happens', async () => {
      const feed = await subscribe(front, LOG, {}, home.key);
      for (const [index, process] of front.processes.entries()) {
        const body = { type: 'note', fields: { index } };
        const made = await process.send('POST', '/v1/resources', { body });
        const told = (await feed.next()).data.eventAppended.event;
        expect(told).toEqual({ type: 'resource.created', resourceId: made.body.data.id });
      }
      await feed.close();
    });

    it('stream replies piece by piece, as text and as events', async () => {
      const stream = (accept: string) =>
        fetch(`${front.url}/v1/runner/${DEMO_CHAT_ID}/conversation/stream`, {
          method: 'POST',
          headers: { authorization: `Bearer ${home.key}`, 'content-type': 'application/json', accept },
          body: JSON.stringify({ content: [{ type: 'text', text: '/stream 40' }] }),
        });
      const pieces: number[] = [];
      for await (const _piece of (await stream('text/plain')).body ?? []) pieces.push(performance.now());
      expect(pieces.length).toBeGreaterThan(10);
      expect((pieces.at(-1) ?? 0) - (pieces[0] ?? 0)).toBeGreaterThan(200);
      const events = await readEvents(await stream('text/event-stream'));
      expect(events.filter(({ event }) => event === 'delta')).toHaveLength(40);
    });

    it('count one limit together, by the address that nginx was asked from', async () => {
      // 60 reads a minute by address, of triggers that nobody has.
      const read = (client: Client, options: object) =>
        client.send('GET', `/v1/runner/${DEMO_AGENT_ID}/trigger/unknown1`, options);
      const answers = await Promise.all(Array.from({ length: 63 }, () => read(front, from('203.0.113.1'))));
      expect(answers.filter(({ status }) => status === 429)).toHaveLength(3);
      // What a client writes itself is not believed: nginx adds the address that it sees.
      expect((await read(front, from('203.0.113.9'))).status).toBe(429);
      // Behind the process itself, its proxy is who asks.
      for (const process of front.processes) {
        expect((await read(process, from('127.0.0.1'))).status).toBe(429);
        expect((await read(process, from('203.0.113.9'))).status).toBe(404);
      }
    });

    it('keep a client at one process for its shared stream', async () => {
      const token = (await front.send('PUT', '/graphql/stream')).body;
      const headers = { 'x-graphql-event-stream-token': token };
      const body = { query: '{ __typename }', extensions: { operationId: 'a' } };
      const stream = await fetch(`${front.url}/graphql/stream?token=${token}`);
      expect(stream.status).toBe(200);
      expect((await front.send('POST', '/graphql/stream', { body, headers })).status).toBe(202);
      let text = '';
      for await (const bytes of stream.body ?? []) {
        text += Buffer.from(bytes).toString();
        if (text.includes('complete')) break;
      }
      expect(text).toContain('"__typename":"Query"');
    });

    it('take a body of 10 MiB, and nginx refuses a larger one as the service would', async () => {
      const bodyOf = (bytes: number) => JSON.stringify({ query: '{ __typename }' }).padEnd(bytes);
      const send = (path: string, bytes: number) => front.send('POST', path, { raw: bodyOf(bytes) });
      const most = 10 * 1024 * 1024;
      expect(await send('/graphql', most)).toMatchObject({ status: 200, body: { data: { __typename: 'Query' } } });
      expect(await send('/graphql', most + 1)).toMatchObject({
        status: 413,
        body: { errors: [{ extensions: { code: 'payload_too_large' } }] },
      });
      const path = `/v2/runner/${DEMO_AGENT_ID}/conversation`;
      expect(await send(path, most + 1)).toMatchObject({
        status: 413,
        body: { error: { code: 'payload_too_large' }, request_id: expect.any(String) },
      });
    });

    it('give links with the address that clients know', async () => {
      const { body } = await front.graphql('{ deployments(first: 1) { nodes { chatUrl } } }');
      expect(body.data.deployments.nodes[0].chatUrl).toMatch(`${front.url}/`);
    });
  });
}

async function turnsOf(process: Client): Promise<number> {
  const { body } = await process.send('GET', '/metrics', { key: null });
  return Number(/parley_turns_total\{outcome="completed"\} (\d+)/.exec(body)?.[1] ?? 0);
}
