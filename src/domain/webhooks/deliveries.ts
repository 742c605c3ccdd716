import { ServiceError } from '../../contract/errors.ts';
import type { DeliveryStatus } from '../../contract/statuses.ts';
import { Prisma } from '../../db/generated/client.ts';
import { effectCte } from '../access/claimed-effect.ts';
import type { Context } from '../context.ts';
import { NO_LEASE } from '../leases/lease-sql.ts';
import type { Condition, RelatedList } from '../related/page.ts';
import { newTypeId } from '../type-id.ts';
import { ENDPOINT_COLUMNS, endpointNotFound, findEndpoint, type WebhookEndpoint } from './reads.ts';

/** Published when the dispatcher must look at the endpoints, unless an event announces the change. */
export const WEBHOOKS_TOPIC = 'webhooks';

/** One message to one endpoint. */
export interface WebhookDelivery {
  readonly id: bigint;
  readonly endpointId: string;
  readonly endpoint: WebhookEndpoint;
  /** The ID that the receiver gets. */
  readonly messageId: string;
  readonly eventId: string | null;
  /** Null for a test message. */
  readonly event: { readonly id: string; readonly type: string } | null;
  readonly status: DeliveryStatus;
  /** Attempts since it was queued or last replayed. */
  readonly attempts: number;
  readonly nextAttemptAt: Date | null;
  readonly responseStatus: number | null;
  readonly lastError: string | null;
  /** The last replay of a period that queued it again. */
  readonly replayId: bigint | null;
  readonly createdAt: Date;
  readonly finishedAt: Date | null;
  /** All attempts, oldest first. */
  readonly history: readonly WebhookAttempt[];
}

/** The outcome of one attempt. */
export interface WebhookAttempt {
  readonly id: bigint;
  readonly deliveryId: bigint;
  readonly responseStatus: number | null;
  readonly error: string | null;
  readonly durationMs: number;
  readonly startedAt: Date;
}

const ATTEMPT_COLUMNS = {
  id: true,
  deliveryId: true,
  responseStatus: true,
  error: true,
  durationMs: true,
  startedAt: true,
} as const;

const COLUMNS = {
  id: true,
  endpointId: true,
  eventId: true,
  endpoint: { select: ENDPOINT_COLUMNS },
  messageId: true,
  event: { select: { id: true, type: true } },
  status: true,
  attempts: true,
  nextAttemptAt: true,
  responseStatus: true,
  lastError: true,
  replayId: true,
  createdAt: true,
  finishedAt: true,
  history: {
    select: ATTEMPT_COLUMNS,
    orderBy: { id: 'asc' },
  },
} as const;

/** Finds attempts by their IDs, in any order. Unknown and invalid IDs are left out. */
export async function findAttempts(ctx: Context, ids: readonly string[]): Promise<WebhookAttempt[]> {
  const validIds = ids.flatMap((id) => parseId(id) ?? []);
  if (validIds.length === 0) return [];
  return ctx.db.webhookAttempt.findMany({ where: { id: { in: validIds } }, select: ATTEMPT_COLUMNS });
}

const DELIVERIES = {
  list: 'webhook deliveries',
  columns: [{ field: 'id', type: 'bigint' }],
  direction: 'desc',
  key: 'id',
  owner: 'environment_id',
  model: 'webhookDelivery',
  table: 'webhook_delivery',
  select: COLUMNS,
} as const;

/** Deliveries of an endpoint, newest first. */
export const ENDPOINT_DELIVERIES: RelatedList<WebhookDelivery> = {
  ...DELIVERIES,
  parent: [{ column: 'endpoint_id', field: 'endpointId', type: 'text' }],
};

/** Deliveries of an event, newest first. */
export const EVENT_DELIVERIES: RelatedList<WebhookDelivery> = {
  ...DELIVERIES,
  parent: [{ column: 'event_id', field: 'eventId', type: 'text' }],
};

/** Only deliveries with this status. */
export function withDeliveryStatus(status: DeliveryStatus | null | undefined): Condition | undefined {
  return status ? { where: { status }, sql: Prisma.sql`status = ${status}::delivery_status` } : undefined;
}

/** @throws {ServiceError} not_found */
export async function findDelivery(ctx: Context, id: string): Promise<WebhookDelivery> {
  const [delivery] = await findDeliveries(ctx, [id]);
  if (delivery) return delivery;
  throw deliveryNotFound();
}

