import { LIMITS } from '../../contract/limits.ts';
import { Prisma } from '../../db/generated/client.ts';
import { inTransaction, type Transaction } from '../../db/transaction.ts';
import { isStranger, isStrangersShare, shareOf } from '../access/shares.ts';
import type { Context } from '../context.ts';
import { newTypeId } from '../type-id.ts';
import { requireStorage } from './insufficient-storage.ts';
import { requireSpace } from './quota.ts';
import { receiveBytes } from './receive.ts';

/** A file that a server sent to a turn. */
export interface ReceivedFile {
  readonly name: string;
  readonly mimeType: string;
  readonly bytes: Uint8Array;
  /** Undefined: the run has no conversation. */
  readonly conversationId: string | undefined;
}

/** A stored file that nothing uses yet. */
export interface KeptFile {
  readonly id: string;
  readonly name: string;
  readonly mimeType: string;
  readonly sizeBytes: number;
}

/**
 * Stores a file like an upload: with the space of the environment and of strangers, the check of its type and the scan
 * command. It expires unless a conversation uses it in time, so a file of a turn that dies leaves nothing.
 * @throws {ServiceError} payload_too_large, rate_limited, insufficient_storage, invalid_request if the file is rejected
 */
export async function storeReceived(ctx: Context, received: ReceivedFile): Promise<KeptFile> {
  const { name, mimeType, bytes, conversationId = null } = received;
  const sizeBytes = bytes.byteLength;
  await requireStorage(ctx.services, sizeBytes);
  const createdAt = ctx.now();
  const data = {
    id: newTypeId('file'),
    environmentId: ctx.environment.id,
    conversationId,
    shareKey: await strangerOf(ctx, conversationId),
    ...{ name, mimeType, sizeBytes },
    createdAt,
    expiresAt: new Date(createdAt.getTime() + LIMITS.resultFileHours * 3_600_000),
  };
  const row = await inTransaction(ctx.db, async (tx: Transaction) => {
    await requireSpace(ctx, tx, data);
    return tx.storedFile.create({ data });
  });
  // The address of the caller did not send these bytes, and a turn in the background has no address. Each stranger has a
  // counter of their own, so that one does not use up those of others.
  const sender = `tool results ${ctx.environment.id} ${data.shareKey ?? ''}`;
  await receiveBytes(ctx.services, row, { offset: 0, length: sizeBytes, sender, bytes: onePiece(bytes) });
  return { id: row.id, name, mimeType, sizeBytes };
}

async function* onePiece(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}

/** The stranger in whose share the file counts: the caller, or the caller whose turn the service continues. */
async function strangerOf(ctx: Context, conversationId: string | null): Promise<string | null> {
  if (isStranger(ctx.caller)) return shareOf(ctx);
  if (ctx.caller.kind !== 'service' || conversationId === null) return null;
  const [run] = await ctx.sql.rows<{ share_key: string | null }>`
    SELECT run.share_key FROM conversation
    JOIN run ON run.id = conversation.latest_run_id AND run.environment_id = conversation.environment_id
    WHERE conversation.id = ${conversationId}::uuid AND conversation.environment_id = ${ctx.environment.id}::uuid
      AND ${isStrangersShare(Prisma.sql`run.share_key`)}`;
  return run?.share_key ?? null;
}
