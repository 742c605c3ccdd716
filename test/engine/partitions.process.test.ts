import { type ChildProcess, fork } from 'node:child_process';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { firstTypeIdAt } from '../../src/contract/ids.ts';
import { AUDIT_LOG, EVENT_LOG, periodAt, WORKFLOW_LOG } from '../../src/db/partitions/periods.ts';
import { readLastPeriod, readPartitions } from '../../src/db/partitions/state.ts';
import { type PostgresStore, postgresStore, startOn } from '../support/data-stores.ts';
import { openPool, POSTGRES_URL } from '../support/database.ts';
import { startLoad } from '../support/load.ts';
import { killAll, type ServiceProcess } from '../support/process.ts';
import { until } from '../support/until.ts';

const LOGS = [AUDIT_LOG, WORKFLOW_LOG, EVENT_LOG];

const CHAT = '00000000-0000-4000-8000-000000000001';

/** How often a maintaining process is killed while turns run, and again while the workflow log loses partitions. */
const KILLS = 8;

interface Report {
  readonly month: number;
  readonly message?: string;
  readonly partitions?: readonly string[];
}

describe.skipIf(!POSTGRES_URL)('processes that maintain the logs while others write them', () => {
  let store: PostgresStore;
  let service: ServiceProcess;
  let pool: pg.Pool;
  const maintainers = new Set<ChildProcess>();
  const reports: Report[] = [];
  beforeAll(async () => {
    store = await postgresStore();
    pool = openPool(store.url, 4);
    service = await startOn(store);
    // The lines of one-shot runs have no conversation, so they expire.
    await pool.query(
      `INSERT INTO retention (environment_id, days, next_sweep_at) SELECT id, 30, now() + interval '1 day' FROM environment`,
    );
  });
  afterAll(async () => {
    for (const child of maintainers) child.kill('SIGKILL');
    await killAll();
    await pool?.end();
    await store?.remove();
  });

  const latestMonth = () => Math.max(periodAt(AUDIT_LOG, new Date()), ...reports.map((report) => report.month));

  function startMaintainer(): ChildProcess {
    const month = latestMonth();
    const child = fork(join(import.meta.dirname, '../support/processes/log-maintainer.ts'), [], {
      execArgv: ['--import', 'tsx'],
      env: { ...process.env, DATABASE_URL: store.url, MONTH: String(month) },
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    });
    child.on('message', (report) => reports.push(report as Report));
    maintainers.add(child);
    child.once('exit', () => maintainers.delete(child));
    return child;
  }

  /** Writes both logs until it is stopped, and returns what failed. */
  function startWriters(stopped: AbortSignal): Promise<string[]>[] {
    const repeat = async (write: () => Promise<string | undefined>) => {
      const failures: string[] = [];
      while (!stopped.aborted) {
        const failure = await write().catch(String);
        if (failure) failures.push(failure);
        await pause(5);
      }
      return failures;
    };
    const audit = async () => {
      await pool.query(
        `INSERT INTO audit_entry (workspace_id, action, actor_kind, details, request_id, occurred_at)
         SELECT id, 'a', 'service', '{}', 'r', now() FROM workspace LIMIT 1`,
      );
      return undefined;
    };
    // As processes do whose clocks are like those of the maintaining processes.
    const event = async () => {
      const at = new Date(Date.UTC(2000, latestMonth(), 10));
      await pool.query(
        `INSERT INTO event (id, environment_id, type, resource_id, payload, occurred_at)
         SELECT $1 || substr(replace(gen_random_uuid()::text, '-', ''), 1, 16), id, 'resource.created', 'r', '{}', $2
         FROM environment LIMIT 1`,
        [firstTypeIdAt('evt', at), at],
      );
      return undefined;
    };
    const oneShot = async () => {
      const body = { content: [{ type: 'text', text: '/say done' }] };
      const response = await service.send('POST', `/v1/runner/${CHAT}`, { body });
      return response.status === 200 ? undefined : `${response.status} ${JSON.stringify(response.body)}`;
    };
    return [repeat(audit), repeat(event), repeat(oneShot)];
  }

  /** Kills one of two processes again and again, in the middle of their work. */
  async function killMaintainers(): Promise<void> {
    for (let kill = 0; kill < KILLS; kill += 1) {
      const before = reports.length;
      const child = startMaintainer();
      await until(async () => reports.length > before + 3);
      await pause(Math.random() * 40);
      child.kill('SIGKILL');
    }
  }

  it('fail no write, even if they are killed, and leave the logs usable', async () => {
    const stopping = new AbortController();
    const load = await startLoad(service);
    const writers = startWriters(stopping.signal);
    startMaintainer();
    await killMaintainers();
    await load.stop();
    // As the deletion of the conversations does.
    await pool.query('UPDATE workflow_log SET conversation_id = NULL, run_id = NULL');
    await killMaintainers();
    await until(async () => LOGS.every(({ table }) => droppedOf(table).length > 2));
    for (const child of maintainers) child.kill('SIGKILL');
    stopping.abort();
    expect(load.failures).toEqual([]);
    expect((await Promise.all(writers)).flat()).toEqual([]);
    for (const log of LOGS) await checkPartitions(log);
    expect((await service.agentTurn('Hello')).status).toBe(200);
  }, 180_000);

  const droppedOf = (table: string) =>
    reports
      .filter(({ message }) => message?.startsWith('dropped'))
      .flatMap(({ partitions = [] }) => partitions.filter((name) => name.startsWith(table)));

  async function lastPeriod(log: (typeof LOGS)[number]): Promise<number> {
    if (log !== EVENT_LOG) return readLastPeriod(pool, log);
    const { rows } = await pool.query<{ id: string }>('SELECT max(id) AS id FROM event');
    return EVENT_LOG.ids.periodOf(EVENT_LOG, rows[0]?.id ?? '');
  }

  /** The newest row is in a partition, the following ones have no gap, and no other table is left. */
  async function checkPartitions(log: (typeof LOGS)[number]): Promise<void> {
    const partitions = await readPartitions(pool, log);
    const last = await lastPeriod(log);
    const [current, ...ahead] = partitions.filter(({ to }) => last < to);
    expect(current?.from).toBeLessThanOrEqual(last);
    expect(ahead.length).toBeGreaterThanOrEqual(1);
    ahead.reduce((to, next) => {
      expect(next.from).toBe(to);
      return next.to;
    }, current?.to);
    const { rows } = await pool.query<{ name: string }>(
      `SELECT relname AS name FROM pg_class WHERE relkind = 'r' AND relname ~ $1`,
      [`^${log.table}_`],
    );
    expect(rows.map(({ name }) => name).sort()).toEqual(
      [...partitions.map(({ name }) => name), ...(log === EVENT_LOG ? ['event_default'] : [])].sort(),
    );
    const { rows: doubled } = await pool.query(`SELECT id FROM ${log.table} GROUP BY id HAVING count(*) > 1`);
    expect(doubled).toEqual([]);
  }
});
