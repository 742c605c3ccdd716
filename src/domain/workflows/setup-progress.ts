import { MODEL_PROVIDERS } from '../../contract/model-name.ts';
import type { Context } from '../context.ts';

/**
 * The steps before the first conversation of an environment. What the first start has made does not count, until a member
 * changes it.
 */
export interface SetupProgress {
  /** Whether a provider of models is configured. */
  readonly hasModel: boolean;
  readonly hasWorkflow: boolean;
  /** Whether somebody has tested a draft. */
  readonly hasTest: boolean;
  readonly hasPublication: boolean;
  /** Whether clients can connect: a published deployment has its hosted page on, or there is an API key. */
  readonly hasAccess: boolean;
}

interface Row extends Omit<SetupProgress, 'hasModel'> {
  readonly hasConversation: boolean;
}

/** The progress until the first conversation. Undefined once there is one, so established environments cost one look-up. */
export async function setupProgress(ctx: Context): Promise<SetupProgress | undefined> {
  const { id, workspaceId } = ctx.environment;
  const { model } = ctx.services.ports;
  const [row] = await ctx.sql.rows<Row>`
    WITH started AS MATERIALIZED (
      SELECT EXISTS (SELECT 1 FROM conversation WHERE environment_id = ${id}::uuid) AS done
    ), own AS (
      SELECT created_at AS since FROM workspace WHERE id = ${workspaceId}::uuid
    )
    SELECT done AS "hasConversation",
      NOT done AND EXISTS (
        SELECT 1 FROM workflow WHERE workspace_id = ${workspaceId}::uuid AND updated_at > since) AS "hasWorkflow",
      NOT done AND EXISTS (
        SELECT 1 FROM workflow_log WHERE environment_id = ${id}::uuid AND deployment_id IS NULL) AS "hasTest",
      NOT done AND EXISTS (
        SELECT 1 FROM deployment
        WHERE workspace_id = ${workspaceId}::uuid AND (published_version > 1 OR published_version = 1 AND created_at > since)
      ) AS "hasPublication",
      NOT done AND (
        EXISTS (SELECT 1 FROM deployment
                WHERE workspace_id = ${workspaceId}::uuid AND published_version IS NOT NULL AND hosted_page
                  AND (published_version > 1 OR updated_at > since))
        OR EXISTS (SELECT 1 FROM api_key WHERE environment_id = ${id}::uuid AND revoked_at IS NULL AND created_at > since)
      ) AS "hasAccess"
    FROM started, own`;
  if (!row || row.hasConversation) return undefined;
  return { ...row, hasModel: MODEL_PROVIDERS.some((provider) => model.isConfigured(provider)) };
}
