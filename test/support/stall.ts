import pg from 'pg';
import { until } from './until.ts';

/** The point at which a statement stalls: before it changes anything, or before its commit. */
export type StallPoint = 'before' | 'within';

/** Stalls statements of service processes on one PostgreSQL server, so that a test can kill the process meanwhile. */
export interface StatementStalls {
  /** From now on, statements that change one of these conversations stall at that point. */
  hold(conversationIds: readonly string[], point: StallPoint): Promise<void>;
  /** Resolves once exactly this many statements are stalled. */
  waiting(count: number): Promise<void>;
  /** Lets the statements commit without their process, or terminates them. Waits until their sessions are gone. */
  release(fate: 'committed' | 'aborted'): Promise<void>;
  close(): Promise<void>;
}

/** When a statement stalls within its work: when it has written everything, or when its transaction commits. */
type StallMoment = 'written' | 'commit';

const TRIGGER = {
  written: { create: 'CREATE TRIGGER', timing: '' },
  commit: { create: 'CREATE CONSTRAINT TRIGGER', timing: 'DEFERRABLE INITIALLY DEFERRED' },
} as const satisfies Record<StallMoment, object>;

/** The trigger requests a lock when a statement has written everything but has not committed. */
const triggerFor = (rows: string, { create, timing }: (typeof TRIGGER)[StallMoment]) => `
  CREATE FUNCTION stall() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN
    PERFORM pg_advisory_xact_lock_shared(hashtextextended(NEW.conversation_id::text, 0));
    RETURN NULL;
  END $$;
  ${create} stall AFTER INSERT OR UPDATE ON timeline_item ${timing} FOR EACH ROW WHEN (${rows}) EXECUTE FUNCTION stall()`;

const LOCK = {
  before: 'SELECT id FROM conversation WHERE id = ANY ($1::uuid[]) ORDER BY id FOR UPDATE',
  within: 'SELECT pg_advisory_xact_lock(hashtextextended(id, 0)) FROM unnest($1::text[]) AS id',
} as const satisfies Record<StallPoint, string>;

/**
 * @param rows the condition of the new rows of the timeline whose statements stall before their commit
 * @param moment `commit` for transactions of several statements: their client has requested the commit when they stall
 */
export async function openStalls(
  url: string,
  rows = 'true',
  moment: StallMoment = 'written',
): Promise<StatementStalls> {
  const [holder, watcher] = [new pg.Client({ connectionString: url }), new pg.Client({ connectionString: url })];
  await Promise.all([holder.connect(), watcher.connect()]);
  await watcher.query(triggerFor(rows, TRIGGER[moment]));
  const { pid } = (await holder.query<{ pid: number }>('SELECT pg_backend_pid() AS pid')).rows[0] ?? {};
  const stalledPids = async () => {
    const result = await watcher.query<{ pid: number }>(
      'SELECT pid FROM pg_stat_activity WHERE $1 = ANY (pg_blocking_pids(pid))',
      [pid],
    );
    return result.rows.map(({ pid }) => pid);
  };
  return {
    async hold(conversationIds, point) {
      await holder.query('BEGIN');
      await holder.query(LOCK[point], [conversationIds]);
    },
    waiting: async (count) => {
      await until(async () => (await stalledPids()).length === count, { withinMs: 10_000, everyMs: 10 });
    },
    async release(fate) {
      const pids = await stalledPids();
      if (fate === 'aborted')
        await watcher.query('SELECT pg_terminate_backend(pid) FROM unnest($1::int[]) AS pid', [pids]);
      await holder.query('ROLLBACK');
      await until(async () => {
        const sessions = await watcher.query('SELECT 1 FROM pg_stat_activity WHERE pid = ANY ($1)', [pids]);
        return sessions.rows.length === 0;
      });
    },
    close: async () => {
      await Promise.all([holder.end(), watcher.end()]);
    },
  };
}
