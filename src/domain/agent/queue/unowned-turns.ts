import { keptFor } from '../../../cache/kept-for.ts';
import type { SystemSql } from '../../../db/sql.ts';
import type { Leases } from '../../leases/leases.ts';
import type { Unowned, UnownedTurns } from '../../telemetry.ts';

/** How long a result is returned again: anybody can call `/readyz`. */
const CACHE_MS = 1_000;

interface CounterParts {
  readonly sql: SystemSql;
  readonly leases: Leases;
  readonly monotonicMs: () => number;
}

/** Counts turns without an owner. The result fails if the database does not respond. */
export function unownedTurnCounter({ sql, leases, monotonicMs }: CounterParts): () => Promise<UnownedTurns> {
  return keptFor(CACHE_MS, monotonicMs, async () => {
    // A background turn that returned to the queue counts as one that waits: no client waits for it.
    const rows = await sql.rows<Unowned & { readonly isWaiting: boolean }>`
      SELECT background AND lease_expires_at IS NULL AS "isWaiting", count(*)::int AS count,
             greatest(0, extract(epoch FROM now() - min(greatest(lease_expires_at, updated_at))))::float8
               AS "oldestSeconds"
      FROM run WHERE status = 'running' AND (lease_expires_at IS NULL OR ${leases.expired()}) GROUP BY 1`;
    const of = (isWaiting: boolean): Unowned => {
      const { count, oldestSeconds } = rows.find((row) => row.isWaiting === isWaiting) ?? {
        count: 0,
        oldestSeconds: 0,
      };
      return { count, oldestSeconds };
    };
    return { lost: of(false), waiting: of(true) };
  });
}
