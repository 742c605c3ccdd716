import { z } from 'zod';
import { ServiceError } from '../../contract/errors.ts';
import { isTypeId } from '../../contract/ids.ts';
import { LIMITS } from '../../contract/limits.ts';
import { inTransaction, type Transaction } from '../../db/transaction.ts';
import { markEffect } from '../access/idempotency.ts';
import { addressInput, requireAddress } from '../address.ts';
import { type Audited, audited } from '../audit/append.ts';
import type { Context } from '../context.ts';
import { eventTypesInput } from '../events/filter.ts';
import { parseInput } from '../input.ts';
import { newTypeId } from '../type-id.ts';
import { ENDPOINT_COLUMNS, endpointNotFound, findEndpoint, type WebhookEndpoint } from './reads.ts';
import { newSecrets, openSecrets, rotated, sealSecrets } from './secrets.ts';
import { WEBHOOKS_TOPIC } from './topic.ts';

const DESCRIPTION_RULE = `must have at most ${LIMITS.webhookDescriptionLength} characters`;

const newEndpoint = z.object({
  url: addressInput,
  description: z.string().max(LIMITS.webhookDescriptionLength, DESCRIPTION_RULE).nullish(),
  eventTypes: eventTypesInput,
});

const endpointChange = newEndpoint.extend({ url: addressInput.nullish() });

/** What an endpoint is made of. */
export interface NewEndpoint {
  readonly url: string;
  readonly description?: string | null | undefined;
  /** Types of events that it wants; all where they are left out. */
  readonly eventTypes?: readonly string[] | null | undefined;
}

/** A change of an endpoint: what is left out stays, but null asks for events of every type. */
export type EndpointChange = Partial<Omit<NewEndpoint, 'url'>> & { readonly url?: string | null | undefined };

/** An endpoint, and the secret that its messages are signed with: shown by the call that made it, and never again. */
export interface EndpointWithSecret {
  readonly endpoint: WebhookEndpoint;
  readonly secret: string;
}

/** An endpoint as an idempotency key remembers it. */
type MadeEndpoint = Readonly<Record<'endpointId', string>>;

async function madeBefore(ctx: Context, id: string): Promise<EndpointWithSecret> {
  const endpoint = await findEndpoint(ctx, id);
  const { sealedSecret } = await ctx.db.webhookEndpoint.findUniqueOrThrow({ where: { id } });
  return { endpoint, secret: openSecrets(ctx.services.secretBox, id, sealedSecret).current };
}

/**
 * Makes an endpoint, which is sent what is appended to the log from now on.
 * @throws {ServiceError} invalid_request
 */
export async function createEndpoint(ctx: Context, input: NewEndpoint): Promise<EndpointWithSecret> {
  const made = ctx.request.claim?.effect as MadeEndpoint | null | undefined;
  if (made) return madeBefore(ctx, made.endpointId);
  const { url, description, eventTypes } = parseInput(newEndpoint, input);
  await requireAddress(ctx, url);
  const id = newTypeId('whk');
  const secrets = newSecrets();
  const at = ctx.now();
  const data = {
    id,
    environmentId: ctx.environment.id,
    url,
    description: description ?? '',
    eventTypes: typesOf(eventTypes),
    sealedSecret: sealSecrets(ctx.services.secretBox, id, secrets),
    createdAt: at,
    updatedAt: at,
  };
  const endpoint = await inTransaction(ctx.db, async (tx) => {
    await requireRoom(ctx, tx);
    await tx.$executeRaw(audited(ctx, { action: 'webhook_endpoint.created', subjectId: id, details: { url }, at }));
    await markEffect(tx, ctx.request.claim, { endpointId: id } satisfies MadeEndpoint);
    return tx.webhookEndpoint.create({ data, select: ENDPOINT_COLUMNS });
  });
  ctx.services.live.publish(WEBHOOKS_TOPIC);
  return { endpoint, secret: secrets.current };
}

/** Endpoints of one environment are made one after another, so that no two of them are the last. */
async function requireRoom({ environment }: Context, tx: Transaction): Promise<void> {
  await tx.$queryRaw`SELECT 1 FROM environment WHERE id = ${environment.id}::uuid FOR NO KEY UPDATE`;
  if ((await tx.webhookEndpoint.count()) < LIMITS.webhookEndpoints) return;
  const message = `There are ${LIMITS.webhookEndpoints} webhook endpoints, as many as an environment may have. Delete one first.`;
  throw new ServiceError('invalid_request', message);
}

/**
 * Changes what is given. Deliveries that are queued go to the new address.
 * @throws {ServiceError} not_found, invalid_request
 */
