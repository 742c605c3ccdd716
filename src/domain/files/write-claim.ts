import { ServiceError } from '../../contract/errors.ts';
import { LIMITS } from '../../contract/limits.ts';
import { formatCount } from '../../contract/quantities.ts';
import { Prisma } from '../../db/generated/client.ts';
import type { SomeServices } from '../context.ts';
import { newTypeId } from '../type-id.ts';
import { type FileRow, storagePrefix } from './file.ts';
import { WRITE_SECONDS } from './remove.ts';

const KIB = 1024;
const HOUR_SECONDS = 3_600;

/** A request that may write one part of an upload. Until the part is added, its key is due for removal. */
export interface WriteClaim {
  readonly row: FileRow;
  /** The name of the part. */
  readonly name: string;
  readonly key: string;
  /** When the sweeper deletes the part, unless it was added. */
  readonly removeAfter: Date;
  /** Bytes that are counted for the request. */
  readonly bytes: number;
  readonly counter: string;
}

type ClaimServices = SomeServices<'sql' | 'secretBox'>;

interface ClaimRow {
  readonly exhausted: boolean;
  readonly remove_after: Date | null;
  readonly wait_seconds: number;
}

/** The condition that nothing has changed the upload since `row` was read. */
const isUnchanged = (row: FileRow) => Prisma.sql`id = ${row.id} AND environment_id = ${row.environmentId}::uuid
        AND status = 'uploading' AND check_id IS NULL AND parts = ${row.parts}::text[]
        AND received_bytes = ${row.receivedBytes}`;

/**
 * Counts the bytes that a request may send, for the upload and for the address, and announces the removal of its part: in
 * one statement, before the first byte. So requests that are parallel, or whose process dies, are counted too. Undefined:
 * the requests of the upload have sent too much, so it has to be announced again.
 * @throws {ServiceError} request_in_progress, rate_limited
 */
export async function claimWrite(
  { stores: { sql }, settings: { secretBox } }: ClaimServices,
  row: FileRow,
  { bytes, sender }: { readonly bytes: number; readonly sender: string },
): Promise<WriteClaim | undefined> {
  const name = newTypeId('part');
  const key = `${storagePrefix(row)}/${name}`;
  const isOfStranger = row.shareKey !== null;
  const megabytes = isOfStranger ? LIMITS.strangerUploadMegabytesPerHour : LIMITS.uploadMegabytesPerHour;
  const counter = `upload-bytes:${isOfStranger ? 'strangers' : 'others'}:${secretBox.digest(sender)}`;
  const [claim] = await sql.rows<ClaimRow>`
    WITH clock AS (
      SELECT (extract(epoch FROM now()) * 1000)::int8 AS ms
    ), upload AS (
      SELECT id, environment_id, sent_bytes + ${bytes} > size_bytes::int8 * ${LIMITS.uploadSentTimes} AS exhausted
      FROM file WHERE ${isUnchanged(row)} FOR NO KEY UPDATE
    ), counted AS (
      INSERT INTO rate_limit AS used (key, points, expire)
      SELECT ${counter}, ${Math.ceil(bytes / KIB)}::int4, clock.ms + ${HOUR_SECONDS * 1_000}
      FROM upload, clock WHERE NOT upload.exhausted
      ON CONFLICT (key) DO UPDATE
      SET points = excluded.points + CASE WHEN used.expire > (SELECT ms FROM clock) THEN used.points ELSE 0 END,
          expire = CASE WHEN used.expire > (SELECT ms FROM clock) THEN used.expire ELSE excluded.expire END
      WHERE used.expire <= (SELECT ms FROM clock) OR used.points + excluded.points <= ${megabytes * KIB}
      RETURNING key
    ), claimed AS (
      UPDATE file SET sent_bytes = sent_bytes + ${bytes} FROM upload, counted
      WHERE file.id = upload.id AND file.environment_id = upload.environment_id
      RETURNING file.environment_id
    ), announced AS (
      INSERT INTO file_removal (prefix, environment_id, remove_after)
      SELECT ${key}, environment_id, now() + make_interval(secs => ${WRITE_SECONDS}) FROM claimed
      RETURNING remove_after
    )
    SELECT upload.exhausted, (SELECT remove_after FROM announced),
           coalesce((SELECT greatest(1, ceil((expire - clock.ms) / 1000.0)) FROM rate_limit, clock WHERE key = ${counter}), 1)::int4
             AS wait_seconds
    FROM upload`;
  if (!claim) throw changedMeanwhile();
  if (claim.exhausted) return undefined;
  if (!claim.remove_after) throw tooMuch(megabytes, claim.wait_seconds);
  return { row, name, key, removeAfter: claim.remove_after, bytes, counter };
}

