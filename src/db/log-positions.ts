import pg from 'pg';

/** Positions that a restore skips: more than a server issues after its last dump. Cursors from that time stay valid. */
const SKIPPED = 2n ** 32n;

/** SQLSTATE of a function that the user is not allowed to call. */
const INSUFFICIENT_PRIVILEGE = '42501';

/** The newest position in the tables, and the one that this server would assign next. */
const NEWEST = `
  SELECT greatest(
    (SELECT max(last.xid) FROM environment CROSS JOIN LATERAL (
       SELECT xid::text::bigint AS xid FROM event WHERE environment_id = environment.id ORDER BY event.xid DESC LIMIT 1
     ) AS last),
    (SELECT max(last.xid) FROM environment CROSS JOIN LATERAL (
       SELECT xid::text::bigint AS xid FROM conversation WHERE environment_id = environment.id
       ORDER BY conversation.xid DESC LIMIT 1
     ) AS last),
    (SELECT max(greatest(position_xid::text::bigint, pg_snapshot_xmax(since)::text::bigint)) FROM webhook_endpoint),
    0
  )::text AS stored, pg_snapshot_xmax(log_snapshot())::text AS next`;

/** A connection or a pool. */
type Queries = Pick<pg.ClientBase, 'query'>;

/** Whether the positions of the log belong to this server. If not, `continueLog` must run before anything writes. */
export async function logBelongsToServer(database: Queries): Promise<boolean> {
  const server = await readServer(database);
  return server !== undefined && (await recordedServer(database)) === server;
}

/**
 * Makes new positions larger than all earlier ones, if the database was restored on another server or from an older
 * state of the server: their transaction IDs can be lower. Needs the owner of the tables. Returns whether it changed the
 * offset. Processes can call it at the same time, also while others write.
 */
export async function continueLog(connection: Queries): Promise<boolean> {
  await connection.query('BEGIN');
  try {
    // Waits for the transactions that wrote with the old offset, in the order in which a turn takes these locks.
    await connection.query('LOCK TABLE conversation, event IN SHARE ROW EXCLUSIVE MODE');
    const changed = await changeOffset(connection);
    await connection.query('COMMIT');
    return changed;
  } catch (error) {
    await connection.query('ROLLBACK');
    throw error;
  }
}

async function changeOffset(connection: Queries): Promise<boolean> {
  const [server, recorded] = [await readServer(connection), await recordedServer(connection)];
  if (server !== undefined && recorded === server) return false;
  const { rows } = await connection.query<{ stored: string; next: string }>(NEWEST);
  const [stored, next] = [BigInt(rows[0]?.stored ?? 0), BigInt(rows[0]?.next ?? 0)];
  // An upgrade records the server for the first time. Processes of the previous release know no offset.
  const isSameServer = recorded === null || server === undefined;
  const continues = isSameServer && next > stored;
  if (!continues)
    await define(connection, 'log_offset() RETURNS bigint', `${(stored > next ? stored : next) + SKIPPED}`);
  if (server !== undefined) await define(connection, 'log_server() RETURNS text', pg.escapeLiteral(server));
  return !continues;
}

async function define(connection: Queries, signature: string, value: string): Promise<void> {
  await connection.query(`CREATE OR REPLACE FUNCTION ${signature} LANGUAGE sql STABLE RETURN ${value}`);
}

/** The identity of the server and of its history. Undefined if the user is not allowed to read it. */
async function readServer(database: Queries): Promise<string | undefined> {
  try {
    const { rows } = await database.query<{ server: string }>(
      `SELECT concat_ws('/', system_identifier, timeline_id) AS server FROM pg_control_system(), pg_control_checkpoint()`,
    );
    return rows[0]?.server;
  } catch (error) {
    if ((error as { code?: unknown }).code === INSUFFICIENT_PRIVILEGE) return undefined;
    throw error;
  }
}

async function recordedServer(database: Queries): Promise<string | null> {
  const { rows } = await database.query<{ server: string | null }>('SELECT log_server() AS server');
  return rows[0]?.server ?? null;
}
