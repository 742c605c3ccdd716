import { Prisma } from '../../db/generated/client.ts';
import { inTransaction } from '../../db/transaction.ts';
import { recordEffect } from '../access/claimed-effect.ts';
import { insertAuditEntry } from '../audit/append.ts';
import type { Context } from '../context.ts';
import { requireUnused } from '../dependants.ts';
import { removeFilesOf } from '../files/remove.ts';
import { triggerNotFound } from './reads.ts';

/** A deletion as an idempotency key stores it. */
type RecordedDeletion = Readonly<Record<'deletedTriggerId', string>>;

/** A trigger and its deployment. */
export interface TriggerAddress {
  readonly deploymentId: string;
  readonly triggerId: string;
}

/**
 * Deletes a trigger whose conversation does not exist: it has started no conversation, or that one was deleted. Its links
 * stop working. Files that only it uses are deleted.
 * @throws {ServiceError} not_found, in_use
 */
export async function deleteTrigger(ctx: Context, { deploymentId, triggerId }: TriggerAddress): Promise<string> {
  // Only this function writes this effect.
  const recorded = ctx.request.claim?.effect as RecordedDeletion | null | undefined;
  if (recorded) return recorded.deletedTriggerId;
  const environmentId = ctx.environment.id;
  await inTransaction(ctx.db, async (tx) => {
    // A start that uses the trigger updates this row. It commits before this lock, or finds no trigger afterwards.
    const [trigger] = await tx.$queryRaw<{ conversation_id: string | null }[]>`
      SELECT conversation_id FROM trigger
      WHERE id = ${triggerId} AND environment_id = ${environmentId}::uuid AND deployment_id = ${deploymentId}::uuid
      FOR UPDATE`;
    if (!trigger) throw triggerNotFound();
    const where = Prisma.sql`d.id = ${trigger.conversation_id}::uuid AND d.environment_id = ${environmentId}::uuid`;
    const started = { kind: 'conversation', table: Prisma.sql`conversation`, where, isOwn: true } as const;
    await requireUnused(ctx, tx, 'trigger', [[started]]);
    await recordEffect(tx, ctx.request.claim, { deletedTriggerId: triggerId } satisfies RecordedDeletion);
    const details = { deployment_id: deploymentId };
    const entry = { action: 'trigger.deleted', subjectId: triggerId, details, at: ctx.now() } as const;
    await tx.$executeRaw(insertAuditEntry(ctx, entry));
    await removeFilesOf(tx, environmentId, { triggers: [triggerId] });
    await tx.$executeRaw`DELETE FROM trigger WHERE id = ${triggerId} AND environment_id = ${environmentId}::uuid`;
  });
  return triggerId;
}
