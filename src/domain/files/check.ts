import { createHash, randomUUID } from 'node:crypto';
import { PassThrough } from 'node:stream';
import { ServiceError } from '../../contract/errors.ts';
import { LIMITS } from '../../contract/limits.ts';
import type { Services } from '../context.ts';
import { type FileRow, isDirect, storagePrefix } from './file.ts';
import { requireType } from './file-type.ts';
import { storing } from './insufficient-storage.ts';
import { areKeysOf, removeBytes, removeKeys } from './leftovers.ts';
import { scheduleRemoval, WRITE_SECONDS } from './remove.ts';
import { FileRejection } from './storage-port.ts';

export type FileServices = Pick<Services, 'prisma' | 'sql' | 'storage' | 'scanFile' | 'log'>;

/** Longer than a check can take: reading 1 GiB, and the scan. */
const CHECK_SECONDS = LIMITS.scanSeconds + 240;

/**
 * Checks the bytes of an upload and makes it readable: size, hash, type and the scan command. Before that nobody can read
 * it. One attempt checks at a time, in any process; if its process dies, another attempt starts later. Repeating it for a
 * finished upload changes nothing.
 * @throws {ServiceError} invalid_request if bytes are missing or the file is rejected; request_in_progress while another
 * attempt checks it
 */
export async function finishUpload(services: FileServices, row: FileRow): Promise<FileRow> {
  if (row.status === 'ready') return row;
  if (row.status === 'rejected') throw rejected(row.rejection);
  const checkId = randomUUID();
  const name = `content-${checkId}`;
  const prefix = storagePrefix(row);
  const keys = row.parts.map((part) => `${prefix}/${part}`);
  const joined = `${prefix}/${name}`;
  const removeAfter = await claimCheck(services, row, checkId, joined);
  if (!removeAfter) return afterOther(services, row);
  try {
    await requireComplete(services, row, keys);
    const key = await storing(services, () => services.storage.join(keys, joined));
    const sha256 = await inspect(services, row, key);
    return await publish(services, { row, checkId, key, sha256, joined, removeAfter });
  } catch (error) {
    if (error instanceof FileRejection) return rejectUpload(services, row, error.message, checkId);
    await services.sql.execute`
      UPDATE file SET check_id = NULL, check_until = NULL
      WHERE id = ${row.id} AND environment_id = ${row.environmentId}::uuid AND check_id = ${checkId}::uuid`;
    // Otherwise each repetition of a check that cannot end would leave a copy of the file.
    await removeKeys(services, row, [joined]);
    throw error;
  }
}

/**
 * Makes an attempt the only one, and announces the removal of the key that it writes, in one statement. Undefined: another
 * attempt is running.
 */
async function claimCheck(
  { sql }: FileServices,
  row: FileRow,
  checkId: string,
  joined: string,
): Promise<Date | undefined> {
  const [claim] = await sql.rows<{ remove_after: Date }>`
    WITH claimed AS (
      UPDATE file SET check_id = ${checkId}::uuid, check_until = now() + make_interval(secs => ${CHECK_SECONDS})
      WHERE id = ${row.id} AND environment_id = ${row.environmentId}::uuid AND status = 'uploading'
        AND parts = ${row.parts}::text[] AND (check_id IS NULL OR check_until < now())
      RETURNING environment_id
    )
    INSERT INTO file_removal (prefix, environment_id, remove_after)
    SELECT ${joined}, environment_id, now() + make_interval(secs => ${WRITE_SECONDS}) FROM claimed
    RETURNING remove_after`;
  return claim?.remove_after;
}

/** The result of an attempt that was faster. @throws {ServiceError} request_in_progress while it is running */
async function afterOther({ prisma }: FileServices, { id }: FileRow): Promise<FileRow> {
  const now = await prisma.storedFile.findUnique({ where: { id } });
  if (now?.status === 'ready') return now;
  if (now?.status === 'rejected') throw rejected(now.rejection);
  throw new ServiceError('request_in_progress', 'The file is being checked. Try again in a moment.');
}

/** The storage knows how many bytes have arrived there directly. */
async function requireComplete({ storage }: FileServices, row: FileRow, keys: readonly string[]): Promise<void> {
  const [only] = keys;
  const received = isDirect({ storage }, row) ? only && (await storage.sizeOf(only)) : row.receivedBytes;
  if (received === row.sizeBytes) return;
  const message = `The upload has ${received ?? 0} of ${row.sizeBytes} bytes. Send the others first.`;
  throw new ServiceError('invalid_request', message, { param: ['fileId'] });
}

/** Reads the bytes once, for all checks. Returns their hash. */
async function inspect({ storage, scanFile }: FileServices, row: FileRow, key: string): Promise<string> {
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
  readonly checkId: string;
  readonly key: string;
  readonly sha256: string;
  /** The key that the attempt could write, and when the sweeper deletes it. */
  readonly joined: string;
  readonly removeAfter: Date;
}

/** Makes the file readable. The bytes of an equal file of the environment are used instead of these. */
async function publish(services: FileServices, checked: Checked): Promise<FileRow> {
  const { row, checkId, key, sha256, joined } = checked;
  const { id, environmentId, sizeBytes } = row;
  const prefix = storagePrefix(row);
  const leftovers = row.parts.map((part) => `${prefix}/${part}`).filter((part) => part !== key);
  const result = await services.prisma.$transaction(async (tx) => {
    const isKept = await tx.$executeRaw`
      DELETE FROM file_removal WHERE ${areKeysOf(row, [joined])} AND remove_after = ${checked.removeAfter}`;
    // The sweeper has begun to delete it: this process stood still for minutes.
    if (isKept === 0) throw changedMeanwhile();
    const [content] = await tx.$queryRaw<{ id: string; storage_key: string }[]>`
      INSERT INTO file_content (id, environment_id, sha256, size_bytes, storage_key)
      VALUES (${randomUUID()}::uuid, ${environmentId}::uuid, ${sha256}, ${sizeBytes}, ${key})
      ON CONFLICT (environment_id, sha256) DO UPDATE SET sha256 = excluded.sha256
      RETURNING id, storage_key`;
    const [ready] = await tx.storedFile.updateManyAndReturn({
      where: { id, environmentId, checkId, status: 'uploading' },
      data: { status: 'ready', contentId: content?.id as string, sha256, parts: [], checkId: null, checkUntil: null },
    });
    if (!ready) throw changedMeanwhile();
    const isNew = content?.storage_key === key;
    if (isNew) await scheduleRemoval(tx, environmentId, leftovers, 0);
    else await scheduleRemoval(tx, environmentId, [prefix]);
    return { ready, isNew };
  });
  await removeBytes(services, row, result.isNew ? key : undefined);
  return result.ready;
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
  const isRejected = await services.prisma.$transaction(async (tx) => {
    const { count } = await tx.storedFile.updateMany({
      where: { id, checkId, status: 'uploading' },
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
