import { z } from 'zod';
import { rulesOf } from '../../shapes/field.ts';
import { CREATE_RESOURCE } from '../../shapes/resources.ts';
import { effectCte, heldClaim, underClaim } from '../access/claimed-effect.ts';
import type { Context } from '../context.ts';
import { appendEvent } from '../events/append.ts';
import { eventTopic } from '../events/topic.ts';
import { parseInput } from '../input.ts';
import { newTypeId } from '../type-id.ts';
import { checkFields, type Fields, labelsOf } from './fields.ts';
import { findResource, type Resource } from './reads.ts';

const newResource = z.object(rulesOf({ type: CREATE_RESOURCE.fields.type }));

/** The input of a new resource. */
export interface NewResource {
  readonly type: string;
  readonly fields: Fields;
}

/** The effect that an idempotency key stores. */
type StoredResource = Readonly<Record<'resourceId', string>>;

/**
 * Stores a new resource and its event in one statement.
 * @throws {ServiceError} invalid_request
 */
export async function createResource(ctx: Context, input: NewResource): Promise<Resource> {
  const stored = ctx.request.claim?.effect as StoredResource | null | undefined;
  if (stored) return findResource(ctx, stored.resourceId);
  const { type } = parseInput(newResource, input);
  const fields = checkFields(input.fields);
  const at = ctx.now();
  const id = newTypeId('res');
  const event = appendEvent(ctx, { type: 'resource.created', resourceId: id, payload: { type, fields }, at });
  const { claim } = ctx.request;
  const store = () => ctx.sql.execute`
    WITH ${heldClaim(claim)}, logged AS (${event})${effectCte(claim, { resourceId: id } satisfies StoredResource)}
    INSERT INTO resource (id, environment_id, type, fields, field_labels, created_at, updated_at)
    SELECT ${id}, ${ctx.environment.id}::uuid, ${type}, ${JSON.stringify(fields)}::jsonb, ${labelsOf(fields)}::text[],
           ${at}, ${at} FROM held
    RETURNING id`;
  await underClaim(claim, store);
  ctx.services.stores.pubSub.publish(eventTopic(ctx.environment.id));
  return { id, type, fields, createdAt: at, updatedAt: at };
}
