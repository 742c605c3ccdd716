import { createHash, randomUUID } from 'node:crypto';
import { PassThrough } from 'node:stream';
import { ServiceError } from '../../contract/errors.ts';
import { LIMITS } from '../../contract/limits.ts';
import { inTransaction } from '../../db/transaction.ts';
import type { SomeServices } from '../context.ts';
import { rowKey } from '../row-key.ts';
import { type CheckClaim, claimCheck, releaseCheck } from './check-claim.ts';
import { auditContent, findFault } from './content-faults.ts';
import { type FileRow, isDirect, storagePrefix } from './file.ts';
import { requireType } from './file-type.ts';
import { storing } from './insufficient-storage.ts';
import { areKeysOf, removeBytes, removeKeys } from './leftovers.ts';
import { scheduleRemoval } from './remove.ts';
import { FileRejection, MissingBytesError } from './storage-port.ts';

export type FileServices = SomeServices<'prisma' | 'sql' | 'storage' | 'scanFile' | 'leases' | 'log'>;

/**
 * Checks the bytes of an upload and makes it readable: size, hash, type and the scan command. Before that nobody can read
 * it. One attempt checks at a time, in any process. If its process dies, another attempt can start after its lease.
 * Repeating it for a finished upload changes nothing.
 * @throws {ServiceError} invalid_request if bytes are missing or the file is rejected; request_in_progress while another
 * attempt checks it
 */
export async function finishUpload(services: FileServices, row: FileRow): Promise<FileRow> {
  if (row.status === 'ready') return row;
  if (row.status === 'rejected') throw rejected(row.rejection);
  const claim = await claimCheck(services, row);
  if (!claim) return afterOther(services, row);
  const prefix = storagePrefix(row);
  const keys = row.parts.map((part) => `${prefix}/${part}`);
  try {
    await requireComplete(services, row, keys);
    const key = await storing(services, () => services.stores.storage.join(keys, claim.joined));
    const sha256 = await inspect(services, row, key);
    return await publish(services, { row, claim, key, sha256 });
  } catch (error) {
    if (error instanceof FileRejection) return rejectUpload(services, row, error.message, claim.id);
    const lost = error instanceof MissingBytesError && !isDirect(services, row);
    await releaseCheck(services, row, claim.id, { lost });
    // Otherwise each repetition of a check that cannot end would leave a copy of the file.
    await removeKeys(services, row, [claim.joined]);
    throw lost ? lostParts() : error;
  } finally {
    claim.stop();
  }
}

function lostParts(): ServiceError {
  const message = 'The storage has lost bytes of this upload. Send the file again, from the start.';
  return new ServiceError('invalid_request', message, { param: ['fileId'] });
}

/** The result of an attempt that was faster. @throws {ServiceError} request_in_progress while it is running */
async function afterOther({ stores: { prisma } }: FileServices, { id, environmentId }: FileRow): Promise<FileRow> {
  const now = await prisma.storedFile.findUnique({ where: rowKey({ id: environmentId }, id) });
  if (now?.status === 'ready') return now;
  if (now?.status === 'rejected') throw rejected(now.rejection);
  const details = { retryAfterMs: 1_000 };
  throw new ServiceError('request_in_progress', 'The file is being checked. Try again in a moment.', details);
}

/** The storage knows how many bytes have arrived there directly. */
async function requireComplete({ stores }: FileServices, row: FileRow, keys: readonly string[]): Promise<void> {
  const [only] = keys;
  const received = isDirect({ stores }, row) ? only && (await stores.storage.sizeOf(only)) : row.receivedBytes;
  if (received === row.sizeBytes) return;
  const message = `The upload has ${received ?? 0} of ${row.sizeBytes} bytes. Send the others first.`;
  throw new ServiceError('invalid_request', message, { param: ['fileId'] });
}

/** Reads the bytes once, for all checks. Returns their hash. */
async function inspect(
  { stores: { storage }, ports: { scanFile } }: FileServices,
  row: FileRow,
  key: string,
): Promise<string> {
  const hash = createHash('sha256');
  const beginning: Uint8Array[] = [];
  let size = 0;
  const source = await storage.read(key);
  const scanned = scanFile && new PassThrough();
  const scan = scanned && scanFile(scanned);
  // The failure is reported after the bytes were read.
  scan?.catch(() => undefined);
  for await (const chunk of source as AsyncIterable<Buffer>) {
    if (size < LIMITS.fileTypeBytes) beginning.push(chunk.subarray(0, LIMITS.fileTypeBytes - size));
    size += chunk.byteLength;
    hash.update(chunk);
    if (scanned && !scanned.write(chunk)) await drained(scanned);
  }
  scanned?.end();
  if (size !== row.sizeBytes) throw new FileRejection('The bytes changed while they were checked.');
  const sha256 = hash.digest('hex');
  if (row.sha256 !== null && row.sha256 !== sha256) {
    throw new FileRejection('The bytes do not have the SHA-256 that was announced. Send the file again.');
  }
  requireType(row.mimeType, Buffer.concat(beginning));
  await scan;
  return sha256;
}

