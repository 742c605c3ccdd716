import { randomUUID } from 'node:crypto';
import { Prisma } from '../../db/generated/client.ts';
import type { SomeServices } from '../context.ts';
import { type FileRow, storagePrefix } from './file.ts';
import { WRITE_SECONDS } from './remove.ts';

type ClaimServices = SomeServices<'sql' | 'leases' | 'log'>;

/** The right to check an upload, which the process renews while it checks. */
export interface CheckClaim {
  readonly id: string;
  /** The key that the attempt can write, and when the sweeper deletes it. */
  readonly joined: string;
  readonly removeAfter: Date;
  /** Ends the renewals. */
  stop(): void;
}

/**
 * Makes an attempt the only one, and announces the removal of the key that it writes, in one statement. An attempt whose
 * process died, or stalled, is replaced when its lease has expired. Undefined: another attempt is running.
 */
export async function claimCheck(services: ClaimServices, row: FileRow): Promise<CheckClaim | undefined> {
  const { sql, leases } = services.stores;
  const id = randomUUID();
  const joined = `${storagePrefix(row)}/content-${id}`;
  const [claim] = await sql.rows<{ remove_after: Date }>`
    WITH claimed AS (
      UPDATE file SET check_id = ${id}::uuid, check_until = ${leases.end}
      WHERE id = ${row.id} AND environment_id = ${row.environmentId}::uuid AND status = 'uploading'
        AND parts = ${row.parts}::text[] AND (check_id IS NULL OR ${leases.expired(Prisma.sql`check_until`)})
      RETURNING environment_id
    )
    INSERT INTO file_removal (prefix, environment_id, remove_after)
    SELECT ${joined}, environment_id, now() + make_interval(secs => ${WRITE_SECONDS}) FROM claimed
    RETURNING remove_after`;
  return claim && { id, joined, removeAfter: claim.remove_after, stop: renewing(services, row, id) };
}

/** Renews the lease with each heartbeat. A check that lost its lease goes on, and cannot publish its result. */
function renewing({ stores: { sql, leases }, process: { log } }: ClaimServices, row: FileRow, id: string): () => void {
  const renew = () => sql.execute`
    UPDATE file SET check_until = ${leases.end} WHERE ${isCheckOf(row, id)}`;
  const timer = setInterval(() => {
    renew().catch((error: unknown) =>
      log.warn({ err: error, file_id: row.id }, 'the lease of a check was not renewed'),
    );
  }, leases.heartbeatMs);
  timer.unref();
  return () => clearInterval(timer);
}

/** Lets another attempt check the upload. `lost`: the storage has lost bytes of it, so it starts again. */
export async function releaseCheck(
  { stores: { sql } }: SomeServices<'sql'>,
  row: FileRow,
  id: string,
  { lost }: { readonly lost: boolean },
): Promise<void> {
  const reset = lost ? Prisma.sql`, parts = '{}', received_bytes = 0` : Prisma.empty;
  await sql.execute`UPDATE file SET check_id = NULL, check_until = NULL${reset} WHERE ${isCheckOf(row, id)}`;
}

const isCheckOf = (row: FileRow, id: string) =>
  Prisma.sql`id = ${row.id} AND environment_id = ${row.environmentId}::uuid AND check_id = ${id}::uuid`;
