import { z } from 'zod';
import { ServiceError } from '../../contract/errors.ts';
import { isTypeId } from '../../contract/ids.ts';
import { LIMITS } from '../../contract/limits.ts';
import { formatCount } from '../../contract/quantities.ts';
import type { WebhookReplay } from '../../db/generated/client.ts';
import { inTransaction, type Transaction } from '../../db/transaction.ts';
import { recordEffect } from '../access/claimed-effect.ts';
import { insertAuditEntry } from '../audit/append.ts';
import type { Context } from '../context.ts';
import { parseInput } from '../input.ts';
import { NO_LEASE } from '../leases/lease-sql.ts';
import { type BoundedPeriod, periodInput } from '../period.ts';
import { rowKey } from '../row-key.ts';
import { parseId, WEBHOOKS_TOPIC } from './deliveries.ts';
import { endpointNotFound } from './reads.ts';

interface ReplayInput extends BoundedPeriod {
  readonly id: string;
  readonly onlyFailed: boolean;
}

/** How far a replay is. Deliveries that a later replay sends again count only there. */
export interface ReplayProgress {
  readonly pending: number;
  readonly delivered: number;
  readonly failed: number;
}

/** The effect that an idempotency key stores. */
type StoredReplay = Readonly<Record<'replayId', string>>;

/**
 * Sends the finished deliveries of a period again, in their order and with the same message IDs: the failed ones, or all.
 * The dispatcher delivers them like other queued messages. Deliveries that are pending already are not affected. The pause
 * of a paused endpoint ends.
 * @throws {ServiceError} not_found; invalid_request if the endpoint is disabled, or if the period has too many deliveries
 */
export async function replayDeliveries(
  ctx: Context,
  { id, from, to, onlyFailed }: ReplayInput,
): Promise<WebhookReplay> {
  const stored = ctx.request.claim?.effect as StoredReplay | null | undefined;
  if (stored) return ctx.db.webhookReplay.findFirstOrThrow({ where: { id: BigInt(stored.replayId) } });
  parseInput(z.object({}).and(periodInput), { from, to });
  const at = ctx.now();
  const replay = await inTransaction(ctx.db, async (tx) => {
    await unpause(ctx, tx, id);
    const data = { environmentId: ctx.environment.id, endpointId: id, from, to, onlyFailed, createdAt: at };
    const { id: replayId } = await tx.webhookReplay.create({ data: { ...data, deliveryCount: 0 } });
    const deliveryCount = await queueAgain(ctx, tx, { id, from, to, onlyFailed, replayId });
    const details = { from, to, only_failed: onlyFailed, deliveries: deliveryCount };
    await tx.$executeRaw(insertAuditEntry(ctx, { action: 'webhook_endpoint.replayed', subjectId: id, details, at }));
    await recordEffect(tx, ctx.request.claim, { replayId: String(replayId) } satisfies StoredReplay);
    return tx.webhookReplay.update({ where: rowKey(ctx.environment, replayId), data: { deliveryCount } });
  });
  ctx.services.stores.pubSub.publish(WEBHOOKS_TOPIC);
  return replay;
}

/** Locks the endpoint before its deliveries, like the record of an attempt. */
async function unpause({ environment }: Context, tx: Transaction, id: string): Promise<void> {
  if (!isTypeId('whk', id)) throw endpointNotFound();
  const [endpoint] = await tx.$queryRaw<{ enabled: boolean }[]>`
    UPDATE webhook_endpoint SET paused_until = NULL
    WHERE id = ${id} AND environment_id = ${environment.id}::uuid
    RETURNING enabled`;
  if (!endpoint) throw endpointNotFound();
  if (endpoint.enabled) return;
  throw new ServiceError('invalid_request', '{param} is a disabled endpoint. Enable it first.', { param: ['id'] });
}

/** @returns the number of queued deliveries */
async function queueAgain(
  { environment }: Context,
  tx: Transaction,
  { id, from, to, onlyFailed, replayId }: ReplayInput & { readonly replayId: bigint },
): Promise<number> {
  const most = LIMITS.webhookReplayDeliveries;
  const count = await tx.$executeRaw`
    UPDATE webhook_delivery
    SET status = 'pending', attempts = 0, next_attempt_at = now(), finished_at = NULL, response_status = NULL,
        last_error = NULL, replay_id = ${replayId}, ${NO_LEASE}
    WHERE environment_id = ${environment.id}::uuid AND id IN (
      SELECT id FROM webhook_delivery
      WHERE endpoint_id = ${id} AND environment_id = ${environment.id}::uuid
        AND created_at >= ${from} AND created_at < ${to}
        AND (status = 'failed' OR (status = 'delivered' AND NOT ${onlyFailed}))
      ORDER BY id LIMIT ${most + 1} FOR NO KEY UPDATE)`;
  if (count <= most) return count;
  const message = `{param} is too late: a replay sends at most ${formatCount(most)} deliveries, and this period has more.`;
  throw new ServiceError('invalid_request', message, { param: ['to'] });
}

/** Finds replays by their IDs, in any order. Unknown and invalid IDs are left out. */
export async function findReplays(ctx: Context, ids: readonly string[]): Promise<WebhookReplay[]> {
  const validIds = ids.flatMap((id) => parseId(id) ?? []);
  if (validIds.length === 0) return [];
  return ctx.db.webhookReplay.findMany({ where: { id: { in: validIds } } });
}

/** The latest replay of each of these endpoints. Null: there was no replay. */
export async function latestReplays(ctx: Context, endpointIds: readonly string[]): Promise<(WebhookReplay | null)[]> {
  const rows = await ctx.db.webhookReplay.findMany({
    where: { endpointId: { in: [...new Set(endpointIds)] } },
    orderBy: [{ endpointId: 'asc' }, { id: 'desc' }],
    distinct: ['endpointId'],
  });
  return endpointIds.map((id) => rows.find(({ endpointId }) => endpointId === id) ?? null);
}

/** The progress of each of these replays. */
export async function progressOfEach(ctx: Context, replayIds: readonly string[]): Promise<ReplayProgress[]> {
  const rows = await ctx.sql.rows<ReplayProgress & { readonly id: bigint }>`
    SELECT replay_id AS id, (count(*) FILTER (WHERE status = 'pending'))::int AS pending,
           (count(*) FILTER (WHERE status = 'delivered'))::int AS delivered,
           (count(*) FILTER (WHERE status = 'failed'))::int AS failed
    FROM webhook_delivery
    WHERE replay_id = ANY (${[...new Set(replayIds)]}::int8[]) AND environment_id = ${ctx.environment.id}::uuid
    GROUP BY replay_id`;
  const progress = new Map(rows.map(({ id, ...counts }) => [String(id), counts]));
  return replayIds.map((id) => progress.get(id) ?? { pending: 0, delivered: 0, failed: 0 });
}