export async function updateEndpoint(ctx: Context, id: string, input: EndpointChange): Promise<WebhookEndpoint> {
  await findEndpoint(ctx, id);
  const { url, description, eventTypes } = parseInput(endpointChange, input);
  if (url != null) await requireAddress(ctx, url);
  return changeEndpoint(ctx, id, {
    ...(url != null && { url }),
    ...(description != null && { description }),
    ...(eventTypes !== undefined && { eventTypes: typesOf(eventTypes) }),
  });
}

/**
 * Stops sending to an endpoint. What is queued waits until it is enabled again; what happens meanwhile is not sent.
 * @throws {ServiceError} not_found
 */
export async function disableEndpoint(ctx: Context, id: string): Promise<WebhookEndpoint> {
  return changeEndpoint(ctx, id, { enabled: false });
}

/**
 * Sends to an endpoint again: what is queued, and what is appended to the log from now on.
 * @throws {ServiceError} not_found
 */
export async function enableEndpoint(ctx: Context, id: string): Promise<WebhookEndpoint> {
  const at = ctx.now();
  await inTransaction(ctx.db, async (tx) => {
    const enabled = await tx.$executeRaw`
      UPDATE webhook_endpoint
      SET enabled = true, position_xid = DEFAULT, position_id = DEFAULT, since = DEFAULT, updated_at = ${at}
      WHERE id = ${id} AND environment_id = ${ctx.environment.id}::uuid AND NOT enabled`;
    if (enabled > 0) await tx.$executeRaw(audited(ctx, updated(id, { enabled: true }, at)));
  });
  ctx.services.live.publish(WEBHOOKS_TOPIC);
  return findEndpoint(ctx, id);
}

/**
 * Deletes an endpoint with its deliveries, and answers it as it was.
 * @throws {ServiceError} not_found
 */
export async function deleteEndpoint(ctx: Context, id: string): Promise<WebhookEndpoint> {
  return inTransaction(ctx.db, async (tx) => {
    await lockEndpoint(ctx, tx, id);
    await tx.$executeRaw(audited(ctx, { action: 'webhook_endpoint.deleted', subjectId: id, at: ctx.now() }));
    return tx.webhookEndpoint.delete({ where: { id }, select: ENDPOINT_COLUMNS });
  });
}

/**
 * Gives an endpoint a new secret. For 24 hours messages are signed with the one before as well.
 * @throws {ServiceError} not_found
 */
export async function rotateSecret(ctx: Context, id: string): Promise<EndpointWithSecret> {
  const { secretBox } = ctx.services;
  const at = ctx.now();
  return inTransaction(ctx.db, async (tx) => {
    const sealed = await lockEndpoint(ctx, tx, id);
    const secrets = rotated(openSecrets(secretBox, id, sealed), at);
    await tx.$executeRaw(audited(ctx, { action: 'webhook_endpoint.secret_rotated', subjectId: id, at }));
    const data = { sealedSecret: sealSecrets(secretBox, id, secrets), updatedAt: at };
    const endpoint = await tx.webhookEndpoint.update({ where: { id }, data, select: ENDPOINT_COLUMNS });
    return { endpoint, secret: secrets.current };
  });
}

/** Locks an endpoint, and answers its sealed secrets. @throws {ServiceError} not_found */
async function lockEndpoint({ environment }: Context, tx: Transaction, id: string): Promise<Uint8Array> {
  const [row] = await tx.$queryRaw<{ sealed_secret: Uint8Array }[]>`
    SELECT sealed_secret FROM webhook_endpoint
    WHERE id = ${id} AND environment_id = ${environment.id}::uuid FOR UPDATE`;
  if (!row) throw endpointNotFound();
  return row.sealed_secret;
}

async function changeEndpoint(
  ctx: Context,
  id: string,
  change: { url?: string; description?: string; eventTypes?: string[]; enabled?: boolean },
): Promise<WebhookEndpoint> {
  if (!isTypeId('whk', id)) throw endpointNotFound();
  const at = ctx.now();
  const data = { ...change, updatedAt: at };
  return inTransaction(ctx.db, async (tx) => {
    const [changed] = await tx.webhookEndpoint.updateManyAndReturn({ where: { id }, data, select: ENDPOINT_COLUMNS });
    if (!changed) throw endpointNotFound();
    await tx.$executeRaw(audited(ctx, updated(id, change, at)));
    return changed;
  });
}

function updated(subjectId: string, details: object, at: Date): Audited {
  return { action: 'webhook_endpoint.updated', subjectId, details: { ...details }, at };
}

function typesOf(types: readonly string[] | null | undefined): string[] {
  return [...new Set(types ?? [])];
}
