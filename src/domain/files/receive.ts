import { ServiceError } from '../../contract/errors.ts';
import { LIMITS } from '../../contract/limits.ts';
import type { SomeServices } from '../context.ts';
import { type FileServices, finishUpload, rejectUpload } from './check.ts';
import { type FileRow, storagePrefix } from './file.ts';
import { storing } from './insufficient-storage.ts';
import { removeKeys } from './leftovers.ts';
import type { SignedFile } from './signed-url.ts';
import { addPart, changedMeanwhile, claimWrite, endClaim, type WriteClaim } from './write-claim.ts';

type UploadServices = FileServices & SomeServices<'secretBox'>;

/** A request with bytes of a file. */
export interface SentBytes {
  /** Where the bytes belong. 0: from the start. */
  readonly offset: number;
  /** Bytes of the request, if the client says so. */
  readonly length: number | undefined;
  /** The client's address, as `addressKey` returns it. Its bytes are counted. */
  readonly sender: string;
  readonly bytes: AsyncIterable<Uint8Array>;
}

/** The state of an upload after a request. */
export interface UploadState {
  readonly row: FileRow;
  /** Bytes that are stored. The next request continues there. */
  readonly offset: number;
}

/** Finds an upload for a caller with a signed URL. @throws {ServiceError} not_found */
export async function findUpload(
  { stores: { prisma } }: FileServices,
  { id, environmentId }: SignedFile,
): Promise<FileRow> {
  const row = await prisma.storedFile.findFirst({ where: { id, ...(environmentId && { environmentId }) } });
  if (!row || (row.status === 'uploading' && row.expiresAt <= new Date())) {
    throw new ServiceError('not_found', 'There is no such upload, or it has expired. Create a new one.');
  }
  return row;
}

/**
 * Stores the bytes of a request as a part of its own, and adds the part with a compare-and-swap. So two requests, also in
 * two processes, never write to the same place. If the client disconnects, the bytes that have arrived are kept. A part
 * that is not added, and parts that it replaces, are deleted before this returns, or by the sweeper if the process dies.
 * The last part completes the file.
 * @throws {ServiceError} precondition_failed if the offset is not where the upload stands; payload_too_large;
 * rate_limited; insufficient_storage; invalid_request if the file is rejected or there were too many requests
 */
export async function receiveBytes(services: UploadServices, row: FileRow, sent: SentBytes): Promise<UploadState> {
  const { offset, length } = sent;
  if (offset !== 0 && offset !== row.receivedBytes) throw wrongOffset(row.receivedBytes);
  const room = row.sizeBytes - offset;
  if (length !== undefined && length > room) throw tooLong(row.sizeBytes);
  const before = offset === 0 ? [] : row.parts;
  if (before.length >= LIMITS.fileParts) {
    throw new ServiceError('invalid_request', `A file takes at most ${LIMITS.fileParts} requests. Start a new upload.`);
  }
  const claim = await claimWrite(services, row, { bytes: length ?? room, sender: sent.sender });
  if (!claim) return rejectUpload(services, row, EXHAUSTED);
  const parts = [...before, claim.name];
  const replaced = offset === 0 ? row.parts.map((name) => `${storagePrefix(row)}/${name}`) : [];
  const size = await writePart(services, claim, sent.bytes, (size) =>
    addPart(services, claim, { size, total: offset + size, parts, replaced }),
  );
  if (size === 0) return { row, offset: row.receivedBytes };
  await removeKeys(services, row, replaced);
  const after = { ...row, parts, receivedBytes: offset + size };
  return {
    row: after.receivedBytes === row.sizeBytes ? await finishUpload(services, after) : after,
    offset: offset + size,
  };
}

const EXHAUSTED = `The requests of this upload have sent more than ${LIMITS.uploadSentTimes} times its size. Create another upload.`;

/** Returns the bytes of the part. 0: nothing arrived, and nothing changed. The part of a request that fails is deleted. */
async function writePart(
  services: UploadServices,
  claim: WriteClaim,
  bytes: AsyncIterable<Uint8Array>,
  add: (size: number) => Promise<boolean>,
): Promise<number> {
  const state = { received: 0, isTooLong: false };
  try {
    const size = await storing(services, () =>
      services.stores.storage.write(claim.key, bounded(bytes, claim.bytes, state)),
    );
    if (state.isTooLong) throw tooLong(claim.row.sizeBytes);
    if (size === 0) await abortWrite(services, claim, 0);
    else if (!(await add(size))) throw changedMeanwhile();
    return size;
  } catch (error) {
    await abortWrite(services, claim, state.received);
    throw error;
  }
}

/** If this fails, the sweeper deletes the part, and its bytes stay counted. */
async function abortWrite(services: UploadServices, claim: WriteClaim, received: number): Promise<void> {
  try {
    await services.stores.storage.removeKeys([claim.key]);
    await endClaim(services, claim, received);
  } catch (error) {
    services.process.log.warn({ err: error, file_id: claim.row.id }, 'a part of an upload could not be deleted');
  }
}

/** Ends when the client disconnects, and after one chunk too much. */
async function* bounded(
  bytes: AsyncIterable<Uint8Array>,
  room: number,
  state: { received: number; isTooLong: boolean },
): AsyncGenerator<Uint8Array> {
  try {
    for await (const chunk of bytes) {
      state.received += chunk.byteLength;
      if (state.received > room) {
        state.isTooLong = true;
        return;
      }
      yield chunk;
    }
  } catch {
    // The client disconnected, or its time was over. It can continue after these bytes.
  }
}

function tooLong(sizeBytes: number): ServiceError {
  return new ServiceError(
    'payload_too_large',
    `The upload was announced with ${sizeBytes} bytes. Send no more, or create another upload.`,
  );
}

export function wrongOffset(offset: number): ServiceError {
  const message = `The upload has ${offset} bytes. Continue there: read Upload-Offset with HEAD first.`;
  return new ServiceError('precondition_failed', message);
}
