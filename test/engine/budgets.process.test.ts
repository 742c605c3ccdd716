import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { textContent } from '../support/agent-apis.ts';
import { type PostgresStore, postgresStore, startOn } from '../support/data-stores.ts';
import { POSTGRES_URL } from '../support/database.ts';
import { busyMs } from '../support/event-loop.ts';
import { type FakeProvider, startFakeProvider } from '../support/fake-provider.ts';
import { killAll, RECOVERY_MS, type ServiceProcess } from '../support/process.ts';
import { until } from '../support/until.ts';
import { publishedWorkflow, workflowsOf } from '../support/workflows.ts';

const TURNS = 50;

const STEPS = 10;

/** The limit of a reply. */
const OUTPUT = 256;

interface Ledger {
  readonly spent: number;
  readonly reserved: number;
  readonly reservations: number;
  readonly stored: number;
  readonly active: number;
}

describe.skipIf(!POSTGRES_URL)('a budget of ten steps, and fifty turns at two processes', () => {
  let store: PostgresStore;
  let provider: FakeProvider;
  let db: pg.Client;
  let deploymentId: string;
  /** The most of a step, which each step uses. */
  let most: number;
  const start = () =>
    startOn(store, { OPENAI_BASE_URL: provider.url, OPENAI_API_KEY: 'a-key', DATABASE_POOL_SIZE: '8' });
  const say = (client: ServiceProcess, number: number) =>
    client
      .send('POST', `/v2/runner/${deploymentId}/conversation`, {
        body: { content: textContent(`Hello ${100 + number}`) },
      })
      .catch(() => undefined);

  async function ledger(): Promise<Ledger> {
    const { rows } = await db.query(`
      SELECT spent::float8, reserved::float8, (SELECT count(*)::int FROM budget_reservation) AS reservations,
             (SELECT coalesce(sum(input_tokens + output_tokens), 0)::int FROM workflow_log) AS stored,
             (SELECT count(*)::int FROM run WHERE status = 'running') AS active
      FROM budget`);
    return rows[0];
  }

  async function* looking() {
    most = (await ledger()).reserved;
    yield { deltas: ['Hi'] };
  }

  async function setBudget(amount: number): Promise<void> {
    await db.query('DELETE FROM budget');
    await db.query('DELETE FROM workflow_log');
    await db.query('UPDATE environment SET has_budgets = true');
    await db.query(
      `INSERT INTO budget (environment_id, id, place, period, unit, amount, on_reached, period_start, created_at, updated_at)
       SELECT id, 'bud_01k9z3v8c0f6t8r5m2q7x4y1pq', 'environment', 'total', 'tokens', $1, 'refuse', to_timestamp(0), now(), now()
       FROM environment WHERE kind = 'live'`,
      [amount],
    );
  }

  beforeAll(async () => {
    store = await postgresStore();
    provider = await startFakeProvider();
    db = new pg.Client({ connectionString: store.url });
    await db.connect();
    const client = await start();
    const model = 'openai-compatible:test';
    ({ deploymentId } = await publishedWorkflow(workflowsOf(client), {
      ...{ model, recovery: 'CONTINUE', maxReplyTokens: OUTPUT },
    }));
    await setBudget(1_000_000);
    provider.reply({ kind: 'dictated', pieces: looking(), usage: { input: 1, output: 1 } });
    await say(client, 0);
    await client.kill('SIGTERM');
  });
  afterAll(async () => {
    await killAll();
    await db.end();
    await provider.close();
    await store.remove();
  });

  it.each([0, 2])('holds exactly ten steps if processes are killed %d times', async (kills) => {
    await setBudget(STEPS * most);
    const asked = provider.requests.length;
    let broken = 0;
    provider.reply(() => ({ kind: 'dictated', pieces: slowly(), usage: { input: most - OUTPUT, output: OUTPUT } }));
    const processes = await Promise.all([start(), start()]);
    const sent = Array.from({ length: TURNS }, (_, number) => say(processes[number % 2] as ServiceProcess, number));
    for (let kill = 0; kill < kills; kill += 1) {
      const { stored } = await ledger();
      // On a busy machine, all steps may have been stored before.
      const goesOn = async () => {
        const now = await ledger();
        return now.stored > stored || now.stored === STEPS * most || undefined;
      };
      await until(goesOn, { withinMs: busyMs(20_000), everyMs: 20 });
      await (processes[kill] as ServiceProcess).kill('SIGKILL');
      broken += 10;
      processes[kill] = await start();
    }
    await Promise.all(sent);
    const end = await until(
      async () => {
        const now = await ledger();
        return now.active === 0 && now.reservations === 0 ? now : undefined;
      },
      { withinMs: busyMs(60_000 + RECOVERY_MS) },
    );
    expect(end).toMatchObject({ reserved: 0, spent: STEPS * most, stored: STEPS * most });
    expect(provider.requests.length - asked).toBeGreaterThanOrEqual(STEPS);
    expect(provider.requests.length - asked).toBeLessThanOrEqual(STEPS + broken);
    for (const one of processes) await one.kill('SIGTERM');
  });
});

async function* slowly() {
  await pause(300);
  yield { deltas: ['Hi'] };
}
