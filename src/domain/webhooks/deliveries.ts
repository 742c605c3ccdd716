import { ServiceError } from '../../contract/errors.ts';
import type { DeliveryStatus } from '../../contract/statuses.ts';
import { type Keyset, type KeysetPage, keysetPage, type PageArgs } from '../../db/keyset.ts';
import type { Context } from '../context.ts';
import { newTypeId } from '../type-id.ts';
import { ENDPOINT_COLUMNS, endpointNotFound, findEndpoint, type WebhookEndpoint } from './reads.ts';
import { WEBHOOKS_TOPIC } from './topic.ts';

/** One message to one endpoint. */
export interface WebhookDelivery {
  readonly id: bigint;
  readonly endpoint: WebhookEndpoint;
  /** What the receiver knows it by. */
  readonly messageId: string;
  /** Null for a test message. */
  readonly event: { readonly id: string; readonly type: string } | null;
  readonly status: DeliveryStatus;
  /** Attempts since it was queued or last replayed. */
  readonly attempts: number;
  readonly nextAttemptAt: Date | null;
  readonly responseStatus: number | null;
  readonly lastError: string | null;
  readonly createdAt: Date;
  readonly finishedAt: Date | null;
  /** All attempts, oldest first. */
  readonly history: readonly WebhookAttempt[];
}

/** What became of one attempt. */
export interface WebhookAttempt {
  readonly responseStatus: number | null;
  readonly error: string | null;
  readonly durationMs: number;
  readonly startedAt: Date;
}

const COLUMNS = {
  id: true,
  endpoint: { select: ENDPOINT_COLUMNS },
  messageId: true,
  event: { select: { id: true, type: true } },
  status: true,
  attempts: true,
  nextAttemptAt: true,
  responseStatus: true,
  lastError: true,
  createdAt: true,
  finishedAt: true,
  history: {
    select: { responseStatus: true, error: true, durationMs: true, startedAt: true },
    orderBy: { id: 'asc' },
  },
} as const;

/** Deliveries of an endpoint, newest first. */
const DELIVERIES: Keyset<WebhookDelivery> = {
  list: 'webhook deliveries',
  columns: [{ field: 'id', type: 'bigint' }],
  direction: 'desc',
};

/** @throws {ServiceError} not_found */
export async function findDelivery(ctx: Context, id: string): Promise<WebhookDelivery> {
  const [found] = await findDeliveries(ctx, [id]);
  if (found) return found;
  throw deliveryNotFound();
}

/** Those of these that there are, in any order. What is no id of a delivery names none. */
export async function findDeliveries(ctx: Context, ids: readonly string[]): Promise<WebhookDelivery[]> {
  const possible = ids.flatMap((id) => idOf(id) ?? []);
  if (possible.length === 0) return [];
  return ctx.db.webhookDelivery.findMany({ where: { id: { in: possible } }, select: COLUMNS });
}

/** Of one endpoint, newest first. @throws {ServiceError} invalid_request, invalid_cursor */
export function listDeliveries(
  ctx: Context,
  args: PageArgs,
  { endpointId, status }: { readonly endpointId: string; readonly status: DeliveryStatus | null | undefined },
): Promise<KeysetPage<WebhookDelivery>> {
  const conditions = { endpointId, ...(status && { status }) };
  const binding = { secret: ctx.services.secretKey, filters: [ctx.environment.id, conditions] };
  return keysetPage(DELIVERIES, args, binding, {
    find: ({ where, orderBy, take }) =>
      ctx.db.webhookDelivery.findMany({ where: { AND: [conditions, ...where.AND] }, select: COLUMNS, orderBy, take }),
    count: () => ctx.db.webhookDelivery.count({ where: conditions }),
  });
}

/**
 * Sends a message again, under the same id, with all its attempts before it. One that waits for its next attempt is
 * sent at once; one that is being sent stays as it is.
 * @throws {ServiceError} not_found
 */
export async function replayDelivery(ctx: Context, id: string): Promise<WebhookDelivery> {
  const number = idOf(id);
  if (number === undefined) throw deliveryNotFound();
  await ctx.services.sql.changed`
    UPDATE webhook_delivery
    SET status = 'pending', attempts = 0, next_attempt_at = now(), finished_at = NULL, response_status = NULL,
        last_error = NULL, lease_owner = NULL, lease_expires_at = NULL
    WHERE id = ${number} AND environment_id = ${ctx.environment.id}::uuid
      AND (lease_expires_at IS NULL OR lease_expires_at < now())`;
  ctx.services.live.publish(WEBHOOKS_TOPIC);
  return findDelivery(ctx, id);
}

/**
 * Queues a message of the type webhook.test: it goes the way of every other, and is no event of the log.
 * @throws {ServiceError} not_found, or invalid_request where the endpoint is disabled
 */
export async function sendTest(ctx: Context, endpointId: string): Promise<WebhookDelivery> {
  const { enabled } = await findEndpoint(ctx, endpointId);
  if (!enabled) {
    throw new ServiceError('invalid_request', '{param} is a disabled endpoint. Enable it first.', { param: ['id'] });
  }
  // Under the endpoint's lock, as deliveries of events are, so that ids are in the order of their coming.
  const [queued] = await ctx.services.sql.rows<{ id: bigint }>`
    WITH endpoint AS MATERIALIZED (
      SELECT id, environment_id FROM webhook_endpoint
      WHERE id = ${endpointId} AND environment_id = ${ctx.environment.id}::uuid FOR NO KEY UPDATE
    )
    INSERT INTO webhook_delivery (environment_id, endpoint_id, message_id, next_attempt_at, created_at)
    SELECT environment_id, id, ${newTypeId('msg')}, now(), ${ctx.now()} FROM endpoint
    RETURNING id`;
  if (!queued) throw endpointNotFound();
  ctx.services.live.publish(WEBHOOKS_TOPIC);
  return findDelivery(ctx, String(queued.id));
}

/** Ids are numbers of 64 bits, counted from 1. */
function idOf(text: string): bigint | undefined {
  return /^[1-9]\d{0,17}$/.test(text) ? BigInt(text) : undefined;
}

function deliveryNotFound(): ServiceError {
  return new ServiceError('not_found', 'There is no delivery with this id here. Check {param}.', { param: ['id'] });
}
