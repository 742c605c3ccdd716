import { LIMITS } from '../../contract/limits.ts';
import { Prisma } from '../../db/generated/client.ts';
import type { Context, Services, SomeServices } from '../context.ts';
import { loadInBatch } from '../related/batches.ts';
import { requireBytes } from './content-faults.ts';
import { fileNotFound, type ReadyFile } from './file.ts';
import { isFileInReach, withUses } from './reach.ts';
import { type SignedFile, signFile } from './signed-url.ts';

const COLUMNS = Prisma.sql`file.id, file.environment_id AS "environmentId", file.name, file.mime_type AS "mimeType",
       file.size_bytes AS "sizeBytes", content.sha256, content.storage_key AS "storageKey",
       content.fault, file.created_at AS "createdAt"`;

/** Complete and checked files. */
const READY = Prisma.sql`file JOIN LATERAL (
    SELECT * FROM file_content WHERE id = file.content_id AND environment_id = file.environment_id OFFSET 0
  ) AS content ON file.status = 'ready'`;

/** Finds files of the environment by their IDs, in the order of the IDs. Null: it does not exist or is not complete. */
export async function findReadyFiles(ctx: Context, ids: readonly string[]): Promise<(ReadyFile | null)[]> {
  const rows = await ctx.sql.rows<ReadyFile>`
    SELECT ${COLUMNS} FROM ${READY}
    WHERE file.id = ANY (${[...new Set(ids)]}::text[]) AND file.environment_id = ${ctx.environment.id}::uuid`;
  const known = new Map(rows.map((row) => [row.id, row]));
  return ids.map((id) => known.get(id) ?? null);
}

/** The file of a part of a message. The caller can read the message, so it can read the file. */
export function fileOfPart(ctx: Context, id: string): Promise<ReadyFile | null> {
  return loadInBatch(ctx, 'files of parts', id, (ids) => findReadyFiles(ctx, ids));
}

/**
 * Finds a file for a caller. Callers that reach the whole environment: any file of it, or one that the conversation uses.
 * Others: a file that the conversation uses, or an own upload that nothing uses yet.
 * @throws {ServiceError} not_found, file_content_missing
 */
export async function findFile(
  ctx: Context,
  { fileId, conversationId }: { readonly fileId: string; readonly conversationId?: string | null | undefined },
): Promise<ReadyFile> {
  const access = { action: 'read', conversationId } as const;
  const [[file], row] = await Promise.all([
    findReadyFiles(ctx, [fileId]),
    ctx.db.storedFile.findFirst({ where: { id: fileId }, include: withUses(ctx, access) }),
  ]);
  if (!file || !row || !isFileInReach(ctx, row, access)) throw fileNotFound();
  await requireBytes(ctx.services, file);
  return file;
}

/** A URL that reads the bytes of a file without credentials, for some minutes. */
export function signedUrlOf(
  services: Services,
  file: Pick<ReadyFile, 'id' | 'environmentId'>,
  now: Date,
): { url: string; until: Date } {
  const until = new Date(now.getTime() + LIMITS.fileUrlMinutes * 60_000);
  const query = signFile(services, 'read', file, until);
  return { url: `${services.settings.publicUrl}/v1/files/${file.id}/content?${query}`, until };
}

/** A file for a reader with a signed URL. Undefined: it was deleted. */
export async function fileToServe(
  { stores: { sql } }: SomeServices<'sql'>,
  { id, environmentId }: SignedFile,
): Promise<ReadyFile | undefined> {
  const inEnvironment = environmentId ? Prisma.sql`AND file.environment_id = ${environmentId}::uuid` : Prisma.empty;
  const [file] = await sql.rows<ReadyFile>`
    SELECT ${COLUMNS} FROM ${READY} WHERE file.id = ${id} ${inEnvironment}`;
  return file;
}
