import { inTransaction } from '../../db/transaction.ts';
import type { SomeServices } from '../context.ts';
import { PeriodicTasks } from '../periodic-tasks.ts';
import { removeUnused } from './remove.ts';

const POLL_MS = 60_000;

/** Limit: files or prefixes of one transaction. */
const BATCH = 100;

export type FileSweepParts = SomeServices<'prisma' | 'storage' | 'log'>;

/** Deletes expired files, and bytes that no file needs. Every process has a sweeper, and they share the work. */
export class FileSweeper {
  readonly #parts: FileSweepParts;
  readonly #tasks: PeriodicTasks;

  constructor(parts: FileSweepParts) {
    this.#parts = parts;
    this.#tasks = new PeriodicTasks(parts.process.log);
  }

  start(): void {
    const message = 'expired files could not be deleted';
    this.#tasks.every(POLL_MS, message, (stopped) => sweepFiles(this.#parts, stopped));
  }

  drain(): Promise<void> {
    return this.#tasks.stop();
  }
}

/** Deletes unfinished uploads and unused files that have expired, then the bytes of everything that was deleted. */
export async function sweepFiles(parts: FileSweepParts, stopped?: AbortSignal): Promise<void> {
  while (!stopped?.aborted && (await expireSome(parts)) > 0) {
    // Each call handles one batch.
  }
  while (!stopped?.aborted && (await removeSome(parts)) > 0) {
    // Each call handles one batch.
  }
  // The rate limiter deletes expired counters too, but only if it counts in this table.
  await parts.stores.prisma.$executeRaw`
    DELETE FROM rate_limit WHERE key LIKE 'upload-bytes:%' AND expire < extract(epoch FROM now()) * 1000`;
}

/** A file that a check or a message has locked is skipped. */
async function expireSome({ stores: { prisma } }: FileSweepParts): Promise<number> {
  return inTransaction(prisma, async (tx) => {
    const rows = await tx.$queryRaw<{ id: string; environment_id: string }[]>`
      SELECT id, environment_id::text FROM file
      WHERE used_at IS NULL AND expires_at <= now() AND (check_until IS NULL OR check_until < now())
      ORDER BY expires_at LIMIT ${BATCH} FOR UPDATE SKIP LOCKED`;
    const byEnvironment = groupedByEnvironment(rows);
    for (const [environmentId, files] of byEnvironment) {
      await removeUnused(
        tx,
        environmentId,
        files.map(({ id }) => id),
      );
    }
    return rows.length;
  });
}

/**
 * Deletes bytes first, and then the row that asks for it. If the process dies in between, another one deletes nothing and
 * removes the row.
 */
async function removeSome({ stores: { prisma, storage }, process: { log } }: FileSweepParts): Promise<number> {
  const rows = await prisma.$queryRaw<{ prefix: string }[]>`
    UPDATE file_removal SET remove_after = now() + interval '10 minutes'
    WHERE prefix IN (
      SELECT prefix FROM file_removal WHERE remove_after <= now()
      ORDER BY remove_after LIMIT ${BATCH} FOR UPDATE SKIP LOCKED)
    RETURNING prefix`;
  for (const { prefix } of rows) {
    try {
      // ENVIRONMENT/FILE: everything of a file. ENVIRONMENT/FILE/NAME: one key.
      await (prefix.split('/').length === 2 ? storage.remove(prefix) : storage.removeKeys([prefix]));
      await prisma.$executeRaw`DELETE FROM file_removal WHERE prefix = ${prefix}`;
    } catch (error) {
      // It is tried again in 10 minutes.
      log.warn({ err: error }, 'bytes of deleted files could not be removed');
    }
  }
  return rows.length;
}

function groupedByEnvironment(rows: readonly { id: string; environment_id: string }[]): Map<string, { id: string }[]> {
  const groups = new Map<string, { id: string }[]>();
  for (const row of rows) groups.set(row.environment_id, [...(groups.get(row.environment_id) ?? []), row]);
  return groups;
}
