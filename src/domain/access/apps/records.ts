import { randomUUID } from 'node:crypto';
import { isForeignKeyError } from '../../../db/error-codes.ts';
import { Prisma } from '../../../db/generated/client.ts';
import { inTransaction } from '../../../db/transaction.ts';
import type { SomeServices } from '../../context.ts';
import { credentialTopic } from '../caller-ends.ts';
import { hashToken } from '../tokens.ts';
import type { NewRecord, RecordKind, RecordPayload, RecordStore, StoredRecord } from './authorization-port.ts';
import { endApps } from './end-apps.ts';

/** Expired rows that a new record deletes. More than one, so that their number decreases. */
const SWEPT_ROWS = 10;

/** The key of a record. Records of different kinds never share one. */
export function recordHash(kind: RecordKind, id: string): string {
  return hashToken(`${kind} ${id}`);
}

/** The records of the authorization server, for all workspaces. */
export class AppRecords implements RecordStore {
  readonly #stores: SomeServices<'sql' | 'prisma' | 'pubSub'>['stores'];

  constructor(stores: SomeServices<'sql' | 'prisma' | 'pubSub'>['stores']) {
    this.#stores = stores;
  }

  async find(kind: RecordKind, id: string): Promise<StoredRecord | undefined> {
    const [row] = await this.#stores.sql.rows<Row>`
      SELECT payload, app_id, consumed_at FROM authorization_record
      WHERE id_hash = ${recordHash(kind, id)} AND kind = ${kind} AND expires_at > now()`;
    if (!row) return undefined;
    return { payload: row.payload, appId: row.app_id, consumedAt: row.consumed_at };
  }

  async save(record: NewRecord): Promise<boolean> {
    const { sql } = this.#stores;
    try {
      await this.#insert(record);
    } catch (error) {
      if (isForeignKeyError(error)) return false;
      throw error;
    }
    await sql.execute`
      DELETE FROM authorization_record WHERE id_hash IN (
        SELECT id_hash FROM authorization_record WHERE expires_at <= now() LIMIT ${SWEPT_ROWS} FOR UPDATE SKIP LOCKED)`;
    return true;
  }

  async #insert({ kind, id, payload, seconds, appId }: NewRecord): Promise<void> {
    await this.#stores.sql.execute`
      INSERT INTO authorization_record AS r (id_hash, kind, payload, app_id, expires_at)
      VALUES (${recordHash(kind, id)}, ${kind}, ${JSON.stringify(payload)}::jsonb, ${appId ?? null}::uuid,
              now() + make_interval(secs => ${seconds}))
      ON CONFLICT (id_hash) DO UPDATE SET payload = r.payload || excluded.payload, expires_at = excluded.expires_at`;
  }

  async remove(kind: RecordKind, id: string): Promise<void> {
    await this.#stores.sql.execute`DELETE FROM authorization_record WHERE id_hash = ${recordHash(kind, id)}`;
  }

  async consume(kind: RecordKind, id: string): Promise<boolean> {
    const changed = await this.#stores.sql.execute`
      UPDATE authorization_record SET consumed_at = now()
      WHERE id_hash = ${recordHash(kind, id)} AND consumed_at IS NULL`;
    return changed === 1;
  }

  async isConnected(appId: string): Promise<boolean> {
    const where = { id: appId, expiresAt: { gt: new Date() } };
    return (await this.#stores.prisma.connectedApp.count({ where })) > 0;
  }

  async disconnect(appId: string): Promise<void> {
    const { prisma, pubSub } = this.#stores;
    const request = { id: randomUUID(), address: null };
    const source = { request, now: () => new Date(), actorAt: () => ({ kind: 'service' }) as const };
    await inTransaction(prisma, (tx) => endApps(source, tx, Prisma.sql`id = ${appId}::uuid`));
    pubSub.publish(credentialTopic(appId));
  }
}

interface Row {
  readonly payload: RecordPayload;
  readonly app_id: string | null;
  readonly consumed_at: Date | null;
}
