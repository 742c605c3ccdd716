import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import {
  type DataStore,
  directoryStore,
  emptyPostgresStore,
  postgresStore,
  startOn,
  startPair,
  startSingle,
} from '../support/data-stores.ts';
import { POSTGRES_URL } from '../support/database.ts';
import { busyMs } from '../support/event-loop.ts';
import { killAll, RECOVERY_MS, type ServiceProcess } from '../support/process.ts';
import { until } from '../support/until.ts';

const DATABASES = [
  { name: 'PGlite', place: directoryStore, skip: false },
  { name: 'PostgreSQL', place: postgresStore, skip: !POSTGRES_URL },
];

async function messages(process: ServiceProcess, conversationId: string) {
  const { body } = await process.send('GET', `/v1/runner/conversation/${conversationId}/messages`);
  return body;
}

for (const { name, place: createStore, skip } of DATABASES) {
  describe.skipIf(skip)(`on ${name}`, () => {
    let store: DataStore;
    beforeAll(async () => {
      store = await createStore();
    });
    afterAll(async () => {
      await killAll();
      await store.remove();
    });

    it('keeps every acknowledged message through kill -9, fails the interrupted run within 2.5 leases, and accepts the next turn', async () => {
      const first = await startSingle(store);
      const { body: started } = await first.agentTurn('Hello');
      const conversationId: string = started.conversation_id;
      const cut = first.agentTurn('/slow 60', { conversation_id: conversationId }).catch(() => 'cut');
      await until(async () => (await messages(first, conversationId)).run_status === 'running');
      await first.kill('SIGKILL');
      expect(await cut).toBe('cut');

      const second = await startSingle(store);
      const settled = await until(
        async () => {
          const read = await messages(second, conversationId);
          return read.run_status === 'running' ? undefined : read;
        },
        { withinMs: busyMs(RECOVERY_MS) },
      );
      expect(settled.run_status).toBe('failed');
      expect(settled.items.map((item: { content: unknown[] }) => item.content[0])).toEqual([
        { type: 'text', text: 'Hello' },
        { type: 'text', text: 'You said: Hello' },
        { type: 'text', text: '/slow 60' },
      ]);

      const next = await second.agentTurn('Still there?', { conversation_id: conversationId });
      expect(next).toMatchObject({ status: 200, body: { content: 'You said: Still there?' } });
    });

    it('finishes a running turn and responds to it after SIGTERM', async () => {
      const process = await startSingle(store);
      const turn = process.agentTurn('/slow 1\n/say done');
      await until(async () => {
        const { body } = await process.graphql('{ conversations(first: 1) { nodes { latestRun { status } } } }');
        return body.data.conversations.nodes[0]?.latestRun?.status === 'RUNNING';
      });
      await process.kill('SIGTERM');
      expect(await turn).toMatchObject({ status: 200, body: { content: 'done', run_status: 'completed' } });
      expect(process.child.exitCode).toBe(0);
    });

    it('returns 503 at /readyz and keeps serving for SHUTDOWN_DELAY', async () => {
      const process = await startOn(store, { SHUTDOWN_DELAY: '3' });
      // A connection for each request, like a load balancer.
      const readiness = async () => (await fetch(`${process.url}/readyz`, { headers: { connection: 'close' } })).status;
      expect(await readiness()).toBe(200);
      const stoppedAt = Date.now();
      const controller = process.kill('SIGTERM');
      await until(async () => (await readiness()) === 503);
      const turn = await process.agentTurn('Hello');
      expect(turn).toMatchObject({ status: 200, body: { content: 'You said: Hello' } });
      const read = await process.send('GET', '/v1/resources', { headers: { connection: 'close' } });
      expect(read.status).toBe(200);
      await controller;
      expect(Date.now() - stoppedAt).toBeGreaterThanOrEqual(3_000);
      expect(process.child.exitCode).toBe(0);
    });
  });
}

/** How often two processes get a message at the same time. */
const ROUNDS = 3;

describe.skipIf(!POSTGRES_URL)('two processes on one PostgreSQL', () => {
  let store: DataStore;
  let pair: [ServiceProcess, ServiceProcess];
  beforeAll(async () => {
    store = await emptyPostgresStore();
  });
  afterAll(async () => {
    await killAll();
    await store.remove();
  });

  it('start together on an empty database, serve the same conversation, and never run two turns of it at once', async () => {
    pair = await startPair(store);
    const [one, other] = pair;
    const { body } = await one.agentTurn('Hello');
    const conversationId: string = body.conversation_id;
    const continued = await other.agentTurn('Again', { conversation_id: conversationId });
    expect(continued).toMatchObject({ status: 200, body: { content: 'You said: Again' } });

    for (let round = 0; round < ROUNDS; round += 1) {
      const responses = await Promise.all(
        pair.map((process) => process.agentTurn('/slow 2\n/say once', { conversation_id: conversationId })),
      );
      expect(responses.map(({ status }) => status).sort()).toEqual([200, 409]);
      const rejected = responses.find(({ status }) => status === 409);
      expect(rejected?.body.error).toMatchObject({ code: 'run_in_progress', run_id: expect.any(String) });
    }
    const read = await messages(one, conversationId);
    expect(read.total).toBe(4 + ROUNDS * 2);
  });
});

describe('the data directory', () => {
  afterEach(killAll);

  it('rejects a second process with a message that says what to do', async () => {
    const store = await directoryStore();
    const first = await startOn(store);
    await expect(startOn(store)).rejects.toThrow(/is in use by another Parley process.*DATA_DIR/s);
    await first.kill('SIGTERM');
    await store.remove();
  });
});
