import type { Budget } from '../../db/generated/client.ts';
import { inTransaction, type Transaction } from '../../db/transaction.ts';
import { recordEffect } from '../access/claimed-effect.ts';
import { insertAuditEntry } from '../audit/append.ts';
import type { Context } from '../context.ts';
import { rowKey } from '../row-key.ts';
import { auditedBudget } from './audited-budget.ts';
import { budgetNotFound } from './reads.ts';

/** A removal as an idempotency key stores it. */
type RecordedRemoval = Readonly<Record<'removedBudgetId', string>>;

/** Removes a budget, with what running steps have reserved. Returns its ID. @throws {ServiceError} not_found */
export async function removeBudget(ctx: Context, id: string): Promise<string> {
  // Only this function writes this effect.
  const recorded = ctx.request.claim?.effect as RecordedRemoval | null | undefined;
  if (recorded) return recorded.removedBudgetId;
  await inTransaction(ctx.db, async (tx) => {
    const budget = await lockBudget(ctx, tx, id);
    const details = auditedBudget(ctx, budget);
    await recordEffect(tx, ctx.request.claim, { removedBudgetId: id } satisfies RecordedRemoval);
    await tx.$executeRaw(insertAuditEntry(ctx, { action: 'budget.removed', subjectId: id, details, at: ctx.now() }));
    await tx.budget.delete({ where: rowKey(ctx.environment, id) });
  });
  return id;
}

async function lockBudget({ environment }: Context, tx: Transaction, id: string): Promise<Budget> {
  await tx.$queryRaw`SELECT FROM budget WHERE id = ${id} AND environment_id = ${environment.id}::uuid FOR UPDATE`;
  const budget = await tx.budget.findFirst({ where: { id } });
  if (!budget) throw budgetNotFound();
  return budget;
}
