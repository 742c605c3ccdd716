import { inTransaction } from '../../db/transaction.ts';
import { insertAuditEntry } from '../audit/append.ts';
import type { Context } from '../context.ts';
import { WEBHOOKS_TOPIC } from './deliveries.ts';
import { changeEndpoint, updateEntry } from './endpoints.ts';
import { findEndpoint, type WebhookEndpoint } from './reads.ts';

/**
 * Stops sending messages to an endpoint. Queued messages wait until it is enabled again. Events that occur while it is
 * disabled are never sent.
 * @throws {ServiceError} not_found
 */
export async function disableEndpoint(ctx: Context, id: string): Promise<WebhookEndpoint> {
  return changeEndpoint(ctx, id, { enabled: false }, { disabledReason: 'requested' });
}

/**
 * Resumes sending queued messages and new events to an endpoint. Resets its failures.
 * @throws {ServiceError} not_found
 */
export async function enableEndpoint(ctx: Context, id: string): Promise<WebhookEndpoint> {
  const at = ctx.now();
  await inTransaction(ctx.db, async (tx) => {
    const enabled = await tx.$executeRaw`
      UPDATE webhook_endpoint
      SET enabled = true, disabled_reason = NULL, failures = 0, failing_since = NULL, last_failed_at = NULL,
          paused_until = NULL, position_xid = DEFAULT, position_id = DEFAULT, since = DEFAULT, updated_at = ${at}
      WHERE id = ${id} AND environment_id = ${ctx.environment.id}::uuid AND NOT enabled`;
    if (enabled > 0) await tx.$executeRaw(insertAuditEntry(ctx, updateEntry(id, { enabled: true }, at)));
  });
  ctx.services.stores.pubSub.publish(WEBHOOKS_TOPIC);
  return findEndpoint(ctx, id);
}