/** A scan that has ended reads no more. */
function drained(stream: PassThrough): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      stream.off('drain', done).off('close', done);
      resolve();
    };
    stream.on('drain', done).on('close', done);
    if (stream.destroyed) done();
  });
}

interface Checked {
  readonly row: FileRow;
  readonly claim: CheckClaim;
  readonly key: string;
  readonly sha256: string;
}

/**
 * Makes the file readable. The bytes of an equal file of the environment are used instead of these. If the storage has
 * lost those, these replace them: then all files that share the content are readable again.
 */
async function publish(services: FileServices, { row, claim, key, sha256 }: Checked): Promise<FileRow> {
  const { id, environmentId, sizeBytes } = row;
  const prefix = storagePrefix(row);
  const leftovers = row.parts.map((part) => `${prefix}/${part}`).filter((part) => part !== key);
  const lostKey = await lostKeyOf(services, { environmentId, sha256 });
  const result = await inTransaction(services.stores.prisma, async (tx) => {
    const isKept = await tx.$executeRaw`
      DELETE FROM file_removal WHERE ${areKeysOf(row, [claim.joined])} AND remove_after = ${claim.removeAfter}`;
    // The sweeper has begun to delete it: this process stalled for minutes.
    if (isKept === 0) throw changedMeanwhile();
    const [content] = await tx.$queryRaw<{ id: string; storage_key: string }[]>`
      INSERT INTO file_content AS known (id, environment_id, sha256, size_bytes, storage_key)
      VALUES (${randomUUID()}::uuid, ${environmentId}::uuid, ${sha256}, ${sizeBytes}, ${key})
      ON CONFLICT (environment_id, sha256) DO UPDATE SET
        storage_key = CASE WHEN known.storage_key = ${lostKey} THEN excluded.storage_key ELSE known.storage_key END,
        fault = CASE WHEN known.storage_key = ${lostKey} THEN NULL ELSE known.fault END
      RETURNING id, storage_key`;
    const [ready] = await tx.storedFile.updateManyAndReturn({
      where: { id, environmentId, checkId: claim.id, status: 'uploading' },
      data: { status: 'ready', contentId: content?.id as string, sha256, parts: [], checkId: null, checkUntil: null },
    });
    if (!ready) throw changedMeanwhile();
    const isNew = content?.storage_key === key;
    if (!isNew) await scheduleRemoval(tx, environmentId, [prefix]);
    else {
      await scheduleRemoval(tx, environmentId, lostKey ? [...leftovers, lostKey] : leftovers, 0);
      if (lostKey) await auditContent(tx, environmentId, content.id, null);
    }
    return { ready, isNew };
  });
  await removeBytes(services, row, result.isNew ? key : undefined);
  return result.ready;
}

/** The key of an equal file whose bytes the storage has lost. */
async function lostKeyOf(
  { stores: { prisma, storage } }: FileServices,
  content: { readonly environmentId: string; readonly sha256: string },
): Promise<string | null> {
  const known = await prisma.fileContent.findUnique({ where: { environmentId_sha256: content } });
  return known && (await findFault(storage, known)) ? known.storageKey : null;
}

function changedMeanwhile(): ServiceError {
  return new ServiceError('request_in_progress', 'The upload changed while it was checked. Try again.');
}

/** Ends an upload whose file must not be used, and deletes its bytes. @throws {ServiceError} invalid_request */
export async function rejectUpload(
  services: FileServices,
  row: FileRow,
  rejection: string,
  checkId: string | null = null,
): Promise<never> {
  const { id, environmentId } = row;
  const prefix = storagePrefix(row);
  const isRejected = await inTransaction(services.stores.prisma, async (tx) => {
    const { count } = await tx.storedFile.updateMany({
      where: { id, environmentId, checkId, status: 'uploading' },
      data: { status: 'rejected', rejection, parts: [], checkId: null, checkUntil: null },
    });
    if (count > 0) await scheduleRemoval(tx, environmentId, [prefix]);
    return count > 0;
  });
  if (isRejected) await removeBytes(services, row);
  throw rejected(rejection);
}

function rejected(rejection: string | null): ServiceError {
  return new ServiceError('invalid_request', rejection ?? 'The file was rejected.', { param: ['fileId'] });
}
