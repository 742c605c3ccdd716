import { z } from 'zod';
import { ServiceError } from '../../contract/errors.ts';
import { isTypeId } from '../../contract/ids.ts';
import { LIMITS } from '../../contract/limits.ts';
import type { Prisma } from '../../db/generated/client.ts';
import { inTransaction, type Transaction } from '../../db/transaction.ts';
import { rulesOf } from '../../shapes/field.ts';
import { CREATE_WEBHOOK_ENDPOINT, UPDATE_WEBHOOK_ENDPOINT } from '../../shapes/webhooks.ts';
import { recordEffect } from '../access/claimed-effect.ts';
import { requireScope } from '../access/scopes.ts';
import { requireAddress } from '../address.ts';
import { type AuditInput, insertAuditEntry } from '../audit/append.ts';
import type { Context } from '../context.ts';
import { eventTypesInput, hasLifecycleType, LIFECYCLE_SCOPE } from '../events/filter.ts';
import { parseInput } from '../input.ts';
import { rowKey } from '../row-key.ts';
import { newTypeId } from '../type-id.ts';
import { WEBHOOKS_TOPIC } from './deliveries.ts';
import { ENDPOINT_COLUMNS, endpointNotFound, findEndpoint, type WebhookEndpoint } from './reads.ts';
import { newSecrets, openSecrets, rotateSecrets, sealSecrets } from './secrets.ts';

const { id: _, ...changes } = UPDATE_WEBHOOK_ENDPOINT.fields;

export const newEndpoint = z.object({ ...rulesOf(CREATE_WEBHOOK_ENDPOINT.fields), eventTypes: eventTypesInput });

const endpointChange = z.object({ ...rulesOf(changes), eventTypes: eventTypesInput });

/** The input of a new endpoint. */
export interface NewEndpoint {
  readonly url: string;
  readonly description?: string | null | undefined;
  /** The event types to deliver. By default all changes of resources and integrations. Lifecycle events must be named. */
  readonly eventTypes?: readonly string[] | null | undefined;
}

/** The fields to change. Null `eventTypes` select the default types. */
export type EndpointChange = Partial<Omit<NewEndpoint, 'url'>> & { readonly url?: string | null | undefined };

/** An endpoint and the secret that signs its messages. Only the call that creates the secret returns it. */
export interface EndpointWithSecret {
  readonly endpoint: WebhookEndpoint;
  readonly secret: string;
}

/** The effect that an idempotency key stores. */
type StoredEndpoint = Readonly<Record<'endpointId', string>>;

async function existingEndpoint(ctx: Context, id: string): Promise<EndpointWithSecret> {
  const endpoint = await findEndpoint(ctx, id);
  const { sealedSecret } = await ctx.db.webhookEndpoint.findFirstOrThrow({ where: { id } });
  return { endpoint, secret: openSecrets(ctx.services.settings.secretBox, id, sealedSecret).current };
}

/**
 * Creates an endpoint. It gets the events that are appended to the log from now on.
 * @throws {ServiceError} invalid_request; forbidden if the caller may not read the lifecycle events that it selects
 */
export async function createEndpoint(ctx: Context, input: NewEndpoint): Promise<EndpointWithSecret> {
  const stored = ctx.request.claim?.effect as StoredEndpoint | null | undefined;
  if (stored) return existingEndpoint(ctx, stored.endpointId);
  const { url, description, eventTypes } = parseInput(newEndpoint, input);
  requireReadable(ctx, eventTypes);
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
    sealedSecret: sealSecrets(ctx.services.settings.secretBox, id, secrets),
    createdAt: at,
    updatedAt: at,
  };
  const endpoint = await inTransaction(ctx.db, async (tx) => {
    await requireBelowLimit(ctx, tx);
    await tx.$executeRaw(
      insertAuditEntry(ctx, { action: 'webhook_endpoint.created', subjectId: id, details: { url }, at }),
    );
    await recordEffect(tx, ctx.request.claim, { endpointId: id } satisfies StoredEndpoint);
    return tx.webhookEndpoint.create({ data, select: ENDPOINT_COLUMNS });
  });
  ctx.services.stores.pubSub.publish(WEBHOOKS_TOPIC);
  return { endpoint, secret: secrets.current };
}

/** Locks the environment, so that concurrent calls cannot exceed the limit together. */
async function requireBelowLimit({ environment }: Context, tx: Transaction): Promise<void> {
  await tx.$queryRaw`SELECT 1 FROM environment WHERE id = ${environment.id}::uuid FOR NO KEY UPDATE`;
  if ((await tx.webhookEndpoint.count()) < LIMITS.webhookEndpoints) return;
  const message = `An environment can have at most ${LIMITS.webhookEndpoints} webhook endpoints. Delete one first.`;
  throw new ServiceError('invalid_request', message);
}

