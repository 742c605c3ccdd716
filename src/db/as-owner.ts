import pg from 'pg';
import { KEEP_ALIVE } from './keep-alive.ts';
import { SESSION_SETTINGS, WITHOUT_TIME_LIMITS } from './scope.ts';

/** A connection of the connected user, who owns the tables. It keeps its session. */
export interface OwnerConnection extends Pick<pg.ClientBase, 'query'> {
  readonly embedded: boolean;
}

const CONNECT_TIMEOUT_MS = 10_000;

type Work<T> = (connection: OwnerConnection) => Promise<T>;

/** Opens a connection for `work`: what it sets or locks ends with it. */
export async function asServerOwner<T>(url: string, work: Work<T>): Promise<T> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: CONNECT_TIMEOUT_MS, ...KEEP_ALIVE });
  // A lost connection also fails the statement that runs. An error event without a listener would end the process.
  client.on('error', () => {});
  await client.connect();
  try {
    await client.query(`${SESSION_SETTINGS}; ${WITHOUT_TIME_LIMITS}`);
    return await work(Object.assign(client, { embedded: false }));
  } finally {
    await client.end();
  }
}

/** Resets the role of the embedded connection while `work` runs. */
export async function asEmbeddedOwner<T>(pool: pg.Pool, work: Work<T>): Promise<T> {
  const client = await pool.connect();
  try {
    const { rows } = await client.query<{ role: string }>(`SELECT current_setting('role') AS role`);
    await client.query('RESET ROLE');
    try {
      return await work(Object.assign(client, { embedded: true }));
    } finally {
      await client.query(`SELECT set_config('role', $1, false)`, [rows[0]?.role]);
    }
  } finally {
    client.release();
  }
}
