import { z } from 'zod';
import { ServiceError } from '../../contract/errors.ts';
import { LIMITS } from '../../contract/limits.ts';
import { inTransaction, type Transaction } from '../../db/transaction.ts';
import { RENAME_CONVERSATION, UPDATE_CONVERSATION } from '../../shapes/conversations.ts';
import type { MetaValue } from '../../shapes/meta.ts';
import { countRequest, RATE_LIMITS } from '../access/rate-limits.ts';
import type { Context } from '../context.ts';
import { parseInput } from '../input.ts';
import { rowKey } from '../row-key.ts';
import { metaLabel } from './conditions.ts';
import { publishConversationChange } from './publish-change.ts';
import { conversationNotFound, findConversation } from './reads.ts';
import { visibleName } from './title.ts';

const newName = z
  .pipe(RENAME_CONVERSATION.fields.name.rule, z.string())
  .transform((text) => visibleName(text) ?? '')
  .refine((text) => text !== '', 'must not be blank: it needs a visible character');

const change = z
  .object({ name: newName.nullish(), meta: UPDATE_CONVERSATION.fields.meta.rule })
  .refine(({ name, meta }) => name != null || meta != null, {
    path: ['name'],
    message: 'is missing: send a name, meta or both',
  });

/**
 * Changes the name or the labels of a conversation. White space of a name is folded, and control, bidi and invisible
 * characters are removed. A given label replaces the old one, and null removes it. It is no activity: the conversation keeps
 * its place in lists.
 * @throws {ServiceError} not_found, invalid_request, rate_limited
 */
export async function changeConversation(ctx: Context, conversationId: string, input: object): Promise<void> {
  const { caller, services, request } = ctx;
  if (caller.kind === 'anonymous') {
    await countRequest(services.stores.rateLimiter, RATE_LIMITS.conversationReads, conversationId, request.reportLimit);
  }
  await findConversation(ctx, { conversationId }, { select: { id: true } });
  const { name, meta } = parseInput(change, input);
  await inTransaction(ctx.db, async (tx) => {
    const labels = await lockLabels(ctx, tx, conversationId);
    if (meta) await storeLabels(ctx, tx, conversationId, changedLabels(labels, meta));
    if (name != null) await tx.conversation.update({ where: rowKey(ctx.environment, conversationId), data: { name } });
  });
  publishConversationChange(services.stores.pubSub, ctx.environment.id, conversationId);
}

type Labels = Readonly<Record<string, MetaValue>>;

/** The lock makes changes of several clients at the same time add up. @throws {ServiceError} not_found */
async function lockLabels({ environment }: Context, tx: Transaction, id: string): Promise<Labels> {
  const [row] = await tx.$queryRaw<{ meta: Labels }[]>`
    SELECT meta FROM conversation WHERE id = ${id}::uuid AND environment_id = ${environment.id}::uuid FOR NO KEY UPDATE`;
  if (!row) throw conversationNotFound();
  return row.meta;
}

/** @throws {ServiceError} invalid_request if there would be too many */
function changedLabels(labels: Labels, changes: Readonly<Record<string, MetaValue | null>>): Labels {
  const merged = Object.entries({ ...labels, ...changes }).flatMap(([key, value]) =>
    value === null ? [] : [[key, value] as const],
  );
  if (merged.length <= LIMITS.metaKeys) return Object.fromEntries(merged);
  const message = `{param} can have at most ${LIMITS.metaKeys} keys. With this change it would have ${merged.length}: remove some with null.`;
  throw new ServiceError('invalid_request', message, { param: ['meta'] });
}

async function storeLabels({ environment }: Context, tx: Transaction, id: string, labels: Labels): Promise<void> {
  // Sorted, because PostgreSQL does not keep the order of the keys. A repeated change then changes nothing.
  const entries = Object.entries(labels)
    .map(([key, value]) => metaLabel(key, value))
    .sort();
  await tx.$executeRaw`
    UPDATE conversation SET meta = ${JSON.stringify(labels)}::jsonb, meta_labels = ${entries}::text[]
    WHERE id = ${id}::uuid AND environment_id = ${environment.id}::uuid`;
}
