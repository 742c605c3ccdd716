import { randomUUID } from 'node:crypto';
import { Prisma } from '../../db/generated/client.ts';
import type { Sql } from '../../db/sql.ts';
import { PeriodicTasks } from '../periodic-tasks.ts';
import type { Log } from '../telemetry.ts';
import { DeadLeases } from './dead-leases.ts';
import { HeldLeases, type LeasedTable } from './held-leases.ts';
import { leaseEnd, leaseExpired } from './lease-sql.ts';
import type { LeasePace } from './pace.ts';

/** What leases work with: it sees every environment. */
export interface LeaseParts {
  readonly sql: Sql;
  readonly log: Log;
  readonly monotonicMs: () => number;
}

/** Renews the leases of one table, and settles rows whose owner died. */
export interface LeaseTasks {
  /** Logged when a task fails. */
  readonly failureMessage: string;
  /** Without it, this process owns no row. */
  readonly renew?: () => Promise<void>;
  /** Without it, the next request that needs the row takes it over. */
  readonly recover?: () => Promise<void>;
}

/**
 * The leases of this process. A row that a process works on has an owner and the time when its ownership ends. The owner
 * renews it with each heartbeat. Other processes take over rows whose owner stopped renewing.
 */
export class Leases {
  /** Identifies this process in the rows that it owns. */
  readonly owner: string = randomUUID();
  readonly #parts: LeaseParts;
  readonly #pace: LeasePace;
  readonly #tasks: PeriodicTasks;

  constructor(parts: LeaseParts, pace: LeasePace) {
    this.#parts = parts;
    this.#pace = pace;
    this.#tasks = new PeriodicTasks(parts.log);
  }

  /** When a lease ends that begins now. */
  get end(): Prisma.Sql {
    return leaseEnd(this.#pace.leaseMs);
  }

  expired(endsAt: Prisma.Sql = Prisma.sql`lease_expires_at`): Prisma.Sql {
    return leaseExpired(endsAt, this.#pace.leaseMs);
  }

  /** How often the owner of a row renews its lease, in milliseconds. */
  get heartbeatMs(): number {
    return this.#pace.heartbeatMs;
  }

  heldIn<Name, Row extends object>(table: LeasedTable): HeldLeases<Name, Row> {
    return new HeldLeases(this.#parts.sql, this.owner, this.#pace.leaseMs, table);
  }

  deadIn(table: LeasedTable): DeadLeases {
    const { sql, monotonicMs } = this.#parts;
    return new DeadLeases(sql, this.#pace, monotonicMs, table);
  }

  /** Runs the tasks of one table until `stop`. */
  start({ failureMessage, renew, recover }: LeaseTasks): void {
    if (renew) this.#tasks.every(this.#pace.heartbeatMs, failureMessage, renew);
    if (recover) this.#tasks.every(this.#pace.sweepMs, failureMessage, recover);
  }

  stop(): Promise<void> {
    return this.#tasks.stop();
  }
}
