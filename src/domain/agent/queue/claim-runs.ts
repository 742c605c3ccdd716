import { LIMITS } from '../../../contract/limits.ts';
import type { Usage } from '../../../contract/token-usage.ts';
import { Prisma, type PrismaClient } from '../../../db/generated/client.ts';
import type { Sql } from '../../../db/sql.ts';
import { inTransaction } from '../../../db/transaction.ts';
import { isStrangersShare } from '../../access/shares.ts';
import type { CountedPrompt } from '../../budgets/spending.ts';
import type { EnvironmentRef } from '../../caller.ts';
import type { HistoryLimit } from '../../conversations/timeline.ts';
import type { Leases } from '../../leases/leases.ts';
import { usageJson } from '../../usage/token-columns.ts';
import { IS_QUEUED } from '../rows/queue-sql.ts';
import type { OfferedTool } from '../tools/offered-tool.ts';

/** Everything about a run that its new process needs, except its timeline. */
export interface ClaimedRun {
  readonly id: string;
  readonly environmentKind: EnvironmentRef['kind'];
  readonly environmentId: string;
  readonly workspaceId: string;
  readonly conversation: {
    readonly id: string;
    readonly name: string;
    readonly variables: Readonly<Record<string, string>>;
    readonly contextTokens: number;
    readonly countedPrompt: CountedPrompt | null;
  };
  readonly conversationCreatedAt: Date;
  readonly deploymentId: string;
  readonly workflowVersion: number;
  readonly fence: number;
  readonly step: number;
  readonly resultsAccepted: boolean;
  readonly usage: Usage;
  readonly tools: readonly OfferedTool[];
  readonly historyLimit: HistoryLimit;
  readonly model: string;
  readonly requestId: string;
  readonly acceptedAt: Date;
  readonly attemptsLeft: number;
  readonly background: boolean;
  /** Whether this is a v2 run. */
  readonly agent: boolean;
  /** A client asked to stop the run while it was in the queue. */
  readonly interrupted: boolean;
  readonly triggerId: string | null;
  /** The step and the usage of the run at its last pause. */
  readonly pausedStep: number;
  readonly pausedUsage: Usage;
  readonly ageMs: number;
}

/** Environments with queued runs, in random order: those whose limit is reached must not hold back the others. */
export async function environmentsWithQueue(sql: Sql): Promise<string[]> {
  const rows = await sql.rows<{ id: string }>`
    SELECT environment_id AS id FROM run WHERE ${IS_QUEUED} GROUP BY environment_id ORDER BY random() LIMIT 100`;
  return rows.map(({ id }) => id);
}

/** How many runs a process can take: altogether, and background runs. */
interface Room {
  readonly most: number;
  readonly background: number;
}

/**
 * Makes this process the owner of queued runs of an environment, within its limits. Callers alternate: a background run
 * comes after those of callers that have fewer runs, running ones included. Strangers get their share of the places. A run that a client waits for is taken at once, as is a run that only has to be stopped. The
 * environment's lock makes the counts exact.
 */
