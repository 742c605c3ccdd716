import { ServiceError } from '../../contract/errors.ts';
import { isTypeId } from '../../contract/ids.ts';
import { type KeysetPage, keysetPage, newestFirst, type PageArgs } from '../../db/keyset.ts';
import type { Context } from '../context.ts';

/** Where events are sent to. Its secret is not among what can be read. */
export interface WebhookEndpoint {
  readonly id: string;
  readonly url: string;
  readonly description: string;
  /** None: events of every type. */
  readonly eventTypes: readonly string[];
  readonly enabled: boolean;
  readonly createdAt: Date;
  readonly updatedAt: Date;
}

/** What is read of an endpoint. */
export const ENDPOINT_COLUMNS = {
  id: true,
  url: true,
  description: true,
  eventTypes: true,
  enabled: true,
  createdAt: true,
  updatedAt: true,
} as const;

/** Endpoints, newest first. */
const ENDPOINTS = newestFirst<WebhookEndpoint>('webhook endpoints', 'createdAt');

/** @throws {ServiceError} not_found */
export async function findEndpoint(ctx: Context, id: string): Promise<WebhookEndpoint> {
  const [found] = await findEndpoints(ctx, [id]);
  if (found) return found;
  throw endpointNotFound();
}

/** Those of these that there are, in any order. What is no id of an endpoint names none. */
export async function findEndpoints(ctx: Context, ids: readonly string[]): Promise<WebhookEndpoint[]> {
  const possible = ids.filter((id) => isTypeId('whk', id));
  if (possible.length === 0) return [];
  return ctx.db.webhookEndpoint.findMany({ where: { id: { in: possible } }, select: ENDPOINT_COLUMNS });
}

export function endpointNotFound(): ServiceError {
  const message = 'There is no webhook endpoint with this id here. Check {param}.';
  return new ServiceError('not_found', message, { param: ['id'] });
}

/** @throws {ServiceError} invalid_request, invalid_cursor */
export function listEndpoints(ctx: Context, args: PageArgs): Promise<KeysetPage<WebhookEndpoint>> {
  const binding = { secret: ctx.services.secretKey, filters: [ctx.environment.id] };
  return keysetPage(ENDPOINTS, args, binding, {
    find: (query) => ctx.db.webhookEndpoint.findMany({ ...query, select: ENDPOINT_COLUMNS }),
    count: () => ctx.db.webhookEndpoint.count(),
  });
}
