import { setTimeout as pause } from 'node:timers/promises';
import type pg from 'pg';
import { newTypeId } from '../../src/domain/type-id.ts';
import type { Client } from './client.ts';

/** An open transaction that has written an event. */
export interface OpenWrite {
  readonly eventId: string;
  commit(): Promise<void>;
  rollback(): Promise<void>;
}

/** Writes an event as the service does and leaves the transaction open. */
export async function writeEvent(pool: pg.Pool, environmentId: string): Promise<OpenWrite> {
  const client = await pool.connect();
  const eventId = newTypeId('evt');
  await client.query('BEGIN');
  await client.query(
    `INSERT INTO event (id, environment_id, type, resource_id, payload, occurred_at)
     VALUES ($1, $2, 'resource.created', 'res_slow', '{}', now())`,
    [eventId, environmentId],
  );
  const end = async (statement: string) => {
    await client.query(statement);
    client.release();
  };
  return { eventId, commit: () => end('COMMIT'), rollback: () => end('ROLLBACK') };
}

/** Writes this many events in slow transactions. Every tenth time it also rolls one back. */
export async function writeSlowly(pool: pg.Pool, environmentId: string, count: number): Promise<void> {
  for (let written = 0; written < count; written += 1) {
    const write = await writeEvent(pool, environmentId);
    await pause(Math.random() * 40);
    await write.commit();
    if (written % 10 === 0) await (await writeEvent(pool, environmentId)).rollback();
  }
}

/** Makes this many changes to resources of its own. Each change is one event. */
export async function writeResources(client: Client, count: number): Promise<void> {
  let path: string | undefined;
  for (let written = 0; written < count; written += 1) {
    const step = written % 4;
    if (step === 0 || path === undefined) {
      const { status, body } = await client.send('POST', '/v1/resources', { body: { type: 'a', fields: {} } });
      if (status !== 201) throw new Error(`${status} ${JSON.stringify(body)}`);
      path = `/v1/resources/${body.data.id}`;
    } else if (step === 3) await client.send('DELETE', path);
    else await client.send('PATCH', path, { body: { fields: { written } } });
  }
}
