import { isDeepStrictEqual } from 'node:util';
import { inTransaction, type Transaction } from '../../db/transaction.ts';
import { insertAuditEntry } from '../audit/append.ts';
import type { Context } from '../context.ts';
import { appendEvent } from '../events/append.ts';
import { eventTopic } from '../events/topic.ts';
import { requireMatch } from './etag.ts';
import { checkFields, type Fields, labelsOf, mergeFields, pickFields } from './fields.ts';
import { findResource, type Resource, resourceNotFound } from './reads.ts';

/** A resource, and the version that the caller has seen. */
export interface ResourceAddress {
  readonly id: string;
  /** Like the HTTP header If-Match: the change is rejected if the resource has another version. */
  readonly ifMatch?: string | null | undefined;
}

/**
 * Merges fields into a resource under its row lock, so concurrent changes are both kept. If no field changes, there is no
 * event.
 * @throws {ServiceError} not_found, invalid_request, precondition_failed
 */
export async function updateResource(ctx: Context, { id, ifMatch }: ResourceAddress, patch: Fields): Promise<Resource> {
  const checked = await checkPatch(ctx, id, patch);
  const { resource, changed } = await inTransaction(ctx.db, async (tx) => {
    const stored = await lockResource(ctx, tx, id);
    requireMatch(ifMatch, stored);
    const keys = Object.keys(checked).filter((key) => !hasValue(stored.fields, key, checked[key]));
    if (keys.length === 0) return { resource: stored, changed: false };
    return { resource: await storeFields(ctx, tx, stored, pickFields(checked, keys)), changed: true };
  });
  if (changed) ctx.services.stores.pubSub.publish(eventTopic(ctx.environment.id));
  return resource;
}

/**
 * Deletes a resource. Returns its last state.
 * @throws {ServiceError} not_found, precondition_failed
 */
export async function deleteResource(ctx: Context, { id, ifMatch }: ResourceAddress): Promise<Resource> {
  const deleted = await inTransaction(ctx.db, async (tx) => {
    const stored = await lockResource(ctx, tx, id);
    requireMatch(ifMatch, stored);
    const { type, fields } = stored;
    const at = changeTime(ctx, stored);
    const event = appendEvent(ctx, { type: 'resource.deleted', resourceId: id, payload: { type, fields }, at });
    const entry = insertAuditEntry(ctx, { action: 'resource.deleted', subjectId: id, details: { type }, at });
    await tx.$executeRaw`
      WITH logged AS (${event}), noted AS (${entry})
      DELETE FROM resource WHERE id = ${id} AND environment_id = ${ctx.environment.id}::uuid`;
    return stored;
  });
  ctx.services.stores.pubSub.publish(eventTopic(ctx.environment.id));
  return deleted;
}

/** Checks a patch. If the resource does not exist, 404 takes precedence over 400. */
async function checkPatch(ctx: Context, id: string, patch: Fields): Promise<Fields> {
  try {
    return checkFields(patch);
  } catch (error) {
    await findResource(ctx, id);
    throw error;
  }
}

interface Row {
  type: string;
  fields: Fields;
  created_at: Date;
  updated_at: Date;
}

async function lockResource(ctx: Context, tx: Transaction, id: string): Promise<Resource> {
  const [row] = await tx.$queryRaw<Row[]>`
    SELECT type, fields, created_at, updated_at FROM resource
    WHERE id = ${id} AND environment_id = ${ctx.environment.id}::uuid
    FOR UPDATE`;
  if (!row) throw resourceNotFound();
  return { id, type: row.type, fields: row.fields, createdAt: row.created_at, updatedAt: row.updated_at };
}

/** Writes the changed fields of a locked resource and its event. */
async function storeFields(ctx: Context, tx: Transaction, stored: Resource, after: Fields): Promise<Resource> {
  const fields = mergeFields(stored.fields, after);
  const at = changeTime(ctx, stored);
  const payload = { before: pickFields(stored.fields, Object.keys(after)), after };
  const event = appendEvent(ctx, { type: 'resource.updated', resourceId: stored.id, payload, at });
  await tx.$executeRaw`
    WITH logged AS (${event})
    UPDATE resource
    SET fields = ${JSON.stringify(fields)}::jsonb, field_labels = ${labelsOf(fields)}::text[], updated_at = ${at}
    WHERE id = ${stored.id} AND environment_id = ${ctx.environment.id}::uuid`;
  return { ...stored, fields, updatedAt: at };
}

/** Later than every earlier change, even if the clock is slow, because the entity tag depends on this time. */
function changeTime(ctx: Context, { updatedAt }: Resource): Date {
  return new Date(Math.max(ctx.now().getTime(), updatedAt.getTime() + 1));
}

function hasValue(fields: Fields, key: string, value: unknown): boolean {
  return Object.hasOwn(fields, key) && isDeepStrictEqual(fields[key], value);
}
