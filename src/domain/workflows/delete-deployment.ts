import { Prisma } from '../../db/generated/client.ts';
import { withoutRowSecurity } from '../../db/scoped.ts';
import { inTransaction } from '../../db/transaction.ts';
import { credentialTopic, endUserTopic } from '../access/caller-ends.ts';
import { recordEffect } from '../access/claimed-effect.ts';
import { insertAuditEntry } from '../audit/append.ts';
import type { Context } from '../context.ts';
import { type DependantRows, requireUnused } from '../dependants.ts';
import { findDeployment, lockDeployment } from './deployment-reads.ts';

/** A deletion as an idempotency key stores it. */
type RecordedDeletion = Readonly<Record<'deletedDeploymentId', string>>;

interface TokenRow {
  readonly environment_id: string;
  readonly end_user: string;
}

/**
 * Deletes a deployment that nothing depends on, with its logo and the tokens of its end users. Entries of the workflow log
 * stay, with its ID. Its credentials end on every process.
 * @throws {ServiceError} not_found, in_use
 */
export async function deleteDeployment(ctx: Context, id: string): Promise<string> {
  // Only this function writes this effect.
  const recorded = ctx.request.claim?.effect as RecordedDeletion | null | undefined;
  if (recorded) return recorded.deletedDeploymentId;
  await findDeployment(ctx, id, { select: { id: true } });
  const environments = await ctx.db.environment.findMany({ select: { id: true } });
  const dependants = environments.map((environment) => dependantsIn(ctx, id, environment.id));
  // Rows of the other environment also depend on it, so the statements see all rows.
  const tokens = await inTransaction(withoutRowSecurity(ctx.db), async (tx) => {
    // Without the lock, so that a refusal does not delay the turns of the deployment.
    await requireUnused(ctx, tx, 'deployment', dependants);
    const { name, workflowId } = await lockDeployment(ctx, tx, id, { toDelete: true });
    await requireUnused(ctx, tx, 'deployment', dependants);
    await recordEffect(tx, ctx.request.claim, { deletedDeploymentId: id } satisfies RecordedDeletion);
    const details = { name, workflow_id: workflowId };
    const entry = { action: 'deployment.deleted', subjectId: id, details, at: ctx.now() } as const;
    await tx.$executeRaw(insertAuditEntry(ctx, entry));
    const ended: TokenRow[] = [];
    for (const environment of environments) {
      const rows = await tx.$queryRaw<TokenRow[]>`
        DELETE FROM end_user_token WHERE deployment_id = ${id}::uuid AND environment_id = ${environment.id}::uuid
        RETURNING environment_id, end_user`;
      ended.push(...rows);
    }
    await tx.deployment.delete({ where: { id } });
    return ended;
  });
  const topics = tokens.map((row) => endUserTopic(row.environment_id, row.end_user));
  for (const topic of new Set([credentialTopic(id), ...topics])) ctx.services.stores.pubSub.publish(topic);
  return id;
}

function dependantsIn(ctx: Context, id: string, environmentId: string): readonly DependantRows[] {
  const isOwn = environmentId === ctx.environment.id;
  const ofDeployment = Prisma.sql`d.environment_id = ${environmentId}::uuid AND d.deployment_id = ${id}::uuid`;
  const isBound = Prisma.sql`d.environment_id = ${environmentId}::uuid AND ${id}::uuid = ANY (d.deployment_ids)`;
  const isActive = Prisma.sql`d.revoked_at IS NULL AND (d.expires_at IS NULL OR d.expires_at > ${ctx.now()})`;
  return [
    { kind: 'conversation', table: Prisma.sql`conversation`, where: ofDeployment, isOwn },
    { kind: 'trigger', table: Prisma.sql`trigger`, where: ofDeployment, isOwn },
    { kind: 'api_key', table: Prisma.sql`api_key`, where: Prisma.sql`${isBound} AND ${isActive}`, isOwn },
    { kind: 'end_user_issuer', table: Prisma.sql`end_user_issuer`, where: isBound, isOwn },
  ];
}
