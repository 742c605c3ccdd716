import type pg from 'pg';
import type { SecretBox } from '../../src/domain/secret-box.ts';

/** Tables that a reader of the report knows. */
const COUNTED = ['workspace', 'conversation', 'timeline_item', 'run', 'resource', 'event', 'file'];

/** Secrets, and the text that is in front of the ID of their row in the name of their owner. */
const SEALED = [
  ['webhook_endpoint', 'sealed_secret', ''],
  ['integration', 'sealed_secrets', ''],
  ['integration', 'sealed_sign_in', 'sign-in of '],
] as const;

export async function countRows(database: pg.Pool): Promise<string> {
  const { rows } = await database.query<{ name: string }>(
    `SELECT relname AS name FROM pg_class
     WHERE relkind IN ('r', 'p') AND NOT relispartition AND relnamespace = 'public'::regnamespace`,
  );
  const counts = [];
  for (const table of COUNTED) {
    if (!rows.some(({ name }) => name === table)) continue;
    const { rows: counted } = await database.query<{ count: string }>(`SELECT count(*) FROM ${table}`);
    counts.push(`${table} ${counted[0]?.count}`);
  }
  if (counts.length === 0) throw new Error('the dump contains no tables of Parley');
  return `${rows.length} tables: ${counts.join(', ')}`;
}

/** Decrypts the secrets of all endpoints and integrations with the key. */
export async function openSealedSecrets(database: Pick<pg.ClientBase, 'query'>, box: SecretBox): Promise<string> {
  let opened = 0;
  for (const [table, column, owner] of SEALED) {
    const { rows } = await database.query<{ id: string; sealed: Buffer }>(
      `SELECT id, ${column} AS sealed FROM ${table} WHERE ${column} IS NOT NULL`,
    );
    for (const { id, sealed } of rows) {
      try {
        box.open(sealed, `${owner}${id}`);
      } catch {
        throw new Error(`SECRET_KEY does not decrypt ${table} ${id}. Add the key of that time to SECRET_KEYS_BEFORE.`);
      }
      opened += 1;
    }
  }
  return opened === 0 ? 'the dump contains nothing to decrypt' : `SECRET_KEY decrypts ${opened}`;
}

/** Keeps the copy from calling the receivers, integrations and models of the original. */
export async function silence(database: pg.Pool): Promise<void> {
  await database.query('DELETE FROM webhook_delivery');
  await database.query(`UPDATE webhook_endpoint SET enabled = false, disabled_reason = 'requested' WHERE enabled`);
  await database.query('UPDATE integration SET disconnected_at = now() WHERE disconnected_at IS NULL');
  await database.query(`UPDATE run SET interrupted = true WHERE status = 'running'`);
}

/** The newest position in the log, and the number of the server's next transaction. */
export async function beginning(database: pg.Pool): Promise<{ newest: string; transaction: string }> {
  const { rows } = await database.query<{ newest: string; transaction: string }>(
    'SELECT coalesce((SELECT max(xid::text::bigint) FROM event), 0)::text AS newest, pg_current_xact_id()::text AS transaction',
  );
  return rows[0] ?? { newest: '0', transaction: '0' };
}

/** Checks that new events come after all events of the dump. */
export async function comparePositions(database: pg.Pool, newest: string): Promise<string> {
  const { rows } = await database.query<{ next: string }>('SELECT log_xid()::text AS next');
  const next = BigInt(rows[0]?.next ?? 0);
  if (next <= BigInt(newest)) throw new Error(`the next position ${next} is not above ${newest}`);
  return String(next);
}
