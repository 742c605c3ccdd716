import type { EventType } from '../../contract/events.ts';
import { Prisma } from '../../db/generated/client.ts';
import type { Context } from '../context.ts';
import { newTypeId } from '../type-id.ts';

/** What happened, as it is told to the log. */
export interface NewEvent {
  readonly type: EventType;
  /** What it happened to: a resource, or an integration. */
  readonly resourceId: string;
  readonly payload: Readonly<Record<string, unknown>>;
  readonly at: Date;
}

/**
 * The statement that writes an event: run it in the transaction of the change, or put it into the statement of the
 * change as a CTE, so that neither is ever there without the other. Publish {@link eventTopic} after the commit.
 */
export function appendEvent({ environment }: Context, { type, resourceId, payload, at }: NewEvent): Prisma.Sql {
  return Prisma.sql`
    INSERT INTO event (id, environment_id, type, resource_id, payload, occurred_at)
    VALUES (${newTypeId('evt')}, ${environment.id}::uuid, ${type}, ${resourceId},
            ${JSON.stringify(payload)}::jsonb, ${at})`;
}

/** What is published when an environment's log has grown. */
export function eventTopic(environmentId: string): string {
  return `events:${environmentId}`;
}
