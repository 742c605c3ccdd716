import type { Context } from '../context.ts';

/** The steps before the first conversation of an environment. */
export interface SetupProgress {
  readonly hasWorkflow: boolean;
  /** Whether somebody has tested a draft. */
  readonly hasTest: boolean;
  readonly hasPublication: boolean;
  /** Whether clients can connect: a published deployment has its hosted page on, or there is an API key. */
  readonly hasAccess: boolean;
}

interface Row extends SetupProgress {
  readonly hasConversation: boolean;
}

/** The progress until the first conversation. Undefined once there is one, so established environments cost one look-up. */
export async function setupProgress(ctx: Context): Promise<SetupProgress | undefined> {
  const { id, workspaceId } = ctx.environment;
  const [row] = await ctx.sql.rows<Row>`
    WITH started AS MATERIALIZED (
      SELECT EXISTS (SELECT 1 FROM conversation WHERE environment_id = ${id}::uuid) AS done
    )
    SELECT done AS "hasConversation",
      NOT done AND EXISTS (SELECT 1 FROM workflow WHERE workspace_id = ${workspaceId}::uuid) AS "hasWorkflow",
      NOT done AND EXISTS (
        SELECT 1 FROM workflow_log WHERE environment_id = ${id}::uuid AND deployment_id IS NULL) AS "hasTest",
      NOT done AND EXISTS (
        SELECT 1 FROM deployment WHERE workspace_id = ${workspaceId}::uuid AND published_version IS NOT NULL
      ) AS "hasPublication",
      NOT done AND (
        EXISTS (SELECT 1 FROM deployment
                WHERE workspace_id = ${workspaceId}::uuid AND published_version IS NOT NULL AND hosted_page)
        OR EXISTS (SELECT 1 FROM api_key WHERE environment_id = ${id}::uuid AND revoked_at IS NULL)
      ) AS "hasAccess"
    FROM started`;
  return row && !row.hasConversation ? row : undefined;
}
