import type { DataPart, FilePart } from '../../contract/content.ts';
import { Prisma } from '../../db/generated/client.ts';
import type { Keyset } from '../../db/keyset.ts';
import { type KeysetPage, keysetPage, type PageArgs } from '../../db/keyset-page.ts';
import type { KeysetSql } from '../../db/keyset-sql.ts';
import type { Context } from '../context.ts';
import { loadInBatch } from '../related/batches.ts';

/** A file in a message: a part of its content. */
export interface ConversationFile {
  readonly messageId: bigint;
  /** The index of the part in the message. */
  readonly part: number;
  readonly conversationId: string;
  readonly content: FilePart | DataPart;
}

/** The files of a conversation, in the order of its messages. */
const FILES: Keyset<ConversationFile> = {
  list: 'files of a conversation',
  columns: [
    { field: 'messageId', type: 'bigint' },
    { field: 'part', type: 'int' },
  ],
  direction: 'asc',
};

/** The same text as in the partial index of messages with files. */
const HAS_FILE = Prisma.sql`content @? '$[*]?(@."type" != "text")'`;

/** Rows with the columns of `ConversationFile`. Only messages have content. */
function filesWhere({ environment }: Context, condition: Prisma.Sql): Prisma.Sql {
  return Prisma.sql`
    SELECT * FROM (
      SELECT item.id AS message_id, (part.at - 1)::int4 AS part, item.conversation_id, part.content
      FROM timeline_item AS item CROSS JOIN LATERAL jsonb_array_elements(item.content) WITH ORDINALITY AS part (content, at)
      WHERE ${condition} AND item.environment_id = ${environment.id}::uuid AND item.${HAS_FILE}
        AND part.content ->> 'type' <> 'text'
    ) AS file`;
}

const SELECTED = Prisma.raw(
  'file.message_id AS "messageId", file.part, file.conversation_id AS "conversationId", file.content',
);

/**
 * A page of the files in the messages of a conversation, oldest first. The first pages of several conversations are read
 * together. `field` identifies the field of the request.
 * @throws {ServiceError} invalid_request, invalid_cursor
 */
export function conversationFiles(
  ctx: Context,
  conversationId: string,
  args: PageArgs,
  field: string,
): Promise<KeysetPage<ConversationFile>> {
  const binding = { secret: ctx.services.settings.secretKey, filters: [ctx.environment.id, conversationId] };
  return keysetPage(FILES, args, binding, {
    find: ({ where, take }, sql) => {
      const find = (ids: readonly string[]) => filesOfEach(ctx, ids, sql(), take);
      if (where.AND.length > 0) return find([conversationId]).then(([files = []]) => files);
      return loadInBatch(ctx, `files ${field}`, conversationId, find);
    },
    count: () => loadInBatch(ctx, `count files ${field}`, conversationId, (ids) => countOfEach(ctx, ids)),
  });
}

/** The first files of each conversation between the bounds. */
async function filesOfEach(
  ctx: Context,
  ids: readonly string[],
  { bounds, order }: KeysetSql,
  take: number,
): Promise<ConversationFile[][]> {
  const rows = await ctx.sql.rows<ConversationFile>`
    SELECT ${SELECTED} FROM unnest(${[...new Set(ids)]}::uuid[]) AS parent (id)
    CROSS JOIN LATERAL (
      ${filesWhere(ctx, Prisma.sql`item.conversation_id = parent.id`)} WHERE ${bounds} ORDER BY ${order} LIMIT ${take}
    ) AS file
    ORDER BY ${order}`;
  return ids.map((id) => rows.filter(({ conversationId }) => conversationId === id));
}

async function countOfEach(ctx: Context, ids: readonly string[]): Promise<number[]> {
  const rows = await ctx.sql.rows<{ readonly id: string; readonly count: number }>`
    SELECT file.conversation_id AS id, count(*)::int AS count
    FROM (${filesWhere(ctx, Prisma.sql`item.conversation_id = ANY (${[...new Set(ids)]}::uuid[])`)}) AS file
    GROUP BY file.conversation_id`;
  const counts = new Map(rows.map(({ id, count }) => [id, count]));
  return ids.map((id) => counts.get(id) ?? 0);
}

/** The ID of a file: that of its message, and its index in the message. */
export function fileIdOf({ messageId, part }: Pick<ConversationFile, 'messageId' | 'part'>): string {
  return `${messageId}:${part}`;
}

/** Finds files by their IDs, in the order of the IDs. Null for an ID that no file has. */
export async function findFiles(ctx: Context, ids: readonly string[]): Promise<(ConversationFile | null)[]> {
  const messages = ids.flatMap((id) => /^(\d{1,18}):\d{1,9}$/.exec(id)?.[1] ?? []);
  if (messages.length === 0) return ids.map(() => null);
  const rows = await ctx.sql.rows<ConversationFile>`
    SELECT ${SELECTED} FROM (${filesWhere(ctx, Prisma.sql`item.id = ANY (${messages}::int8[])`)}) AS file`;
  const known = new Map(rows.map((row) => [fileIdOf(row), row]));
  return ids.map((id) => known.get(id) ?? null);
}
