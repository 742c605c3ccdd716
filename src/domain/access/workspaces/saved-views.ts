import { z } from 'zod';
import { ServiceError } from '../../../contract/errors.ts';
import { LIMITS } from '../../../contract/limits.ts';
import type { SavedView } from '../../../db/generated/client.ts';
import { inTransaction, type Transaction } from '../../../db/transaction.ts';
import { rulesOf } from '../../../shapes/field.ts';
import { CREATE_SAVED_VIEW, UPDATE_SAVED_VIEW } from '../../../shapes/saved-views.ts';
import type { Context } from '../../context.ts';
import { parseInput } from '../../input.ts';
import { rowKey } from '../../row-key.ts';
import { newTypeId } from '../../type-id.ts';
import { recordEffect } from '../claimed-effect.ts';
import { requireSession } from '../scopes.ts';

const newView = z.object(rulesOf(CREATE_SAVED_VIEW.fields));

const { name, parameters } = UPDATE_SAVED_VIEW.fields;

const viewChange = z.object(rulesOf({ name, parameters }));

/** The member's views of the conversation list in the environment, by name. @throws {ServiceError} session_required */
export function listSavedViews(ctx: Context): Promise<SavedView[]> {
  return ctx.db.savedView.findMany({ where: { userId: memberOf(ctx) }, orderBy: [{ name: 'asc' }, { id: 'asc' }] });
}

/** The effect that is stored with an idempotency key. */
type StoredView = Readonly<Record<'viewId', string>>;

/** @throws {ServiceError} invalid_request; session_required */
export function createSavedView(ctx: Context, input: Readonly<Record<string, unknown>>): Promise<SavedView> {
  const userId = memberOf(ctx);
  const stored = ctx.request.claim?.effect as StoredView | null | undefined;
  if (stored) return findIn(ctx.db, userId, stored.viewId);
  const { name, parameters } = parseInput(newView, input);
  const { id: environmentId, workspaceId } = ctx.environment;
  return change(ctx, userId, async (tx) => {
    if ((await tx.savedView.count({ where: { userId } })) >= LIMITS.savedViews) {
      const message = `You already have ${LIMITS.savedViews} saved views in this environment. Delete one of them.`;
      throw new ServiceError('invalid_request', message);
    }
    await requireFreeName(tx, userId, name);
    const row = { id: newTypeId('view'), environmentId, workspaceId, userId, name, parameters, createdAt: ctx.now() };
    await recordEffect(tx, ctx.request.claim, { viewId: row.id } satisfies StoredView);
    return tx.savedView.create({ data: row });
  });
}

/** Changes the name or the parameters. @throws {ServiceError} invalid_request, not_found; session_required */
export function updateSavedView(ctx: Context, id: string, input: z.input<typeof viewChange>): Promise<SavedView> {
  const userId = memberOf(ctx);
  const { name, parameters } = parseInput(viewChange, input);
  return change(ctx, userId, async (tx) => {
    const view = await findIn(tx, userId, id);
    if (name != null && name !== view.name) await requireFreeName(tx, userId, name);
    return tx.savedView.update({
      where: rowKey(ctx.environment, id),
      data: { ...(name != null && { name }), ...(parameters != null && { parameters }) },
    });
  });
}

/** @throws {ServiceError} not_found; session_required */
export function deleteSavedView(ctx: Context, id: string): Promise<SavedView> {
  const userId = memberOf(ctx);
  return change(ctx, userId, async (tx) => {
    const view = await findIn(tx, userId, id);
    await tx.savedView.delete({ where: rowKey(ctx.environment, id) });
    return view;
  });
}

const memberOf = ({ caller }: Context): string => requireSession(caller).user.id;

/** Locks the membership, so that concurrent changes cannot exceed the limit or use a name twice. */
function change<Result>(ctx: Context, userId: string, work: (tx: Transaction) => Promise<Result>): Promise<Result> {
  const { workspaceId } = ctx.environment;
  return inTransaction(ctx.db, async (tx) => {
    await tx.$queryRaw`
      SELECT FROM membership WHERE workspace_id = ${workspaceId}::uuid AND user_id = ${userId}::uuid FOR NO KEY UPDATE`;
    return work(tx);
  });
}

async function requireFreeName(tx: Transaction, userId: string, name: string): Promise<void> {
  if ((await tx.savedView.count({ where: { userId, name } })) === 0) return;
  throw new ServiceError('invalid_request', '{param} is the name of another saved view. Choose another name.', {
    param: ['name'],
  });
}

async function findIn(tx: Pick<Transaction, 'savedView'>, userId: string, id: string): Promise<SavedView> {
  const view = await tx.savedView.findFirst({ where: { id, userId } });
  if (view) return view;
  throw new ServiceError('not_found', 'You have no saved view with this ID in this environment. Check {param}.', {
    param: ['id'],
  });
}
