import type pg from 'pg';
import { checkpointAfter } from './checkpoints.ts';
import { analyzeGrown } from './statistics.ts';

const MIB = 1024 * 1024;

const PERIOD_MS = 60_000;

/** A checkpoint after so many bytes of the write-ahead log. It writes at most the shared buffers, and takes about 0.1 s. */
const LOG_BYTES = 64 * MIB;

async function keep(pool: pg.Pool): Promise<void> {
  // First, because it writes to the log.
  await analyzeGrown(pool);
  await checkpointAfter(pool, LOG_BYTES);
}

/** Does once a minute what background processes of a server do. Returns a function that ends it. */
export function startHousekeeping(pool: pg.Pool): () => Promise<void> {
  let running: Promise<unknown> = Promise.resolve();
  const timer = setInterval(() => {
    // A full disk can fail it. Then writes fail too, and it is tried again.
    running = keep(pool).catch(() => undefined);
  }, PERIOD_MS);
  timer.unref();
  return async () => {
    clearInterval(timer);
    await running;
  };
}
