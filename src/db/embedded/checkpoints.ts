import type pg from 'pg';
import { asEmbeddedOwner } from '../as-owner.ts';

const MIB = 1024 * 1024;

const PERIOD_MS = 60_000;

/** A checkpoint after so many bytes of the write-ahead log. It writes at most the shared buffers, and takes about 0.1 s. */
const LOG_BYTES = 64 * MIB;

/**
 * Writes checkpoints of the embedded database, which has no background process for it. Without them, the write-ahead log
 * grows until the process stops, and so does the recovery after a crash. Returns a function that ends it.
 */
export function startCheckpoints(pool: pg.Pool): () => Promise<void> {
  let running: Promise<unknown> = Promise.resolve();
  const timer = setInterval(() => {
    // A full disk can fail it. Then writes fail too, and it is tried again.
    running = checkpointAfter(pool, LOG_BYTES).catch(() => undefined);
  }, PERIOD_MS);
  timer.unref();
  return async () => {
    clearInterval(timer);
    await running;
  };
}

/** Writes a checkpoint if the log has this many bytes since the last one. Returns whether it did. */
export function checkpointAfter(pool: pg.Pool, logBytes: number): Promise<boolean> {
  return asEmbeddedOwner(pool, async (connection) => {
    const { rows } = await connection.query<{ bytes: string }>(
      'SELECT pg_wal_lsn_diff(pg_current_wal_lsn(), redo_lsn) AS bytes FROM pg_control_checkpoint()',
    );
    const isDue = Number(rows[0]?.bytes) >= logBytes;
    if (isDue) await connection.query('CHECKPOINT');
    return isDue;
  });
}
