import type pg from 'pg';
import { OUTSIDE_TRANSACTION } from '../../../src/db/migrations.ts';
import { seedTimelines } from '../../../tools/bench/core/seed.ts';
import { type DataStore, startOn } from '../data-stores.ts';
import { openPool } from '../database.ts';
import { laterRelease } from '../later-migrations.ts';
import { until } from '../until.ts';
import { type MeasuredLoad, startMeasuredLoad, summaryOf } from './measured-load.ts';

const TABLE = 'timeline_item';

const ITEMS_PER_CONVERSATION = 1_000;

/** What a later release may add to a large table. */
const MIGRATIONS = {
  later_column: `ALTER TABLE "${TABLE}" ADD COLUMN "later" INTEGER NOT NULL DEFAULT 7;`,
  later_index: `${OUTSIDE_TRANSACTION}
CREATE INDEX CONCURRENTLY IF NOT EXISTS "timeline_item_later_idx" ON "${TABLE}"("later", "created_at");`,
};

export interface UpgradeOptions {
  readonly store: DataStore & { readonly url: string };
  readonly rows: number;
  /** The folder of the build that serves at first. Default: this build. */
  readonly from?: string | undefined;
  /** Receives each result once it is known. */
  readonly report?: (name: string, result: string) => void;
}

export interface UpgradeResult {
  /** The longest request while a new process migrated. */
  readonly longestMs: number;
  readonly failures: readonly string[];
  /** Acknowledged writes that the database does not have. */
  readonly lost: readonly string[];
  readonly indexIsValid: boolean;
  readonly values: number;
}

/**
 * Upgrades two processes one after another under load, with a migration of a large table. When the first new process starts,
 * somebody else reads the table in a transaction, which the migration must wait for.
 */
export async function rollingUpgrade(options: UpgradeOptions): Promise<UpgradeResult> {
  const { store, rows, from, report = () => {} } = options;
  const pool = openPool(store.url, 3);
  const build = await laterRelease(MIGRATIONS);
  const loads: MeasuredLoad[] = [];
  const serve = (process: Parameters<typeof startMeasuredLoad>[0]) => {
    const load = startMeasuredLoad(process);
    loads.push(load);
    return load;
  };
  try {
    const [first, second] = [await startOn(store, {}, from), await startOn(store, {}, from)];
    report('rows', await fill(pool, rows));
    const [atFirst, atSecond] = [serve(first), serve(second)];
    await until(async () => loads.every(({ samples }) => samples.length >= 100));
    const before = loads.flatMap(({ samples }) => samples);
    report('before', summaryOf(before).text);

    const startedAt = performance.now();
    const reader = await pool.connect();
    await reader.query(`BEGIN; SELECT 1 FROM "${TABLE}" LIMIT 1`);
    const starting = startOn(store, {}, build.root);
    await until(async () => await isWaiting(pool));
    // The migration has waited and let the others pass, at least once.
    await until(async () => !(await isWaiting(pool)));
    await reader.query('COMMIT');
    reader.release();
    const next = await starting;
    const migratedMs = performance.now() - startedAt;
    const during = loads.flatMap(({ samples }) =>
      samples.filter((sample) => sample.startedAt + sample.ms >= startedAt),
    );
    const { text, longestMs } = summaryOf(during);
    report('migration', `a column and an index in ${(migratedMs / 1_000).toFixed(1)} s, while two processes served`);
    report('during', text);

    const atNext = serve(next);
    await atFirst.stop();
    await first.kill('SIGTERM');
    const last = await startOn(store, {}, build.root);
    const atLast = serve(last);
    await atSecond.stop();
    await second.kill('SIGTERM');
    await until(async () => atNext.samples.length >= 100 && atLast.samples.length >= 100);
    await Promise.all([atNext.stop(), atLast.stop()]);
    // They write their compiled code into the folder of the build, which is removed.
    await Promise.all([next.kill('SIGTERM'), last.kill('SIGTERM')]);
    const failures = loads.flatMap((load) => load.failures);
    report(
      'rolling',
      `both processes were replaced, ${loads.flatMap(({ samples }) => samples).length} requests in all`,
    );
    return { longestMs, failures, lost: await lostOf(pool, loads), ...(await schemaOf(pool)) };
  } finally {
    await Promise.all(loads.map((load) => load.stop()));
    await Promise.all([pool.end(), build.remove()]);
  }
}

async function fill(pool: pg.Pool, rows: number): Promise<string> {
  const database = { url: '', query: (text: string, values?: readonly unknown[]) => pool.query(text, values?.slice()) };
  await seedTimelines(database, [1, Math.ceil(rows / ITEMS_PER_CONVERSATION)], ITEMS_PER_CONVERSATION);
  const { rows: sizes } = await pool.query(
    `SELECT count(*)::int AS count, pg_size_pretty(pg_total_relation_size('${TABLE}')) AS size FROM "${TABLE}"`,
  );
  return `${TABLE} has ${sizes[0].count.toLocaleString('en')} rows, ${sizes[0].size}`;
}

/** Whether a statement waits for a lock on the table. */
async function isWaiting(pool: pg.Pool): Promise<boolean> {
  const { rows } = await pool.query(
    `SELECT 1 FROM pg_locks l JOIN pg_database d ON d.oid = l.database
     WHERE d.datname = current_database() AND NOT granted AND relation = '"${TABLE}"'::regclass
       AND mode = 'AccessExclusiveLock'`,
  );
  return rows.length > 0;
}

async function schemaOf(pool: pg.Pool): Promise<{ indexIsValid: boolean; values: number }> {
  const index = await pool.query(
    `SELECT indisvalid AS valid FROM pg_index WHERE indexrelid = to_regclass('timeline_item_later_idx')`,
  );
  const column = await pool.query(`SELECT count(*)::int AS count FROM "${TABLE}" WHERE "later" = 7`);
  return { indexIsValid: index.rows[0]?.valid === true, values: column.rows[0].count };
}

async function lostOf(pool: pg.Pool, loads: readonly MeasuredLoad[]): Promise<string[]> {
  const lost = async (written: readonly string[], found: string) => {
    const { rows } = await pool.query<{ id: string }>(
      `SELECT id FROM unnest($1::text[]) AS written(id) WHERE NOT EXISTS (${found})`,
      [written],
    );
    return rows.map(({ id }) => id);
  };
  const resources = loads.flatMap(({ written }) => written.resources);
  const runs = loads.flatMap(({ written }) => written.runs);
  return [
    ...(await lost(resources, 'SELECT 1 FROM resource WHERE resource.id = written.id')),
    ...(await lost(runs, `SELECT 1 FROM run WHERE run.id::text = written.id AND status = 'completed'`)),
  ];
}