/**
 * Changes an endpoint. Queued deliveries go to the new address.
 * @throws {ServiceError} not_found, invalid_request; forbidden if the caller may not read the endpoint's lifecycle events
 */
export async function updateEndpoint(ctx: Context, id: string, input: EndpointChange): Promise<WebhookEndpoint> {
  const { eventTypes: storedTypes } = await findEndpoint(ctx, id);
  const { url, description, eventTypes } = parseInput(endpointChange, input);
  requireReadable(ctx, eventTypes === undefined ? storedTypes : eventTypes);
  if (url != null) await requireAddress(ctx, url);
  const change = {
    ...(url != null && { url }),
    ...(description != null && { description }),
    ...(eventTypes !== undefined && { eventTypes: typesOf(eventTypes) }),
  };
  // The failures of the old address do not apply to the new one.
  return changeEndpoint(ctx, id, change, url == null ? {} : NO_FAILURES);
}

/**
 * Deletes an endpoint and its deliveries. Returns its last state.
 * @throws {ServiceError} not_found
 */
export async function deleteEndpoint(ctx: Context, id: string): Promise<WebhookEndpoint> {
  return inTransaction(ctx.db, async (tx) => {
    await lockEndpoint(ctx, tx, id);
    await tx.$executeRaw(insertAuditEntry(ctx, { action: 'webhook_endpoint.deleted', subjectId: id, at: ctx.now() }));
    return tx.webhookEndpoint.delete({ where: rowKey(ctx.environment, id), select: ENDPOINT_COLUMNS });
  });
}

/**
 * Creates a new secret for an endpoint. For 24 hours the old secret also signs messages.
 * @throws {ServiceError} not_found
 */
export async function rotateSecret(ctx: Context, id: string): Promise<EndpointWithSecret> {
  const { secretBox } = ctx.services.settings;
  const rotated = ctx.request.claim?.effect as StoredEndpoint | null | undefined;
  if (rotated) return existingEndpoint(ctx, rotated.endpointId);
  const at = ctx.now();
  return inTransaction(ctx.db, async (tx) => {
    const sealed = await lockEndpoint(ctx, tx, id);
    const secrets = rotateSecrets(openSecrets(secretBox, id, sealed), at);
    await tx.$executeRaw(insertAuditEntry(ctx, { action: 'webhook_endpoint.secret_rotated', subjectId: id, at }));
    await recordEffect(tx, ctx.request.claim, { endpointId: id } satisfies StoredEndpoint);
    const data = { sealedSecret: sealSecrets(secretBox, id, secrets), updatedAt: at };
    const endpoint = await tx.webhookEndpoint.update({
      where: rowKey(ctx.environment, id),
      data,
      select: ENDPOINT_COLUMNS,
    });
    return { endpoint, secret: secrets.current };
  });
}

const NO_FAILURES = { failures: 0, failingSince: null, lastFailedAt: null, pausedUntil: null } as const;

/** Locks an endpoint and returns its sealed secrets. @throws {ServiceError} not_found */
async function lockEndpoint({ environment }: Context, tx: Transaction, id: string): Promise<Uint8Array> {
  const [row] = await tx.$queryRaw<{ sealed_secret: Uint8Array }[]>`
    SELECT sealed_secret FROM webhook_endpoint
    WHERE id = ${id} AND environment_id = ${environment.id}::uuid FOR UPDATE`;
  if (!row) throw endpointNotFound();
  return row.sealed_secret;
}

/** Changes an endpoint. The audit entry contains `change` but not `internal`. @throws {ServiceError} not_found */
export async function changeEndpoint(
  ctx: Context,
  id: string,
  change: { url?: string; description?: string; eventTypes?: string[]; enabled?: boolean },
  internal: Prisma.WebhookEndpointUncheckedUpdateManyInput,
): Promise<WebhookEndpoint> {
  if (!isTypeId('whk', id)) throw endpointNotFound();
  const at = ctx.now();
  const data = { ...change, ...internal, updatedAt: at };
  return inTransaction(ctx.db, async (tx) => {
    const [endpoint] = await tx.webhookEndpoint.updateManyAndReturn({ where: { id }, data, select: ENDPOINT_COLUMNS });
    if (!endpoint) throw endpointNotFound();
    await tx.$executeRaw(insertAuditEntry(ctx, updateEntry(id, change, at)));
    return endpoint;
  });
}

export function updateEntry(subjectId: string, details: object, at: Date): AuditInput {
  return { action: 'webhook_endpoint.updated', subjectId, details: { ...details }, at };
}

/** Lifecycle events contain the IDs of conversations. So an endpoint must not get more than its author may read. */
function requireReadable(ctx: Context, eventTypes: readonly string[] | null | undefined): void {
  if (hasLifecycleType(eventTypes)) requireScope(ctx.caller, LIFECYCLE_SCOPE);
}

function typesOf(types: readonly string[] | null | undefined): string[] {
  return [...new Set(types ?? [])];
}
