import type pg from 'pg';

/** PostgreSQL's codes for failed writes: disk_full, out_of_memory, io_error. */
const WRITE_ERRORS = new Set(['53100', '53200', '58030']);

/**
 * Writes a block to disk, and rolls it back. A new table needs a new block, so this fails on a full disk even if other
 * tables still have free space in their blocks.
 */
const PROBE = `
  BEGIN;
  SET LOCAL ROLE none;
  DO $$ BEGIN
    EXECUTE format('CREATE TABLE parley_probe_%s (filler text)', pg_backend_pid());
    EXECUTE format('INSERT INTO parley_probe_%s VALUES (repeat(''x'', 1000))', pg_backend_pid());
  END $$;
  ROLLBACK`;

/** Emits `errorMessage` for each error of the server. `pg.ClientBase` does not declare it. */
interface WithConnection {
  readonly connection: { on(event: 'errorMessage', listener: (error: { readonly code?: string }) => void): void };
}

/** Checks whether the database accepts writes. After a failover it may be read-only, or its disk may be full. */
export class Writability {
  readonly #pool: pg.Pool;
  #hasFailed = false;

  constructor(pool: pg.Pool) {
    this.#pool = pool;
    pool.on('connect', (client) => this.#watch(client as unknown as WithConnection));
  }

  #watch({ connection }: WithConnection): void {
    connection.on('errorMessage', ({ code }) => {
      if (code && WRITE_ERRORS.has(code)) this.#hasFailed = true;
    });
  }

  /** Queries the database. It probes a write only if a write has failed since the last successful probe. */
  async check(): Promise<boolean> {
    const client = await this.#pool.connect();
    let isWritable = false;
    try {
      const { rows } = await client.query<{ off: boolean }>(
        `SELECT current_setting('transaction_read_only') = 'off' AS off`,
      );
      isWritable = rows[0]?.off === true;
      if (isWritable && this.#hasFailed) await client.query(PROBE);
      if (isWritable) this.#hasFailed = false;
    } catch {
      isWritable = false;
    } finally {
      // After a failover an old connection stays read-only. A new one may reach another server.
      client.release(!isWritable);
    }
    return isWritable;
  }
}
