import { Prisma } from '../../db/generated/client.ts';
import { inTransaction } from '../../db/transaction.ts';
import { changeByEnvironment, type FoundRow } from '../by-environment.ts';
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
  while (!stopped?.aborted && (await expireSome(parts, stopped)) > 0) {
    // Each call handles one batch.
  }
  while (!stopped?.aborted && (await removeSome(parts, stopped)) > 0) {
    // Each call handles one batch.
  }
  // The rate limiter deletes expired counters too, but only if it counts in this table.
  await parts.stores.prisma.$executeRaw`
    DELETE FROM rate_limit WHERE key LIKE 'upload-bytes:%' AND expire < extract(epoch FROM now()) * 1000`;
}

/** The condition of a file that expires. */
const IS_EXPIRED = Prisma.sql`used_at IS NULL AND expires_at <= now() AND (check_until IS NULL OR check_until < now())`;

/** A file that a check or a message has locked is skipped. */
async function expireSome({ stores: { prisma } }: FileSweepParts, stopped?: AbortSignal): Promise<number> {
  const found = await prisma.$queryRaw<FoundRow[]>`
    SELECT environment_id::text AS "environmentId", id FROM file WHERE ${IS_EXPIRED}
    ORDER BY expires_at LIMIT ${BATCH}`;
  const expire = (environmentId: string, ids: string[]) =>
    inTransaction(prisma, async (tx) => {
      const rows = await tx.$queryRaw<{ id: string }[]>`
        SELECT id FROM file
        WHERE environment_id = ${environmentId}::uuid AND id = ANY (${ids}::text[]) AND ${IS_EXPIRED}
        FOR UPDATE SKIP LOCKED`;
      await removeUnused(
        tx,
        environmentId,
        rows.map(({ id }) => id),
      );
      return rows.length;
    });
  return changeByEnvironment(found, expire, stopped);
}

/**
 * Deletes bytes first, and then the row that asks for it. If the process dies in between, another one deletes nothing and
 * removes the row.
 */
async function removeSome(
  { stores: { prisma, storage }, process: { log } }: FileSweepParts,
  stopped?: AbortSignal,
): Promise<number> {
  const found = await prisma.$queryRaw<FoundRow[]>`
    SELECT environment_id::text AS "environmentId", prefix AS id FROM file_removal WHERE remove_after <= now()
    ORDER BY remove_after LIMIT ${BATCH}`;
  const remove = async (environmentId: string, prefixes: string[]) => {
    const rows = await prisma.$queryRaw<{ prefix: string }[]>`
      UPDATE file_removal SET remove_after = now() + interval '10 minutes'
      WHERE environment_id = ${environmentId}::uuid AND prefix IN (
        SELECT prefix FROM file_removal
        WHERE environment_id = ${environmentId}::uuid AND prefix = ANY (${prefixes}::text[]) AND remove_after <= now()
        FOR UPDATE SKIP LOCKED)
      RETURNING prefix`;
    for (const { prefix } of rows) {
      try {
        // ENVIRONMENT/FILE: everything of a file. ENVIRONMENT/FILE/NAME: one key.
        await (prefix.split('/').length === 2 ? storage.remove(prefix) : storage.removeKeys([prefix]));
        await prisma.$executeRaw`
          DELETE FROM file_removal WHERE environment_id = ${environmentId}::uuid AND prefix = ${prefix}`;
      } catch (error) {
        // It is tried again in 10 minutes.
        log.warn({ err: error }, 'bytes of deleted files could not be removed');
      }
    }
    return rows.length;
  };
  return changeByEnvironment(found, remove, stopped);
}
