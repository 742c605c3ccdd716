import { ServiceError } from '../../contract/errors.ts';
import { LIMITS } from '../../contract/limits.ts';
import { newTypeId } from '../type-id.ts';
import { type FileServices, finishUpload } from './check.ts';
import { type FileRow, storagePrefix } from './file.ts';

/** A request with bytes of a file. */
export interface SentBytes {
  /** Where the bytes belong. 0: from the start. */
  readonly offset: number;
  /** Bytes of the request, if the client says so. */
  readonly length: number | undefined;
  readonly bytes: AsyncIterable<Uint8Array>;
}

/** The state of an upload after a request. */
export interface UploadState {
  readonly row: FileRow;
  /** Bytes that are stored. The next request continues there. */
  readonly offset: number;
}

/** Finds an upload for a caller with a signed URL. @throws {ServiceError} not_found */
export async function findUpload({ prisma }: FileServices, id: string): Promise<FileRow> {
  const row = await prisma.storedFile.findUnique({ where: { id } });
  if (!row || (row.status === 'uploading' && row.expiresAt <= new Date())) {
    throw new ServiceError('not_found', 'There is no such upload, or it has expired. Create a new one.');
  }
  return row;
}

/**
 * Stores the bytes of a request as a part of its own, and adds the part with a compare-and-swap. So two requests, also in
 * two processes, never write to the same place, and a part of a request that died belongs to nothing. If the client
 * disconnects, the bytes that have arrived are kept. The last part completes the file.
 * @throws {ServiceError} precondition_failed if the offset is not where the upload stands; payload_too_large;
 * invalid_request if the file is rejected or there were too many requests
 */
export async function receiveBytes(services: FileServices, row: FileRow, sent: SentBytes): Promise<UploadState> {
  const { offset, length } = sent;
  if (offset !== 0 && offset !== row.receivedBytes) throw wrongOffset(row.receivedBytes);
  const room = row.sizeBytes - offset;
  if (length !== undefined && length > room) throw tooLong(row.sizeBytes);
  const before = offset === 0 ? [] : row.parts;
  if (before.length >= LIMITS.fileParts) {
    throw new ServiceError('invalid_request', `A file takes at most ${LIMITS.fileParts} requests. Start a new upload.`);
  }
  const name = newTypeId('part');
  const state = { received: 0, isTooLong: false };
  const size = await services.storage.write(`${storagePrefix(row)}/${name}`, bounded(sent.bytes, room, state));
  if (state.isTooLong) throw tooLong(row.sizeBytes);
  const parts = size > 0 ? [...before, name] : before;
  const total = offset + size;
  const added = await services.sql.execute`
    UPDATE file SET parts = ${parts}::text[], received_bytes = ${total}
    WHERE id = ${row.id} AND environment_id = ${row.environmentId}::uuid AND status = 'uploading' AND check_id IS NULL
      AND parts = ${row.parts}::text[] AND received_bytes = ${row.receivedBytes}`;
  if (added === 0) throw changedMeanwhile();
  const after = { ...row, parts, receivedBytes: total };
  return { row: total === row.sizeBytes ? await finishUpload(services, after) : after, offset: total };
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

function changedMeanwhile(): ServiceError {
  const message = 'Another request sent bytes of this upload. Read its Upload-Offset with HEAD, and continue there.';
  return new ServiceError('request_in_progress', message);
}
