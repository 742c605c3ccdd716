import { ServiceError } from '../../contract/errors.ts';
import { isTypeId } from '../../contract/ids.ts';
import type { WebhookDisabledReason } from '../../contract/statuses.ts';
import { newestFirst } from '../../db/keyset.ts';
import { type KeysetPage, keysetPage, type PageArgs } from '../../db/keyset-page.ts';
import type { Context } from '../context.ts';

/** An address that gets events. It does not contain the secret. */
export interface WebhookEndpoint {
  readonly id: string;
  readonly url: string;
  readonly description: string;
  /** Empty: all changes of resources and integrations. */
  readonly eventTypes: readonly string[];
  readonly enabled: boolean;
  /** Why the endpoint is disabled. An enabled endpoint may still have its old reason. */
  readonly disabledReason: WebhookDisabledReason | null;
  /** The failed attempts since the last delivered message. */
  readonly failures: number;
  readonly failingSince: Date | null;
  /** The earliest time of the next attempt while the circuit breaker is open. */
  readonly pausedUntil: Date | null;
  readonly createdAt: Date;
  readonly updatedAt: Date;
}

export const ENDPOINT_COLUMNS = {
  id: true,
  url: true,
  description: true,
  eventTypes: true,
  enabled: true,
  disabledReason: true,
  failures: true,
  failingSince: true,
  pausedUntil: true,
  createdAt: true,
  updatedAt: true,
} as const;

/** Endpoints, newest first. */
const ENDPOINTS = newestFirst<WebhookEndpoint>('webhook endpoints', 'createdAt');

/** @throws {ServiceError} not_found */
export async function findEndpoint(ctx: Context, id: string): Promise<WebhookEndpoint> {
  const [endpoint] = await findEndpoints(ctx, [id]);
  if (endpoint) return endpoint;
  throw endpointNotFound();
}

/** Finds endpoints by their IDs, in any order. Unknown and invalid IDs are left out. */
export async function findEndpoints(ctx: Context, ids: readonly string[]): Promise<WebhookEndpoint[]> {
  const validIds = ids.filter((id) => isTypeId('whk', id));
  if (validIds.length === 0) return [];
  return ctx.db.webhookEndpoint.findMany({ where: { id: { in: validIds } }, select: ENDPOINT_COLUMNS });
}

export function endpointNotFound(): ServiceError {
  const message = 'There is no webhook endpoint with this ID in this environment. Check {param}.';
  return new ServiceError('not_found', message, { param: ['id'] });
}

/** @throws {ServiceError} invalid_request, invalid_cursor */
export function listEndpoints(ctx: Context, args: PageArgs): Promise<KeysetPage<WebhookEndpoint>> {
  const binding = { secret: ctx.services.settings.secretKey, filters: [ctx.environment.id] };
  return keysetPage(ENDPOINTS, args, binding, {
    find: (query) => ctx.db.webhookEndpoint.findMany({ ...query, select: ENDPOINT_COLUMNS }),
    count: () => ctx.db.webhookEndpoint.count(),
  });
}