/** Finds deliveries by their IDs, in any order. Unknown and invalid IDs are left out. */
export async function findDeliveries(ctx: Context, ids: readonly string[]): Promise<WebhookDelivery[]> {
  const validIds = ids.flatMap((id) => parseId(id) ?? []);
  if (validIds.length === 0) return [];
  return ctx.db.webhookDelivery.findMany({ where: { id: { in: validIds } }, select: COLUMNS });
}

/**
 * Sends a message again with the same ID and keeps the record of its earlier attempts. A message that waits for its next
 * attempt is sent immediately. An attempt that is running is not affected. The pause of a paused endpoint ends.
 * @throws {ServiceError} not_found
 */
export async function replayDelivery(ctx: Context, id: string): Promise<WebhookDelivery> {
  const number = parseId(id);
  if (number === undefined) throw deliveryNotFound();
  if (ctx.request.claim?.effect) return findDelivery(ctx, id);
  await ctx.sql.execute`
    WITH unpaused AS (
      UPDATE webhook_endpoint SET paused_until = NULL
      WHERE id = (
        SELECT endpoint_id FROM webhook_delivery
        WHERE id = ${number} AND environment_id = ${ctx.environment.id}::uuid)
        AND environment_id = ${ctx.environment.id}::uuid AND paused_until IS NOT NULL
      RETURNING id
    )${effectCte(ctx.request.claim, { deliveryId: id })}
    UPDATE webhook_delivery
    SET status = 'pending', attempts = 0, next_attempt_at = now(), finished_at = NULL, response_status = NULL,
        last_error = NULL, ${NO_LEASE}
    WHERE id = ${number} AND environment_id = ${ctx.environment.id}::uuid
      AND (lease_expires_at IS NULL OR lease_expires_at < now()) AND (SELECT count(*) FROM unpaused) >= 0`;
  ctx.services.stores.pubSub.publish(WEBHOOKS_TOPIC);
  return findDelivery(ctx, id);
}

/** The effect that an idempotency key stores. */
type StoredTest = Readonly<Record<'messageId', string>>;

/**
 * Queues a message of the type webhook.test, which is not an event of the log. The pause of a paused endpoint ends.
 * @throws {ServiceError} not_found; invalid_request if the endpoint is disabled
 */
export async function sendTest(ctx: Context, endpointId: string): Promise<WebhookDelivery> {
  const stored = ctx.request.claim?.effect as StoredTest | null | undefined;
  const existing = stored && (await ctx.db.webhookDelivery.findFirst({ where: { ...stored }, select: COLUMNS }));
  if (existing) return existing;
  const { enabled } = await findEndpoint(ctx, endpointId);
  if (!enabled) {
    throw new ServiceError('invalid_request', '{param} is a disabled endpoint. Enable it first.', { param: ['id'] });
  }
  const messageId = newTypeId('msg');
  // Under the endpoint's row lock, as for deliveries of events, so the IDs are in commit order.
  const [queued] = await ctx.sql.rows<{ id: bigint }>`
    WITH endpoint AS (
      UPDATE webhook_endpoint SET paused_until = NULL
      WHERE id = ${endpointId} AND environment_id = ${ctx.environment.id}::uuid
      RETURNING id, environment_id
    )${effectCte(ctx.request.claim, { messageId } satisfies StoredTest)}
    INSERT INTO webhook_delivery (environment_id, endpoint_id, message_id, next_attempt_at, created_at)
    SELECT environment_id, id, ${messageId}, now(), ${ctx.now()} FROM endpoint
    RETURNING id`;
  if (!queued) throw endpointNotFound();
  ctx.services.stores.pubSub.publish(WEBHOOKS_TOPIC);
  return findDelivery(ctx, String(queued.id));
}

/** IDs are 64-bit integers that start at 1. Returns undefined for other texts. */
export function parseId(text: string): bigint | undefined {
  return /^[1-9]\d{0,17}$/.test(text) ? BigInt(text) : undefined;
}

function deliveryNotFound(): ServiceError {
  return new ServiceError('not_found', 'There is no delivery with this ID in this environment. Check {param}.', {
    param: ['id'],
  });
}
