import { firstTypeIdAt } from '../../src/contract/ids.ts';
import type { Database } from '../../src/db/database.ts';
import type { EnvironmentRef } from '../../src/db/scope.ts';
import { readBatch } from '../../src/domain/events/batch.ts';
import { newTypeId } from '../../src/domain/type-id.ts';
import { asOwner } from './partitions.ts';
import { until } from './until.ts';

/** The ID of an event of a process whose clock shows `at`. */
export function eventIdAt(at: Date): string {
  const start = firstTypeIdAt('evt', at);
  return start + newTypeId('evt').slice(start.length);
}

/** Writes an event as a process does whose clock shows `at`. Returns its ID. */
export async function writeEvent(database: Database, { id: environmentId }: EnvironmentRef, at: Date): Promise<string> {
  const id = eventIdAt(at);
  await database.prisma.event.create({
    data: { id, environmentId, type: 'resource.created', resourceId: 'r', payload: {}, occurredAt: at },
  });
  return id;
}

/**
 * What a feed gets after a position, by default from the beginning of the log. Waits for the transactions of other tests, also
 * in other databases.
 */
export async function readFeed(database: Database, environment: EnvironmentRef, from = BEGINNING) {
  const all = { part: 'all', types: null, resourceId: null, conversationId: null, deploymentId: null } as const;
  const ctx = { sql: database.sql.within(environment), environment };
  const read = () => readBatch(ctx as unknown as Parameters<typeof readBatch>[0], from, all as never);
  let batch: Awaited<ReturnType<typeof read>> | undefined;
  await until(async () => {
    batch = await read();
    return !batch.isHeldBack;
  });
  return (batch?.rows ?? []).map(({ row, position }) => ({ id: row.id, position }));
}

const BEGINNING: Parameters<typeof readBatch>[1] = { xid: 0n, id: '', snapshot: null };

/** Writes a delivery of an event, with one attempt. */
export async function writeDelivery(
  database: Database,
  endpointId: string,
  eventId: string,
  status: 'pending' | 'delivered' | 'failed',
): Promise<void> {
  await asOwner(
    database,
    `WITH delivery AS (
       INSERT INTO webhook_delivery (environment_id, endpoint_id, event_id, message_id, status, next_attempt_at, finished_at, created_at)
       SELECT environment_id, id, $2, $2, $3::delivery_status, now() + interval '1 day',
              CASE WHEN $3 <> 'pending' THEN now() END, now()
       FROM webhook_endpoint WHERE id = $1 RETURNING id, environment_id
     )
     INSERT INTO webhook_attempt (environment_id, delivery_id, duration_ms, started_at)
     SELECT environment_id, id, 1, now() FROM delivery`,
    [endpointId, eventId, status],
  );
}

/** Creates an endpoint that has read all events of now. */
export async function createEndpoint(database: Database, environment: EnvironmentRef): Promise<string> {
  const id = newTypeId('whk');
  const at = new Date();
  await database.prisma.webhookEndpoint.create({
    data: {
      id,
      environmentId: environment.id,
      url: 'https://a',
      eventTypes: [],
      sealedSecret: Buffer.from('x'),
      createdAt: at,
      updatedAt: at,
    },
  });
  return id;
}

/** The endpoint has read all events of now. */
export const readAll = (database: Database, endpointId: string) =>
  asOwner(
    database,
    `UPDATE webhook_endpoint SET position_xid = (SELECT max(xid::text::bigint) + 1 FROM event)::text::xid8 WHERE id = $1`,
    [endpointId],
  );
