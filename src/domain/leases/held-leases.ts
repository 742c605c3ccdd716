import { Prisma } from '../../db/generated/client.ts';
import type { Sql } from '../../db/sql.ts';
import type { FoundRow } from '../by-environment.ts';
import { leaseEnd } from './lease-sql.ts';

/** A table with the columns environment_id, lease_owner and lease_expires_at. */
export interface LeasedTable {
  readonly name: Prisma.Sql;
  /** The column that identifies a row of its environment. */
  readonly key: Prisma.Sql;
  /** The type of an array of keys. */
  readonly keys: Prisma.Sql;
  /** The condition of rows that can have an owner. */
  readonly active: Prisma.Sql;
  /** The columns that a renewal returns. */
  readonly columns: Prisma.Sql;
}

/** The rows of one table that this process owns, each under a name that its owner chooses. */
export class HeldLeases<Name, Row extends object = object> {
  readonly #sql: Sql;
  readonly #owner: string;
  readonly #leaseMs: number;
  readonly #table: LeasedTable;
  readonly #held = new Map<Name, FoundRow>();

  constructor(sql: Sql, owner: string, leaseMs: number, table: LeasedTable) {
    this.#sql = sql;
    this.#owner = owner;
    this.#leaseMs = leaseMs;
    this.#table = table;
  }

  get names(): readonly Name[] {
    return [...this.#held.keys()];
  }

  add(name: Name, { environmentId, id }: FoundRow): void {
    this.#held.set(name, { environmentId, id });
  }

  /** Stops renewing. The row is released by the statement that settles it, or its lease expires. */
  delete(name: Name): void {
    this.#held.delete(name);
  }

  /**
   * Renews all leases with one statement, whatever the number of environments. It lists them, so that a router can choose
   * their servers. Skips rows that another statement has locked, so that one slow row cannot cost the others their leases.
   * @returns the rows that this process still owns, locked ones included
   */
  async renew(): Promise<Row[]> {
    if (this.#held.size === 0) return [];
    const { name, key, keys, active, columns } = this.#table;
    const rows = [...this.#held.values()];
    const environmentIds = rows.map(({ environmentId }) => environmentId);
    const inEnvironments = Prisma.sql`environment_id = ANY (${[...new Set(environmentIds)]}::uuid[])`;
    // Pairs instead of a list of keys: an index of both columns would be searched for each combination of two lists.
    const owned = Prisma.sql`${inEnvironments} AND (environment_id, ${key}) IN (
        SELECT * FROM unnest(${environmentIds}::uuid[], ${rows.map(({ id }) => id)}::${keys}))
      AND ${active} AND lease_owner = ${this.#owner}::uuid`;
    return this.#sql.rows<Row>`
      WITH unlocked AS (
        SELECT environment_id, ${key} FROM ${name} WHERE ${owned} FOR NO KEY UPDATE SKIP LOCKED
      ), renewed AS (
        UPDATE ${name} SET lease_expires_at = ${leaseEnd(this.#leaseMs)}
        WHERE ${inEnvironments} AND (environment_id, ${key}) IN (SELECT environment_id, ${key} FROM unlocked)
      )
      SELECT ${columns} FROM ${name} WHERE ${owned}`;
  }
}
