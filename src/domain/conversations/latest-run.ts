import { Prisma } from '../../db/generated/client.ts';

/** Joins the latest run of a conversation as `r`. `row` is the conversation's name in the statement. OFFSET keeps the planner from reading all runs of the environment. */
export function latestRun(environmentId: string, row: 'c' | 'conversation' = 'c'): Prisma.Sql {
  return Prisma.sql`LEFT JOIN LATERAL (
      SELECT * FROM run WHERE run.id = ${Prisma.raw(row)}.latest_run_id AND run.environment_id = ${environmentId}::uuid OFFSET 0
    ) AS r ON true`;
}
