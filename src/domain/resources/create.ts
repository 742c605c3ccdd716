import { z } from 'zod';
import { RESOURCE_TYPE_PATTERN } from '../../contract/limits.ts';
import { markedEffect } from '../access/idempotency.ts';
import type { Context } from '../context.ts';
import { appendEvent, eventTopic } from '../events/append.ts';
import { parseInput } from '../input.ts';
import { newTypeId } from '../type-id.ts';
import { checkFields, type Fields, labelsOf } from './fields.ts';
import { findResource, type Resource } from './reads.ts';

const newResource = z.object({
  type: z.string().regex(RESOURCE_TYPE_PATTERN, 'must be 1 to 64 of a-z, 0-9 and _, and begin with a letter'),
});

/** What a resource is made of. */
export interface NewResource {
  readonly type: string;
  readonly fields: Fields;
}

/** A resource as an idempotency key remembers it. */
type MadeResource = Readonly<Record<'resourceId', string>>;

/**
 * Stores a new resource and its event in one statement.
 * @throws {ServiceError} invalid_request
 */
export async function createResource(ctx: Context, input: NewResource): Promise<Resource> {
  const made = ctx.request.claim?.effect as MadeResource | null | undefined;
  if (made) return findResource(ctx, made.resourceId);
  const { type } = parseInput(newResource, input);
  const fields = checkFields(input.fields);
  const at = ctx.now();
  const id = newTypeId('res');
  const event = appendEvent(ctx, { type: 'resource.created', resourceId: id, payload: { type, fields }, at });
  await ctx.services.sql.changed`
    WITH logged AS (${event})${markedEffect(ctx.request.claim, { resourceId: id } satisfies MadeResource)}
    INSERT INTO resource (id, environment_id, type, fields, field_labels, created_at, updated_at)
    VALUES (${id}, ${ctx.environment.id}::uuid, ${type}, ${JSON.stringify(fields)}::jsonb, ${labelsOf(fields)}::text[],
            ${at}, ${at})`;
  ctx.services.live.publish(eventTopic(ctx.environment.id));
  return { id, type, fields, createdAt: at, updatedAt: at };
}
