import type { MessageRole } from '../../../contract/statuses.ts';
import { Prisma } from '../../../db/generated/client.ts';
import type { Context } from '../../context.ts';
import { hasMessageWords } from '../conditions.ts';
import { parseFilter } from '../filter.ts';
import { runSearch } from '../search.ts';
import { type ExcerptPart, excerptOf, matcherOf } from './excerpt-text.ts';

/** Characters of a message that an excerpt is chosen from, from its start. */
export const EXCERPTED_LENGTH = 10_000;

/** A short part of one message of a conversation. */
export interface Excerpt {
  readonly itemId: bigint;
  readonly role: MessageRole;
  readonly parts: readonly ExcerptPart[];
}

interface Row {
  readonly conversationId: string;
  readonly itemId: bigint;
  readonly role: MessageRole;
  readonly text: string | null;
}

/** The text parts of a message, from the start. */
const TEXT = Prisma.sql`left((
  SELECT string_agg(part #>> '{}', ' ') FROM jsonb_path_query(content, '$[*] ? (@.type == "text").text') AS part
), ${EXCERPTED_LENGTH}::int4)`;

const COLUMNS = Prisma.sql`conversation_id AS "conversationId", id AS "itemId", role, ${TEXT} AS text`;

/**
 * For each of these conversations an excerpt of the newest message that has the words. If only the name has them, and without
 * words, an excerpt of the newest message. Null if that message has no text.
 * @throws {ServiceError} as `parseFilter` and `runSearch`
 */
export async function excerptsOf(
  ctx: Context,
  ids: readonly string[],
  search?: string | null,
): Promise<(Excerpt | null)[]> {
  const text = search == null ? undefined : (parseFilter(ctx, { text: search }).text ?? undefined);
  const found = text === undefined ? [] : await matchesIn(ctx, ids, text);
  const known = new Set(found.map(({ conversationId }) => conversationId));
  const others = ids.filter((id) => !known.has(id));
  const rows = [...found, ...(others.length > 0 ? await newestOf(ctx, others) : [])];
  const isMatch = text === undefined ? () => false : matcherOf(text);
  const excerpts = new Map(rows.map((row) => [row.conversationId, excerptOfRow(row, isMatch)]));
  return ids.map((id) => excerpts.get(id) ?? null);
}

function excerptOfRow({ itemId, role, text }: Row, isMatch: (word: string) => boolean): Excerpt | null {
  const parts = excerptOf(text ?? '', isMatch);
  return parts.length > 0 ? { itemId, role, parts } : null;
}

function matchesIn(ctx: Context, ids: readonly string[], text: string): Promise<Row[]> {
  return runSearch(
    ctx,
    { filter: { text } },
    (sql) => sql.rows<Row>`
      SELECT DISTINCT ON (conversation_id) ${COLUMNS} FROM timeline_item
      WHERE ${hasMessageWords(ctx.environment, text)} AND conversation_id = ANY (${[...ids]}::uuid[])
      ORDER BY conversation_id, id DESC`,
  );
}

function newestOf({ environment, sql }: Context, ids: readonly string[]): Promise<Row[]> {
  return sql.rows<Row>`
    SELECT newest.* FROM unnest(${[...ids]}::uuid[]) AS listed (conversation) CROSS JOIN LATERAL (
      SELECT ${COLUMNS} FROM timeline_item
      WHERE environment_id = ${environment.id}::uuid AND conversation_id = listed.conversation
        AND kind = 'message' AND superseded_by IS NULL
      ORDER BY id DESC LIMIT 1
    ) AS newest`;
}
