import { Prisma } from '../../db/generated/client.ts';
import type { Sql } from '../../db/sql.ts';
import { leaseEnd } from './lease-sql.ts';

/** A table with the columns lease_owner and lease_expires_at. */
export interface LeasedTable<Id> {
  readonly name: Prisma.Sql;
  /** The columns of the primary key. */
  readonly key: Prisma.Sql;
  /** The condition that a row is one of these and can have an owner. */
  isOneOf(ids: readonly Id[]): Prisma.Sql;
  /** The columns that a renewal returns. */
  readonly columns: Prisma.Sql;
}

/** The rows of one table that this process owns. */
export class HeldLeases<Id, Row extends object = object> {
  readonly #sql: Sql;
  readonly #owner: string;
  readonly #leaseMs: number;
  readonly #table: LeasedTable<Id>;
  readonly #held = new Set<Id>();

  constructor(sql: Sql, owner: string, leaseMs: number, table: LeasedTable<Id>) {
    this.#sql = sql;
    this.#owner = owner;
    this.#leaseMs = leaseMs;
    this.#table = table;
  }

  get ids(): readonly Id[] {
    return [...this.#held];
  }

  add(id: Id): void {
    this.#held.add(id);
  }

  /** Stops renewing. The row is released by the statement that settles it, or its lease expires. */
  delete(id: Id): void {
    this.#held.delete(id);
  }

  /**
   * Renews all leases. Skips rows that another statement has locked, so that one slow row cannot cost the others their
   * leases. @returns the rows that this process still owns, locked ones included
   */
  async renew(): Promise<Row[]> {
    if (this.#held.size === 0) return [];
    const { name, key, columns } = this.#table;
    const owned = Prisma.sql`${this.#table.isOneOf(this.ids)} AND lease_owner = ${this.#owner}::uuid`;
    return this.#sql.rows<Row>`
      WITH unlocked AS (
        SELECT ${key} FROM ${name} WHERE ${owned} FOR NO KEY UPDATE SKIP LOCKED
      ), renewed AS (
        UPDATE ${name} SET lease_expires_at = ${leaseEnd(this.#leaseMs)} WHERE (${key}) IN (SELECT ${key} FROM unlocked)
      )
      SELECT ${columns} FROM ${name} WHERE ${owned}`;
  }
}
