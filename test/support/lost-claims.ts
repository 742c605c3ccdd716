import { expect } from 'vitest';
import type { PrismaClient } from '../../src/db/generated/client.ts';
import type { Client, SendOptions } from './client.ts';

/** The key of a request whose key another process takes over right after it was claimed. */
export const TAKEN = 'taken-';

/** The key of a request whose key another process takes over while its message joins a queue. */
export const QUEUED = 'queued-';

/** The key of a request whose process stalls after its effect, until its lease has expired. */
export const STALLED = 'stalled-';

/** Makes the database act as the other process, by the beginning of the key. */
export async function loseClaims(db: PrismaClient): Promise<void> {
  await db.$executeRaw`
    CREATE FUNCTION lose_claim() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
      IF TG_OP = 'INSERT' AND starts_with(NEW.key, 'taken-') THEN
        NEW.lease_owner := gen_random_uuid();
      ELSIF TG_OP = 'UPDATE' AND starts_with(NEW.key, 'stalled-') AND NEW.answer IS NOT NULL THEN
        NEW.answer := NULL;
        NEW.lease_owner := gen_random_uuid();
        NEW.lease_expires_at := now() - interval '1 hour';
      END IF;
      RETURN NEW;
    END $$`;
  await db.$executeRaw`
    CREATE TRIGGER lose_claim BEFORE INSERT OR UPDATE ON idempotency_record FOR EACH ROW EXECUTE FUNCTION lose_claim()`;
  await db.$executeRaw`CREATE TABLE joined_queue (run_id uuid)`;
  await db.$executeRaw`
    CREATE FUNCTION lose_queued_claim() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS $$ BEGIN
      INSERT INTO joined_queue VALUES (NEW.run_id);
      UPDATE idempotency_record SET lease_owner = gen_random_uuid() WHERE starts_with(key, 'queued-');
      RETURN NULL;
    END $$`;
  await db.$executeRaw`
    CREATE TRIGGER lose_queued_claim AFTER INSERT ON queued_turn FOR EACH ROW EXECUTE FUNCTION lose_queued_claim()`;
}

/** Takes a key over now, as another process does. */
export async function takeOver(db: PrismaClient, key: string): Promise<void> {
  const taken = await db.$executeRaw`UPDATE idempotency_record SET lease_owner = gen_random_uuid() WHERE key = ${key}`;
  expect(taken).toBe(1);
}

export function withKey(client: Client, key: string): Client {
  const keyed = (options: SendOptions = {}) => ({
    ...options,
    headers: { ...options.headers, 'idempotency-key': key },
  });
  return { ...client, graphql: (query, variables, options) => client.graphql(query, variables, keyed(options)) };
}

/** Tables and columns that change in the background, or that a repetition with the same values changes. */
const BACKGROUND = {
  tables: ['conversation_presence', 'idempotency_record', 'webhook_attempt'],
  columns: [
    ...['last_used_at', 'updated_at', 'failures', 'failing_since', 'last_failed_at', 'paused_until', 'last_event_xid'],
    ...['last_event_id', 'status_code', 'attempts', 'next_attempt_at', 'lease_owner', 'lease_expires_at', 'last_error'],
    ...[
      'response_status',
      'finished_at',
      'revision',
      'xid',
      'position_xid',
      'position_id',
      'rated_at',
      'next_sweep_at',
      // A sweep that is due after a minute.
      'started_at',
      'swept_days',
    ],
  ],
};

/** Processes queue the deliveries of events, and deliver test messages, at any time. */
const DELIVERIES = 'webhook_delivery';

/** The rows of a table: how many, and their content. */
interface Rows {
  readonly count: number;
  readonly content: string;
}

/** The rows of all tables, without what changes in the background. */
export class Snapshot {
  readonly #tables: ReadonlyMap<string, Rows>;

  private constructor(tables: ReadonlyMap<string, Rows>) {
    this.#tables = tables;
  }

  static async of(db: PrismaClient): Promise<Snapshot> {
    const names = await db.$queryRaw<{ name: string }[]>`
      SELECT relname::text AS name FROM pg_class
      WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'p') AND NOT relispartition
        AND relname <> ALL (${BACKGROUND.tables})`;
    const columns = (name: string) =>
      `ARRAY[${[...BACKGROUND.columns, ...(name === DELIVERIES ? ['status'] : [])].map((column) => `'${column}'`).join(', ')}]`;
    const content = (name: string) => `SELECT '${name}' AS name, count(*)::int AS count,
      coalesce(md5(string_agg(content, ',' ORDER BY content)), '') AS content
      FROM (SELECT (to_jsonb(t) - ${columns(name)})::text AS content FROM public."${name}" t
            WHERE coalesce(to_jsonb(t) ->> 'action', '') !~ '[.](used|refused)$'
              ${name === DELIVERIES ? 'AND event_id IS NULL' : ''}) AS rows`;
    const text = names.map(({ name }) => content(name)).join(' UNION ALL ');
    const rows = await db.$queryRawUnsafe<(Rows & { readonly name: string })[]>(text);
    return new Snapshot(new Map(rows.map(({ name, ...rest }) => [name, rest])));
  }

  /** The tables whose rows differ. */
  changes(later: Snapshot): string[] {
    return [...later.#tables].flatMap(([name, { content }]) =>
      this.#tables.get(name)?.content === content ? [] : [name],
    );
  }

  /** The tables that have other numbers of rows. */
  growth(later: Snapshot): string[] {
    return [...later.#tables].flatMap(([name, { count }]) => (this.#tables.get(name)?.count === count ? [] : [name]));
  }
}
