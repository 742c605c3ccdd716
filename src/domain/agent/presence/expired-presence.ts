import type { Sql } from '../../../db/sql.ts';
import { changeByEnvironment, type FoundRow } from '../../by-environment.ts';

/** Limit: environments whose reports one sweep deletes. */
const ENVIRONMENTS = 100;

/** Deletes reports that nobody renewed. No reader sees them, so nobody is notified. */
export async function deleteExpiredPresence(sql: Sql): Promise<void> {
  const found = await sql.rows<FoundRow>`
    SELECT DISTINCT p.environment_id::text AS "environmentId", '' AS id FROM conversation_presence p
    WHERE p.seen_until <= now() LIMIT ${ENVIRONMENTS}`;
  await changeByEnvironment(
    found,
    (environmentId) =>
      sql.execute`DELETE FROM conversation_presence WHERE environment_id = ${environmentId}::uuid AND seen_until <= now()`,
  );
}
