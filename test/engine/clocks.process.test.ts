import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { publishScripted } from '../support/actions.ts';
import { type PostgresStore, postgresStore, startOn } from '../support/data-stores.ts';
import { POSTGRES_URL, ROOT } from '../support/database.ts';
import { busyMs } from '../support/event-loop.ts';
import { type FakeProvider, type FakeReply, startFakeProvider } from '../support/fake-provider.ts';
import { killAll, LEASE_SECONDS, RECOVERY_MS, type ServiceProcess } from '../support/process.ts';
import { until } from '../support/until.ts';
import { workflowsOf } from '../support/workflows.ts';

const SHIM = join(ROOT, 'test/support/processes/shifted-clock.mjs');

const SHIFT_MS = 3 * 3_600_000;

/** Longer than a lease that nobody renews, and its grace period. */
const LEASE_ENDS_MS = LEASE_SECONDS * 1_750;

interface ShiftedProcess extends ServiceProcess {
  setClock(offsetMs: number): Promise<void>;
}

describe.skipIf(!POSTGRES_URL)('two processes that continue turns, one clock 3 hours fast and one 3 hours slow', () => {
  let store: PostgresStore;
  let provider: FakeProvider;
  let folder: string;
  let database: pg.Client;
  let fast: ShiftedProcess;
  let slow: ShiftedProcess;
  let path: string;

  async function start(offsetMs: number): Promise<ShiftedProcess> {
    const file = join(folder, `clock-${performance.now()}`);
    await writeFile(file, String(offsetMs));
    const service = await startOn(store, {
      DEFAULT_MODEL: 'openai-compatible:any',
      OPENAI_BASE_URL: provider.url,
      NODE_OPTIONS: `--import=${SHIM}`,
      CLOCK_OFFSET_FILE: file,
      ALLOW_LOOPBACK: 'true',
    });
    return Object.assign(service, {
      async setClock(next: number) {
        await writeFile(file, String(next));
        service.child.kill('SIGUSR2');
      },
    });
  }

  beforeAll(async () => {
    [store, provider, folder] = await Promise.all([
      postgresStore(),
      startFakeProvider(),
      mkdtemp(join(tmpdir(), 'parley-clocks-')),
    ]);
    database = new pg.Client({ connectionString: store.url });
    await database.connect();
    [fast, slow] = await Promise.all([start(SHIFT_MS), start(-SHIFT_MS)]);
    const { deploymentId } = await publishScripted(fast, workflowsOf(fast), { recovery: 'CONTINUE' });
    path = `/v2/runner/${deploymentId}/conversation`;
  });
  afterAll(async () => {
    await database?.end();
    await killAll();
    await provider?.close();
    await store?.remove();
    await rm(folder, { recursive: true, force: true });
  });

  const send = (service: ServiceProcess, headers: Record<string, string> = {}) =>
    service.send('POST', path, { body: { content: [{ type: 'text', text: 'Hello' }] }, headers });

  /** Replies that arrive after `moment`. */
  const repliesAfter = (moment: Promise<void>): FakeReply => ({
    kind: 'dictated',
    pieces: {
      async *[Symbol.asyncIterator]() {
        await moment;
        yield { deltas: ['Done.'] };
      },
    },
  });

  const rows = async (sql: string) => (await database.query(sql)).rows;

  const whenIdle = (ms: number) =>
    until(async () => (await rows("SELECT FROM run WHERE status = 'running'")).length === 0, {
      withinMs: busyMs(ms),
    });

  it('run each turn once, while their clocks jump', async () => {
    const gate = Promise.withResolvers<void>();
    provider.reply(repliesAfter(gate.promise));
    const turns = [send(fast), send(slow)];
    const accepted = [send(fast, { prefer: 'respond-async' }), send(slow, { prefer: 'respond-async' })];
    expect((await Promise.all(accepted)).map(({ status }) => status)).toEqual([202, 202]);
    await until(async () => provider.requests.length === 4);
    const shifts = await rows('SELECT round(extract(epoch FROM created_at - now()) / 3600)::int AS hours FROM run');
    expect(shifts.map(({ hours }) => hours).sort((a, b) => a - b)).toEqual([-3, -3, 3, 3]);
    await Promise.all([fast.setClock(-SHIFT_MS), slow.setClock(SHIFT_MS)]);
    await pause(LEASE_ENDS_MS);
    gate.resolve();
    const done = { status: 200, body: { run_status: 'completed', content: 'Done.' } };
    expect(await Promise.all(turns)).toMatchObject([done, done]);
    await whenIdle(RECOVERY_MS);
    expect(provider.requests).toHaveLength(4);
    expect(await rows('SELECT DISTINCT status::text, fence FROM run')).toEqual([{ status: 'completed', fence: 1 }]);
  });

  it.each(['slow', 'fast'])('take over the turn of a dead process whose clock was %s', async () => {
    provider.reply({ kind: 'hang' });
    const asked = provider.nextRequest();
    const cut = send(fast).catch(() => 'cut');
    await asked;
    const before = provider.requests.length;
    provider.reply({ kind: 'answer', deltas: ['Continued.'] });
    await fast.kill('SIGKILL');
    expect(await cut).toBe('cut');
    await whenIdle(RECOVERY_MS + 2_000);
    const [last] = await rows('SELECT status::text, fence FROM run ORDER BY fence DESC, updated_at DESC LIMIT 1');
    expect([last, provider.requests.length - before]).toEqual([{ status: 'completed', fence: 2 }, 1]);
    // The survivor is the next one to die.
    [fast, slow] = [slow, await start(-SHIFT_MS)];
  });
});
