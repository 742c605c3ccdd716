import { randomUUID } from 'node:crypto';
import type { AuditAction } from '../../contract/audit.ts';
import { ServiceError } from '../../contract/errors.ts';
import type { ContentFault } from '../../db/generated/client.ts';
import { inTransaction, type Transaction } from '../../db/transaction.ts';
import { insertAuditEntry } from '../audit/append.ts';
import type { SomeServices } from '../context.ts';
import type { ReadyFile } from './file.ts';
import type { FileStorage } from './storage-port.ts';

export type FaultServices = SomeServices<'prisma' | 'storage' | 'log'>;

/** The bytes of a file as the database knows them. */
export type KnownContent = Pick<ReadyFile, 'environmentId' | 'sha256' | 'sizeBytes' | 'storageKey' | 'fault'>;

/** What is wrong with the stored bytes, without reading them. Only a hash can find, or refute, a wrong one. */
export async function findFault(
  storage: FileStorage,
  { storageKey, sizeBytes, fault }: KnownContent,
): Promise<ContentFault | null> {
  const size = await storage.sizeOf(storageKey);
  if (size === undefined) return 'missing';
  if (size !== sizeBytes) return 'wrong_size';
  return fault === 'wrong_hash' ? fault : null;
}

/**
 * Requires that the storage has the bytes of a file. Otherwise their loss is recorded. Bytes that are there again, after
 * an outage of the storage for example, are readable again.
 * @throws {ServiceError} file_content_missing
 */
export async function requireBytes(services: FaultServices, file: KnownContent): Promise<void> {
  const fault = await findFault(services.stores.storage, file);
  if (fault !== file.fault) await recordFault(services, file, fault);
  if (fault) throw contentMissing();
}

export function contentMissing(): ServiceError {
  const message =
    'The storage has lost the bytes of this file. Upload the same bytes again: then the file is readable.';
  return new ServiceError('file_content_missing', message, { param: ['fileId'] });
}

/**
 * Records what is wrong with stored bytes, or that nothing is wrong any more, and tells the owner with an entry of the
 * audit log. Returns false if another process has recorded it, or if other bytes have replaced them.
 */
export async function recordFault(
  { stores: { prisma }, process: { log } }: SomeServices<'prisma' | 'log'>,
  { environmentId, sha256, storageKey }: KnownContent,
  fault: ContentFault | null,
): Promise<boolean> {
  const isRecorded = await inTransaction(prisma, async (tx) => {
    const [content] = await tx.$queryRaw<{ id: string }[]>`
      UPDATE file_content SET fault = ${fault}::content_fault
      WHERE environment_id = ${environmentId}::uuid AND sha256 = ${sha256} AND storage_key = ${storageKey}
        AND fault IS DISTINCT FROM ${fault}::content_fault
      RETURNING id`;
    if (content) await auditContent(tx, environmentId, content.id, fault);
    return content !== undefined;
  });
  if (isRecorded && fault) log.error({ storage_key: storageKey, fault }, 'the storage has lost the bytes of a file');
  return isRecorded;
}

/** Writes an audit entry about all files that share a content. The oldest of them is its subject. */
export async function auditContent(
  tx: Transaction,
  environmentId: string,
  contentId: string,
  fault: ContentFault | null,
): Promise<void> {
  const action: AuditAction = fault ? 'file.content_missing' : 'file.content_restored';
  const [files] = await tx.$queryRaw<{ first: string | null; count: number }[]>`
    SELECT min(id) AS first, count(*)::int AS count FROM file
    WHERE content_id = ${contentId}::uuid AND environment_id = ${environmentId}::uuid`;
  if (!files?.first) return;
  const environment = await tx.environment.findUniqueOrThrow({ where: { id: environmentId } });
  const source = { caller: { kind: 'service' }, environment, request: { id: randomUUID(), address: null } } as const;
  const details = { files: files.count, ...(fault && { fault }) };
  await tx.$executeRaw(insertAuditEntry(source, { action, subjectId: files.first, details, at: new Date() }));
}