interface AddedPart {
  /** Bytes of the part, and of the upload with it. */
  readonly size: number;
  readonly total: number;
  /** All parts of the upload, and the keys of those that it no longer has. */
  readonly parts: readonly string[];
  readonly replaced: readonly string[];
}

/**
 * Adds the part of a claim to the upload, and announces the removal of the parts that it replaces, in one statement. Returns false if the upload has changed, or if the sweeper has begun to delete the part.
 */
export async function addPart(
  { stores: { sql } }: ClaimServices,
  claim: WriteClaim,
  { size, total, parts, replaced }: AddedPart,
): Promise<boolean> {
  const { row, key, removeAfter } = claim;
  const [result] = await sql.rows<{ added: boolean }>`
    WITH upload AS (
      SELECT id, environment_id FROM file WHERE ${isUnchanged(row)} FOR NO KEY UPDATE
    ), kept AS (
      DELETE FROM file_removal USING upload
      WHERE prefix = ${key} AND file_removal.environment_id = upload.environment_id AND remove_after = ${removeAfter}
      RETURNING file_removal.environment_id
    ), added AS (
      UPDATE file SET parts = ${[...parts]}::text[], received_bytes = ${total}, sent_bytes = sent_bytes - ${claim.bytes - size}
      FROM kept WHERE file.id = ${row.id} AND file.environment_id = kept.environment_id
      RETURNING file.environment_id
    ), removed AS (
      INSERT INTO file_removal (prefix, environment_id, remove_after)
      SELECT prefix, environment_id, now() FROM added, unnest(${[...replaced]}::text[]) AS prefix
      ON CONFLICT DO NOTHING
    ), returned AS (${returnedBytes(claim, size, 'added')})
    SELECT EXISTS (SELECT FROM added) AS added`;
  return result?.added === true;
}

/** Ends a claim whose part has been deleted. `size`: bytes that the request has sent. */
export async function endClaim({ stores: { sql } }: ClaimServices, claim: WriteClaim, size: number): Promise<void> {
  const { row, key } = claim;
  await sql.execute`
    WITH ended AS (
      DELETE FROM file_removal WHERE prefix = ${key} AND environment_id = ${row.environmentId}::uuid
      RETURNING environment_id
    ), returned AS (${returnedBytes(claim, size, 'ended')})
    UPDATE file SET sent_bytes = greatest(0, sent_bytes - ${Math.max(0, claim.bytes - size)}) FROM ended
    WHERE file.id = ${row.id} AND file.environment_id = ended.environment_id`;
}

/** Takes bytes off the count of the address that the request did not send. */
function returnedBytes({ counter, bytes }: WriteClaim, size: number, from: 'added' | 'ended'): Prisma.Sql {
  const unsent = Math.floor(Math.max(0, bytes - size) / KIB);
  return Prisma.sql`
      UPDATE rate_limit SET points = greatest(0, points - ${unsent}) FROM ${Prisma.raw(from)}
      WHERE key = ${counter} AND ${unsent} > 0 AND expire > extract(epoch FROM now()) * 1000`;
}

function tooMuch(megabytes: number, seconds: number): ServiceError {
  const message = `The limit is ${formatCount(megabytes)} MiB of uploads in an hour from one IP address. Try again in ${seconds} s.`;
  return new ServiceError('rate_limited', message, { retryAfterMs: seconds * 1_000 });
}

export function changedMeanwhile(): ServiceError {
  const message = 'Another request sent bytes of this upload. Read its Upload-Offset with HEAD, and continue there.';
  return new ServiceError('request_in_progress', message);
}
