import { Prisma } from '../../db/generated/client.ts';
import type { Sql } from '../../db/sql.ts';

/**
 * Ends the reservations of work that has died: its time is over, and no run of this fence is running. Takes the locks in the
 * same order as the statements that reserve.
 */
export async function releaseAbandoned(sql: Sql, environmentId: string): Promise<void> {
  const isAbandoned = Prisma.sql`r.environment_id = ${environmentId}::uuid AND r.expires_at < now() AND NOT EXISTS (
        SELECT FROM run
        WHERE run.id = r.work_id AND run.environment_id = ${environmentId}::uuid AND run.status = 'running' AND run.fence = r.fence)`;
  await sql.execute`
    WITH held AS (
      SELECT id FROM budget WHERE environment_id = ${environmentId}::uuid AND id IN (
        SELECT r.budget_id FROM budget_reservation r WHERE ${isAbandoned})
      ORDER BY id FOR NO KEY UPDATE
    ), released AS (
      DELETE FROM budget_reservation r USING held
      WHERE r.budget_id = held.id AND ${isAbandoned}
      RETURNING r.budget_id, r.amount
    )
    UPDATE budget b SET reserved = greatest(0, b.reserved - released.amount)
    FROM (SELECT budget_id, sum(amount) AS amount FROM released GROUP BY budget_id) AS released
    WHERE b.environment_id = ${environmentId}::uuid AND b.id = released.budget_id`;
}

/** The environments that one call looks at. */
const ENVIRONMENTS = 100;

/** Does the same in environments with reservations that are over. A budget shows them until then. */
export async function releaseAll(sql: Sql): Promise<void> {
  const environments = await sql.rows<{ id: string }>`
    SELECT DISTINCT environment_id AS id FROM budget_reservation WHERE expires_at < now() LIMIT ${ENVIRONMENTS}`;
  for (const { id } of environments) await releaseAbandoned(sql, id);
}
