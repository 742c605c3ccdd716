import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { POSTGRES_URL } from '../support/database.ts';
import { directory, emptyPostgres, type Place, startAt, startPair } from '../support/places.ts';
import { killAll, type ServiceProcess } from '../support/process.ts';
import { until } from '../support/until.ts';

const DATABASES = [
  { name: 'PGlite', place: directory, skip: Boolean(POSTGRES_URL) },
  { name: 'PostgreSQL', place: emptyPostgres, skip: !POSTGRES_URL },
];

async function messages(process: ServiceProcess, conversationId: string) {
  const { body } = await process.send('GET', `/v1/runner/conversation/${conversationId}/messages`);
  return body;
}

afterEach(killAll);

for (const { name, place, skip } of DATABASES) {
  describe.skipIf(skip)(`on ${name}`, () => {
    let home: Place;
    beforeAll(async () => {
      home = await place();
    });
    afterAll(() => home.remove());

    it('keeps every acknowledged message through kill -9, fails the dead run within 10 s, and takes the next turn', async () => {
      const first = await startAt(home);
      const { body: started } = await first.agentTurn('Hello');
      const conversationId: string = started.conversation_id;
      const cut = first.agentTurn('/slow 60', { conversation_id: conversationId }).catch(() => 'cut');
      await until(async () => (await messages(first, conversationId)).run_status === 'running');
      await first.kill('SIGKILL');
      expect(await cut).toBe('cut');

      const second = await startAt(home);
      const settled = await until(
        async () => {
          const read = await messages(second, conversationId);
          return read.run_status === 'running' ? undefined : read;
        },
        { withinMs: 10_000 },
      );
      expect(settled.run_status).toBe('failed');
      expect(settled.items.map((item: { content: unknown[] }) => item.content[0])).toEqual([
        { type: 'text', text: 'Hello' },
        { type: 'text', text: 'You said: Hello' },
        { type: 'text', text: '/slow 60' },
      ]);

      const next = await second.agentTurn('Still there?', { conversation_id: conversationId });
      expect(next).toMatchObject({ status: 200, body: { content: 'You said: Still there?' } });
      await second.kill('SIGTERM');
    });

    it('finishes a running turn when it is told to stop, and answers it', async () => {
      const process = await startAt(home);
      const turn = process.agentTurn('/slow 1\n/say done');
      await until(async () => {
        const { body } = await process.graphql('{ conversations(first: 1) { nodes { run { status } } } }');
        return body.data.conversations.nodes[0]?.run?.status === 'running';
      });
      await process.kill('SIGTERM');
      expect(await turn).toMatchObject({ status: 200, body: { content: 'done', run_status: 'completed' } });
      expect(process.child.exitCode).toBe(0);
    });

    it('says at /readyz that it will end, and goes on for SHUTDOWN_DELAY', async () => {
      const process = await startAt(home, { SHUTDOWN_DELAY: '3' });
      // A connection for each request, as a balancer opens them until it has asked.
      const readiness = async () => (await fetch(`${process.url}/readyz`, { headers: { connection: 'close' } })).status;
      expect(await readiness()).toBe(200);
      const toldAt = Date.now();
      const gone = process.kill('SIGTERM');
      await until(async () => (await readiness()) === 503);
      const turn = await process.agentTurn('Hello');
      expect(turn).toMatchObject({ status: 200, body: { content: 'You said: Hello' } });
      const read = await process.send('GET', '/v1/resources', { headers: { connection: 'close' } });
      expect(read.status).toBe(200);
      await gone;
      expect(Date.now() - toldAt).toBeGreaterThanOrEqual(3_000);
      expect(process.child.exitCode).toBe(0);
    });
  });
}

describe.skipIf(!POSTGRES_URL)('two processes on one PostgreSQL', () => {
  let home: Place;
  let pair: [ServiceProcess, ServiceProcess];
  beforeAll(async () => {
    home = await emptyPostgres();
  });
  afterAll(() => home.remove());

  it('start together on an empty database, serve the same conversation, and never run two turns of it at once', async () => {
    pair = await startPair(home);
    const [one, other] = pair;
    const { body } = await one.agentTurn('Hello');
    const conversationId: string = body.conversation_id;
    const continued = await other.agentTurn('Again', { conversation_id: conversationId });
    expect(continued).toMatchObject({ status: 200, body: { content: 'You said: Again' } });

    for (let round = 0; round < 20; round += 1) {
      const answers = await Promise.all(
        pair.map((process) => process.agentTurn('/slow 0.5\n/say once', { conversation_id: conversationId })),
      );
      expect(answers.map(({ status }) => status).sort()).toEqual([200, 409]);
      const refused = answers.find(({ status }) => status === 409);
      expect(refused?.body.error).toMatchObject({ code: 'run_in_progress', run_id: expect.any(String) });
    }
    const read = await messages(one, conversationId);
    expect(read.total).toBe(4 + 20 * 2);
  });
});

describe('the data directory', () => {
  it('is refused to a second process, with a sentence that says what to do', async () => {
    const home = await directory();
    const first = await startAt(home);
    await expect(startAt(home)).rejects.toThrow(/is in use by another Parley process.*DATA_DIR/s);
    await first.kill('SIGTERM');
    await home.remove();
  });
});
