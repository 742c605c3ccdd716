import { Prisma } from '../../db/generated/client.ts';
import type { Sql } from '../../db/sql.ts';
import type { FoundRow } from '../by-environment.ts';
import type { LeasedTable } from './held-leases.ts';
import { ABANDONED, leaseExpired } from './lease-sql.ts';
import type { LeasePace } from './pace.ts';

/** How many expired leases one statement reads. The grace period of a later one begins only when it is read. */
const READ_LEASES = 5_000;

interface ExpiredLease extends FoundRow {
  /** Changes when the lease is renewed. */
  readonly lease: string;
  readonly abandoned: boolean;
}

/**
 * Tells leases of dead processes from leases that expired because the clock of the database jumped. A lease is dead if it
 * has expired and its owner does not renew it within a grace period, measured by the monotonic clock of this process.
 */
export class DeadLeases {
  readonly #sql: Sql;
  readonly #pace: LeasePace;
  readonly #monotonicMs: () => number;
  readonly #table: LeasedTable;
  #expiredSince = new Map<string, number>();

  constructor(sql: Sql, pace: LeasePace, monotonicMs: () => number, table: LeasedTable) {
    this.#sql = sql;
    this.#pace = pace;
    this.#monotonicMs = monotonicMs;
    this.#table = table;
  }

  /**
   * Finds rows of all environments whose owner is dead. `own` are those of this process, which never takes them over from
   * itself. No row is locked.
   */
  async find(own: readonly string[]): Promise<FoundRow[]> {
    const { name, key, active } = this.#table;
    const endsAt = Prisma.sql`lease_expires_at`;
    const expired = await this.#sql.rows<ExpiredLease>`
      SELECT environment_id::text AS "environmentId", ${key} AS id, lease_expires_at::text AS lease,
             lease_expires_at = ${ABANDONED} AS abandoned FROM ${name}
      WHERE ${active} AND ${leaseExpired(endsAt, this.#pace.leaseMs)} AND ${key} <> ALL (${[...own]}::uuid[])
      ORDER BY lease_expires_at LIMIT ${READ_LEASES}`;
    return this.#deadAmong(expired);
  }

  #deadAmong(expired: readonly ExpiredLease[]): FoundRow[] {
    const now = this.#monotonicMs();
    const keyOf = ({ id, lease }: ExpiredLease) => `${id} ${lease}`;
    const before = this.#expiredSince;
    this.#expiredSince = new Map(expired.map(keyOf).map((key) => [key, before.get(key) ?? now]));
    const isDead = (row: ExpiredLease) =>
      row.abandoned || now - (this.#expiredSince.get(keyOf(row)) ?? now) >= this.#pace.graceMs;
    return expired.filter(isDead);
  }
}
