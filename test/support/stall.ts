import pg from 'pg';
import { until } from './until.ts';

/** Where a statement of the service stands still: before it has touched anything, or with all of it written. */
export type StallPoint = 'before' | 'within';

/** Holds statements of service processes on one PostgreSQL, so that they can be killed in the middle of one. */
export interface Stalls {
  /** From now on statements that change one of these conversations stand still at that point. */
  hold(conversationIds: readonly string[], point: StallPoint): Promise<void>;
  /** Resolves once exactly so many statements stand still. */
  waiting(count: number): Promise<void>;
  /** Lets them finish without their process, or tears them off, and waits until they are gone. */
  release(fate: 'finished' | 'torn'): Promise<void>;
  close(): Promise<void>;
}

/** A lock that is asked for when a statement has done all its work, but is not committed. */
const TRIGGER = `
  CREATE FUNCTION stall() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN
    PERFORM pg_advisory_xact_lock_shared(hashtextextended(NEW.conversation_id::text, 0));
    RETURN NULL;
  END $$;
  CREATE TRIGGER stall AFTER INSERT OR UPDATE ON timeline_item FOR EACH ROW EXECUTE FUNCTION stall()`;

const LOCK = {
  before: 'SELECT id FROM conversation WHERE id = ANY ($1::uuid[]) ORDER BY id FOR UPDATE',
  within: 'SELECT pg_advisory_xact_lock(hashtextextended(id, 0)) FROM unnest($1::text[]) AS id',
} as const satisfies Record<StallPoint, string>;

export async function openStalls(url: string): Promise<Stalls> {
  const [holder, watcher] = [new pg.Client({ connectionString: url }), new pg.Client({ connectionString: url })];
  await Promise.all([holder.connect(), watcher.connect()]);
  await watcher.query(TRIGGER);
  const { rows } = await holder.query<{ pid: number }>('SELECT pg_backend_pid() AS pid');
  const held = async () => {
    const found = await watcher.query<{ pid: number }>(
      'SELECT pid FROM pg_stat_activity WHERE $1 = ANY (pg_blocking_pids(pid))',
      [rows[0]?.pid],
    );
    return found.rows.map(({ pid }) => pid);
  };
  return {
    async hold(conversationIds, point) {
      await holder.query('BEGIN');
      await holder.query(LOCK[point], [conversationIds]);
    },
    waiting: async (count) => {
      await until(async () => (await held()).length === count, { withinMs: 10_000, everyMs: 10 });
    },
    async release(fate) {
      const pids = await held();
      if (fate === 'torn')
        await watcher.query('SELECT pg_terminate_backend(pid) FROM unnest($1::int[]) AS pid', [pids]);
      await holder.query('ROLLBACK');
      await until(async () => {
        const left = await watcher.query('SELECT 1 FROM pg_stat_activity WHERE pid = ANY ($1)', [pids]);
        return left.rows.length === 0;
      });
    },
    close: async () => {
      await Promise.all([holder.end(), watcher.end()]);
    },
  };
}
