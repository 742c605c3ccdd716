import { ServiceError } from '../../contract/errors.ts';
import { ownedBy } from '../access/reach.ts';
import type { Context } from '../context.ts';
import type { WorkflowConfig } from '../workflows/config.ts';
import { atVersion, type PublishedDeployment, publishedDeployment } from '../workflows/deployments.ts';
import { findConversation } from './reads.ts';

/**
 * The deployment as a conversation runs it: with the version that the conversation keeps, else with the published one. Only
 * deployments with such conversations cost a statement.
 */
export async function deploymentFor(
  ctx: Context,
  published: PublishedDeployment,
  conversationId: string | null | undefined,
): Promise<PublishedDeployment> {
  if (!published.keepsVersions || conversationId == null) return published;
  const [row] = await ctx.sql.rows<{ version: number | null }>`
    SELECT workflow_version AS version FROM conversation
    WHERE id = ${conversationId}::uuid AND environment_id = ${ctx.environment.id}::uuid
      AND deployment_id = ${published.id}::uuid${ownedBy(ctx.caller)}`;
  return row?.version == null ? published : atVersion(ctx, published, row.version);
}

/** Lets `deploymentFor` look for versions. Before the first conversation that keeps one, so that no turn misses it. */
export async function keepVersions(ctx: Context, { id, keepsVersions }: PublishedDeployment): Promise<void> {
  if (keepsVersions) return;
  await ctx.sql.execute`
    UPDATE deployment SET keeps_versions = true
    WHERE id = ${id}::uuid AND workspace_id = ${ctx.environment.workspaceId}::uuid`;
}

/** The settings of a conversation's deployment. Undefined: it has been unpublished. @throws {ServiceError} not_found */
export async function configOf(ctx: Context, conversationId: string): Promise<WorkflowConfig | undefined> {
  const { deploymentId } = await findConversation(ctx, { conversationId }, { select: { deploymentId: true } });
  try {
    return (await deploymentFor(ctx, await publishedDeployment(ctx, deploymentId), conversationId)).config;
  } catch (error) {
    if (error instanceof ServiceError && error.code === 'not_found') return undefined;
    throw error;
  }
}
