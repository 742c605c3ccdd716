import type { ContentPart, MessageContent } from '../../contract/content.ts';
import { type FieldPath, ServiceError } from '../../contract/errors.ts';
import { fileIdOfUri } from '../../contract/file-uri.ts';
import { Prisma } from '../../db/generated/client.ts';
import type { Context } from '../context.ts';
import { isFileInReach, withUses } from './reach.ts';

/** A message that the caller sends, and its conversation, if it has one already. */
export interface SentMessage {
  readonly content?: MessageContent | undefined;
  readonly conversationId?: string | null | undefined;
}

/** The IDs of the uploaded files in a message, each once. */
export function fileIdsOf(content: MessageContent): string[] {
  return [...new Set(content.flatMap((part) => fileIdOf(part) ?? []))];
}

/**
 * Requires that the caller can use each uploaded file of a message there. A file of another environment, of another
 * owner, of another conversation, and an unfinished upload are all unknown.
 * @throws {ServiceError} invalid_request, with the path of the part's URI
 */
export async function requireUsableFiles(
  ctx: Context,
  { content = [], conversationId }: SentMessage,
  { pathOf, code }: NameOfPart = IN_CONTENT,
): Promise<void> {
  const ids = fileIdsOf(content);
  if (ids.length === 0) return;
  const access = { action: 'send', conversationId } as const;
  const rows = await ctx.db.storedFile.findMany({
    where: { id: { in: ids }, status: 'ready' },
    include: withUses(ctx, access),
  });
  const usable = new Set(rows.filter((row) => isFileInReach(ctx, row, access)).map(({ id }) => id));
  for (const [index, part] of content.entries()) {
    const id = fileIdOf(part);
    if (id === undefined || usable.has(id)) continue;
    const message =
      '{param} names a file that does not exist here, or whose upload is not complete. Upload it, and send the new URI.';
    throw new ServiceError(code, message, { param: pathOf(index, part) });
  }
}

/** How an error names a part. */
interface NameOfPart {
  readonly code: 'invalid_request' | 'invalid_tool_result';
  pathOf(index: number, part: ContentPart): FieldPath;
}

/** The fields of a part in the input of a message. */
const IN_CONTENT: NameOfPart = {
  code: 'invalid_request',
  pathOf: (index, { type }) => ['content', index, type, 'fileUri'],
};

function fileIdOf(part: ContentPart): string | undefined {
  return part.type === 'text' || part.type === 'data' ? undefined : fileIdOfUri(part.fileUri);
}

/**
 * CTEs that record that a conversation or a trigger uses the files. `owner` is a CTE with one row if the message is
 * stored. A file that was deleted meanwhile is left out.
 */
export function recordUses(
  ctx: Context,
  fileIds: readonly string[],
  column: 'conversation_id' | 'trigger_id',
  owner: { readonly from: 'message' | 'moved' | 'recorded'; readonly id: Prisma.Sql },
): Prisma.Sql {
  if (fileIds.length === 0) return Prisma.empty;
  const from = Prisma.raw(owner.from);
  return Prisma.sql`, used_files AS (
      SELECT id, environment_id FROM file
      WHERE id = ANY (${[...fileIds]}::text[]) AND environment_id = ${ctx.environment.id}::uuid AND status = 'ready'
        AND EXISTS (SELECT FROM ${from})
      ORDER BY id FOR NO KEY UPDATE
    ), new_uses AS (
      INSERT INTO file_use (environment_id, file_id, ${Prisma.raw(column)})
      SELECT used_files.environment_id, used_files.id, ${owner.id} FROM used_files
      ON CONFLICT DO NOTHING
    ), first_uses AS (
      UPDATE file SET used_at = coalesce(file.used_at, ${ctx.now()}::timestamptz) FROM used_files
      WHERE file.id = used_files.id AND file.environment_id = used_files.environment_id
    )`;
}
