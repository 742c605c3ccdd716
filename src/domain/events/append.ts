import type { EventType } from '../../contract/statuses.ts';
import { Prisma } from '../../db/generated/client.ts';
import type { Context } from '../context.ts';
import { newTypeId } from '../type-id.ts';
import { currentTraceParent } from './trace-parent.ts';

/** The event to append. */
export interface NewEvent {
  readonly type: EventType;
  /** The ID of the changed resource or integration. */
  readonly resourceId: string;
  readonly payload: Readonly<Record<string, unknown>>;
  readonly at: Date;
}

/**
 * Returns the statement that writes an event. Run it in the transaction of the change, or as a CTE of the statement that
 * makes the change, so both commit together. Publish `eventTopic` after the commit.
 */
export function appendEvent({ environment }: Context, { type, resourceId, payload, at }: NewEvent): Prisma.Sql {
  return Prisma.sql`
    INSERT INTO event (id, environment_id, type, resource_id, payload, occurred_at, traceparent)
    VALUES (${newTypeId('evt')}, ${environment.id}::uuid, ${type}, ${resourceId},
            ${JSON.stringify(payload)}::jsonb, ${at}, ${currentTraceParent()})`;
}
