import { Prisma } from '../../db/generated/client.ts';

/** Joins the latest run of the conversation `c` as `r`. OFFSET keeps the planner from reading all runs of the environment. */
export function latestRun(environmentId: string): Prisma.Sql {
  return Prisma.sql`LEFT JOIN LATERAL (
      SELECT * FROM run WHERE run.id = c.latest_run_id AND run.environment_id = ${environmentId}::uuid OFFSET 0
    ) AS r ON true`;
}