export function claimRuns(
  prisma: PrismaClient,
  leases: Leases,
  environmentId: string,
  { most, background }: Room,
): Promise<ClaimedRun[]> {
  return inTransaction(prisma, async (tx) => {
    await tx.$queryRaw`SELECT 1 FROM environment WHERE id = ${environmentId}::uuid FOR NO KEY UPDATE`;
    return tx.$queryRaw<ClaimedRun[]>`
      WITH busy AS (
        SELECT share_key, count(*) AS runs, count(*) FILTER (WHERE background) AS background_runs
        FROM run
        WHERE environment_id = ${environmentId}::uuid AND status = 'running' AND lease_owner IS NOT NULL
        GROUP BY share_key
      ), room AS (
        SELECT least(e.background - coalesce(sum(busy.background_runs), 0),
                     e.concurrent_runs - coalesce(sum(busy.runs), 0)) AS runs,
               coalesce(sum(busy.background_runs) FILTER (WHERE ${isStrangersShare(Prisma.sql`busy.share_key`)}), 0) AS strangers,
               greatest(1, least(e.background, e.concurrent_runs) * ${LIMITS.strangerPercent} / 100) AS most_of_one,
               greatest(1, least(e.background, e.concurrent_runs) * ${LIMITS.strangersPercent} / 100) AS most_of_strangers
        FROM (
          SELECT coalesce(background_runs, ${LIMITS.defaultBackgroundRuns}) AS background, concurrent_runs
          FROM environment WHERE id = ${environmentId}::uuid
        ) e LEFT JOIN busy ON true
        GROUP BY e.background, e.concurrent_runs
      ), waiting AS (
        SELECT run.id, run.accepted_at, NOT run.background OR run.interrupted AS is_urgent,
               ${isStrangersShare(Prisma.sql`run.share_key`)} AS is_stranger,
               coalesce(busy.background_runs, 0) + row_number() OVER (
                 PARTITION BY NOT run.background OR run.interrupted, run.share_key ORDER BY run.accepted_at, run.id) AS turn
        FROM run LEFT JOIN busy ON busy.share_key IS NOT DISTINCT FROM run.share_key
        WHERE ${IS_QUEUED} AND run.environment_id = ${environmentId}::uuid
      ), shared AS (
        SELECT *, row_number() OVER (PARTITION BY is_urgent, is_stranger ORDER BY turn, accepted_at, id) AS stranger_place
        FROM waiting
      ), queued AS (
        SELECT shared.*, row_number() OVER (PARTITION BY is_urgent ORDER BY turn, accepted_at, id) AS place
        FROM shared, room
        WHERE is_urgent OR NOT is_stranger
          OR (turn <= room.most_of_one AND room.strangers + stranger_place <= room.most_of_strangers)
      ), chosen AS (
        SELECT queued.id FROM queued, room WHERE is_urgent OR place <= least(room.runs, ${background})
        ORDER BY is_urgent DESC, place LIMIT ${most}
      ), claimed AS (
        UPDATE run SET lease_owner = ${leases.owner}::uuid, lease_expires_at = ${leases.end}
        WHERE run.environment_id = ${environmentId}::uuid AND run.id = ANY (ARRAY (SELECT id FROM chosen)) AND ${IS_QUEUED}
        RETURNING run.*
      )
      SELECT ${COLUMNS}
      FROM claimed
      JOIN conversation c ON c.id = claimed.conversation_id AND c.environment_id = claimed.environment_id
      JOIN environment e ON e.id = claimed.environment_id,
           LATERAL (SELECT coalesce(max(l.step), 0) AS step,
                           ${usageJson((column) => Prisma.sql`coalesce(sum(l.${column}), 0)`)} AS usage
                    FROM workflow_log l
                    WHERE l.run_id = claimed.id AND l.environment_id = claimed.environment_id
                      AND l.outcome = 'waiting_for_client_action') AS paused
      ORDER BY claimed.accepted_at, claimed.id`;
  });
}

const COLUMNS = Prisma.sql`claimed.id, e.kind::text AS "environmentKind", e.id AS "environmentId",
        e.workspace_id AS "workspaceId",
        jsonb_build_object('id', c.id, 'name', c.name, 'variables', c.variables,
          'contextTokens', c.context_tokens, 'countedPrompt', c.counted_prompt) AS conversation,
        c.created_at AS "conversationCreatedAt", c.deployment_id AS "deploymentId",
        claimed.workflow_version AS "workflowVersion", claimed.fence, claimed.step,
        claimed.results_accepted AS "resultsAccepted",
        ${usageJson((column) => Prisma.sql`claimed.${column}`)} AS usage, claimed.tools, claimed.history_limit AS "historyLimit", claimed.model,
        claimed.request_id AS "requestId", claimed.accepted_at AS "acceptedAt", claimed.attempts_left AS "attemptsLeft",
        claimed.background, claimed.agent, claimed.interrupted,
        (SELECT id FROM trigger WHERE conversation_id = c.id AND trigger.environment_id = c.environment_id
           AND workflow_log_id IS NULL LIMIT 1) AS "triggerId",
        paused.step AS "pausedStep", paused.usage AS "pausedUsage",
        greatest(0, extract(epoch FROM now() - claimed.accepted_at) * 1000)::float8 AS "ageMs"`;
