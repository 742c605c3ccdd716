import { Prisma } from '../../db/generated/client.ts';
import type { Sql } from '../../db/sql.ts';

/** When a lease ends that begins now, by the clock of the database. */
export function leaseEnd(leaseMs: number, begin = Prisma.sql`now()`): Prisma.Sql {
  return Prisma.sql`${begin} + make_interval(secs => ${leaseMs / 1_000}::float8)`;
}

/**
 * The condition that a lease has expired, by the clock of the database. A lease that ends later than any new lease
 * was written before that clock was set back. `now()` is the start of the transaction: compared with it, each lease that
 * began since then would look like such a lease.
 */
export function leaseExpired(endsAt: Prisma.Sql, leaseMs: number): Prisma.Sql {
  return Prisma.sql`(${endsAt} < now() OR ${endsAt} > ${leaseEnd(leaseMs, Prisma.sql`lease_clock()`)})`;
}

/** Ends the lease of a row. */
export const NO_LEASE = Prisma.sql`lease_owner = NULL, lease_expires_at = NULL`;

/** The end of a lease whose owner is known to be dead. */
export const ABANDONED = Prisma.sql`to_timestamp(0)`;

/** The embedded database has one process. When it starts, the owners of all leases are dead. */
export async function abandonLeases(sql: Sql): Promise<void> {
  await sql.execute`UPDATE run SET lease_expires_at = ${ABANDONED} WHERE status = 'running' AND lease_owner IS NOT NULL`;
  await sql.execute`UPDATE queued_turn SET lease_expires_at = ${ABANDONED}`;
  await sql.execute`UPDATE webhook_delivery SET ${NO_LEASE} WHERE lease_owner IS NOT NULL`;
  await sql.execute`UPDATE file SET check_id = NULL, check_until = NULL WHERE check_id IS NOT NULL`;
  await sql.execute`UPDATE outgoing_mail SET ${NO_LEASE} WHERE lease_owner IS NOT NULL`;
}
