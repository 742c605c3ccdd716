import { isDeepStrictEqual } from 'node:util';
import { inTransaction, type Transaction } from '../../db/transaction.ts';
import { audited } from '../audit/append.ts';
import type { Context } from '../context.ts';
import { appendEvent, eventTopic } from '../events/append.ts';
import { requireMatch } from './etag.ts';
import { checkFields, type Fields, labelsOf, mergeFields, pickFields } from './fields.ts';
import { findResource, type Resource, resourceNotFound } from './reads.ts';

/** Which resource a caller means, and which version of it. */
export interface ResourceAddress {
  readonly id: string;
  /** As HTTP's If-Match: the change is refused where the resource is no longer this one. */
  readonly ifMatch?: string | null | undefined;
}

/**
 * Merges fields into a resource, under its row lock: of two changes at the same time both hold. Where nothing changes
 * there is no event, and the resource stays as it is.
 * @throws {ServiceError} not_found, invalid_request, precondition_failed
 */
export async function updateResource(ctx: Context, { id, ifMatch }: ResourceAddress, patch: Fields): Promise<Resource> {
  const checked = await checkedPatch(ctx, id, patch);
  const { resource, changed } = await inTransaction(ctx.db, async (tx) => {
    const stored = await lockResource(ctx, tx, id);
    requireMatch(ifMatch, stored);
    const keys = Object.keys(checked).filter((key) => !holds(stored.fields, key, checked[key]));
    if (keys.length === 0) return { resource: stored, changed: false };
    return { resource: await storeFields(ctx, tx, stored, pickFields(checked, keys)), changed: true };
  });
  if (changed) ctx.services.live.publish(eventTopic(ctx.environment.id));
  return resource;
}

/**
 * Deletes a resource, and answers it as it was.
 * @throws {ServiceError} not_found, precondition_failed
 */
export async function deleteResource(ctx: Context, { id, ifMatch }: ResourceAddress): Promise<Resource> {
  const deleted = await inTransaction(ctx.db, async (tx) => {
    const stored = await lockResource(ctx, tx, id);
    requireMatch(ifMatch, stored);
    const { type, fields } = stored;
    const at = changeTime(ctx, stored);
    const event = appendEvent(ctx, { type: 'resource.deleted', resourceId: id, payload: { type, fields }, at });
    const note = audited(ctx, { action: 'resource.deleted', subjectId: id, details: { type }, at });
    await tx.$executeRaw`
      WITH logged AS (${event}), noted AS (${note})
      DELETE FROM resource WHERE id = ${id} AND environment_id = ${ctx.environment.id}::uuid`;
    return stored;
  });
  ctx.services.live.publish(eventTopic(ctx.environment.id));
  return deleted;
}

/** A wrong patch of a resource that is not there is told of the resource (WIRE 3, precedence). */
async function checkedPatch(ctx: Context, id: string, patch: Fields): Promise<Fields> {
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

/** Writes what is new to a locked resource, and the event that tells of it. */
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

/** Later than any change before it, also by a clock that is behind: the entity tag hangs on it. */
function changeTime(ctx: Context, { updatedAt }: Resource): Date {
  return new Date(Math.max(ctx.now().getTime(), updatedAt.getTime() + 1));
}

function holds(fields: Fields, key: string, value: unknown): boolean {
  return Object.hasOwn(fields, key) && isDeepStrictEqual(fields[key], value);
}
