import { LIMITS } from '../../contract/limits.ts';
import type { Transaction } from '../../db/transaction.ts';

/** Longer than a request with bytes, or the check of a file, which may still write to the storage. */
export const WRITE_SECONDS = LIMITS.uploadSeconds * 2;

/** Lets the background task delete everything in the storage that starts with these prefixes. */
export async function scheduleRemoval(
  tx: Transaction,
  environmentId: string,
  prefixes: readonly string[],
  waitSeconds = WRITE_SECONDS,
): Promise<void> {
  if (prefixes.length === 0) return;
  await tx.$executeRaw`
    INSERT INTO file_removal (prefix, environment_id, remove_after)
    SELECT prefix, ${environmentId}::uuid, now() + make_interval(secs => ${waitSeconds})
    FROM unnest(${[...prefixes]}::text[]) AS prefix
    ON CONFLICT DO NOTHING`;
}

/**
 * Deletes those of the files that nothing uses, and the contents that no other file has. Their bytes follow in the
 * background: the removal is a row of the same transaction. The locks wait for statements that are about to use a file.
 */
export async function removeUnused(
  tx: Transaction,
  environmentId: string,
  fileIds: readonly string[],
): Promise<number> {
  if (fileIds.length === 0) return 0;
  const ids = [...fileIds];
  await tx.$queryRaw`
    SELECT 1 FROM file WHERE id = ANY (${ids}::text[]) AND environment_id = ${environmentId}::uuid
    ORDER BY id FOR UPDATE`;
  const deleted = await tx.$queryRaw<{ id: string; content_id: string | null }[]>`
    DELETE FROM file
    WHERE id = ANY (${ids}::text[]) AND environment_id = ${environmentId}::uuid
      AND NOT EXISTS (SELECT 1 FROM file_use
        WHERE file_use.file_id = file.id AND file_use.environment_id = file.environment_id OFFSET 0)
    RETURNING id, content_id`;
  const unfinished = deleted.filter(({ content_id }) => content_id === null).map(({ id }) => `${environmentId}/${id}`);
  await scheduleRemoval(tx, environmentId, unfinished);
  await removeContents(
    tx,
    environmentId,
    deleted.flatMap(({ content_id }) => content_id ?? []),
  );
  return deleted.length;
}

/** Deletes the contents without a file. Nobody can write their bytes any more, so they can be deleted at once. */
async function removeContents(tx: Transaction, environmentId: string, contentIds: readonly string[]): Promise<void> {
  if (contentIds.length === 0) return;
  const ids = [...new Set(contentIds)];
  await tx.$queryRaw`
    SELECT 1 FROM file_content WHERE id = ANY (${ids}::uuid[]) AND environment_id = ${environmentId}::uuid
    ORDER BY id FOR UPDATE`;
  await tx.$executeRaw`
    WITH deleted AS (
      DELETE FROM file_content
      WHERE id = ANY (${ids}::uuid[]) AND environment_id = ${environmentId}::uuid
        AND NOT EXISTS (SELECT 1 FROM file
          WHERE file.content_id = file_content.id AND file.environment_id = file_content.environment_id)
      RETURNING environment_id, regexp_replace(storage_key, '/[^/]*$', '') AS prefix
    )
    INSERT INTO file_removal (prefix, environment_id, remove_after)
    SELECT prefix, environment_id, now() FROM deleted
    ON CONFLICT (environment_id, prefix) DO UPDATE SET remove_after = excluded.remove_after`;
}

/**
 * Removes the conversations' uses of files, and the files that nothing else uses. Uploads for these conversations go with
 * them.
 */
export async function removeFilesOf(
  tx: Transaction,
  environmentId: string,
  owner: { readonly conversations?: readonly string[]; readonly triggers?: readonly string[] },
): Promise<void> {
  const conversations = [...(owner.conversations ?? [])];
  const triggers = [...(owner.triggers ?? [])];
  const rows = await tx.$queryRaw<{ id: string }[]>`
    WITH unused AS (
      DELETE FROM file_use
      WHERE environment_id = ${environmentId}::uuid
        AND (conversation_id = ANY (${conversations}::uuid[]) OR trigger_id = ANY (${triggers}::text[]))
      RETURNING file_id
    )
    SELECT file_id AS id FROM unused
    UNION SELECT id FROM file
    WHERE environment_id = ${environmentId}::uuid AND conversation_id = ANY (${conversations}::uuid[])`;
  await removeUnused(
    tx,
    environmentId,
    rows.map(({ id }) => id),
  );
}

/** Lets the uploads of an owner that nothing uses expire now. The background task deletes expired uploads. */
export async function expireUploads(tx: Transaction, environmentId: string, owner: string): Promise<void> {
  await tx.$executeRaw`
    UPDATE file SET expires_at = now()
    WHERE environment_id = ${environmentId}::uuid AND owner = ${owner} AND used_at IS NULL`;
}
