import type pg from 'pg';
import { asEmbeddedOwner } from '../as-owner.ts';

/**
 * Writes a checkpoint of the embedded database if the log has this many bytes since the last one. Without checkpoints, the
 * log grows until the process stops, and so does the recovery after a crash. Returns whether it did.
 */
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
