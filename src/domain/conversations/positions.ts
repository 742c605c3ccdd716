import { Prisma } from '../../db/generated/client.ts';
import type { KeysetSql } from '../../db/keyset-sql.ts';
import type { Sql } from '../../db/sql.ts';
import { conversationInReach } from '../access/reach.ts';
import type { Context } from '../context.ts';
import { logSnapshot } from '../events/order.ts';
import { conditionsOf, messagesWith, nameWith, needsGin } from './conditions.ts';
import { type ConversationOrder, type ParsedFilter, readsCost } from './filter.ts';
import { isCostly, runSearch, type SearchOf } from './search.ts';
import { costCondition, withCost } from './usage.ts';

/**
 * A row of the list: its ID and the values that can sort it. The cost is missing if the list does not need it. `snapshot` is
 * that of the statement.
 */
export type Position = { readonly id: string; readonly snapshot: string } & Readonly<
  Partial<Record<ConversationOrder['field'], unknown>>
>;

interface Slice {
  readonly skip?: number;
  readonly take: number;
}

/** The positions of the conversations between the bounds, in order. @throws {ServiceError} as `runSearch` */
export function positions(ctx: Context, search: SearchOf, keyset: KeysetSql, slice: Slice): Promise<Position[]> {
  const { filter, isReport = false } = search;
  const { text } = filter;
  const { skip = 0, take } = slice;
  return runSearch(ctx, search, async (sql) => {
    const near =
      text && !isReport && skip === 0 && hasIndex(search)
        ? await nearMatches(ctx, search, { sql, keyset, take, text })
        : undefined;
    if (near) return near;
    return sql.rows<Position>`
      SELECT ${columns(ctx, search)} FROM ${listed(ctx, search, filter)} WHERE ${keyset.bounds}
      ORDER BY ${keyset.order} ${rangeOf(slice)}`;
  });
}

/**
 * The IDs of the same positions as a subquery, for a statement that reads the rows too. Undefined if the list needs more than
 * one statement, a time limit or a GIN index.
 */
export function positionIds(ctx: Context, search: SearchOf, keyset: KeysetSql, slice: Slice): Prisma.Sql | undefined {
  const { filter } = search;
  if (needsGin(filter) || isCostly(filter, search.order)) return undefined;
  return Prisma.sql`SELECT id FROM ${listed(ctx, search, filter)} WHERE ${keyset.bounds} ORDER BY ${keyset.order} ${rangeOf(slice)}`;
}

function rangeOf({ skip = 0, take }: Slice): Prisma.Sql {
  return skip > 0 ? Prisma.sql`LIMIT ${take} OFFSET ${skip}` : Prisma.sql`LIMIT ${take}`;
}

/** Whether an index has the order of the list, so that its first conversations are found without reading all. */
function hasIndex({ filter, order }: SearchOf): boolean {
  const field = order?.field ?? 'updated_at';
  return (field === 'updated_at' || field === 'created_at') && !readsCost(filter);
}

/** A frequent text has a match among so many conversations. */
const CONVERSATIONS_PER_MATCH = 25;

interface NearSearch {
  readonly sql: Sql;
  readonly keyset: KeysetSql;
  readonly take: number;
  readonly text: string;
}

/**
 * Searches the text in the first conversations of the list only. It takes the same time for any text, while a search of all
 * conversations reads every match before it sorts them. Returns undefined if there can be more matches.
 */
async function nearMatches(
  ctx: Context,
  search: SearchOf,
  { sql, keyset: { bounds, order }, take, text }: NearSearch,
): Promise<Position[] | undefined> {
  const { text: _, ...others } = search.filter;
  const most = take * CONVERSATIONS_PER_MATCH;
  const rows = await sql.rows<Partial<Position> & { searched: number }>`
    WITH near AS MATERIALIZED (
      SELECT * FROM ${listed(ctx, search, others)} WHERE ${bounds} ORDER BY ${order} LIMIT ${most}
    )
    SELECT ${columns(ctx, search)}, searched
    FROM (SELECT count(*)::int4 AS searched FROM near) AS size LEFT JOIN (
      SELECT * FROM near
      WHERE ${nameWith(text)} OR id IN (
        ${messagesWith(ctx.environment, text)} AND conversation_id = ANY (ARRAY(SELECT id FROM near)))
      ORDER BY ${order} LIMIT ${take}
    ) AS found ON true
    ORDER BY ${order}`;
  const matches = rows.filter((row): row is Position & { searched: number } => row.id !== null);
  return matches.length === take || (rows[0]?.searched ?? 0) < most ? matches : undefined;
}

/** The number of conversations that match. @throws {ServiceError} as `runSearch` */
export async function countMatches(ctx: Context, filter: ParsedFilter): Promise<number> {
  const stored = storedCount(ctx, filter);
  if (stored) return (await ctx.sql.read<{ total: number }>`SELECT ${stored} AS total`)[0]?.total ?? 0;
  const search = { filter };
  const [row] = await runSearch(
    ctx,
    search,
    (sql) => sql.rows<{ total: number }>`SELECT count(*)::int4 AS total FROM ${listed(ctx, search, filter)}`,
  );
  return row?.total ?? 0;
}

/**
 * Those of these conversations that match. The words of a text are searched only in them.
 * @throws {ServiceError} as `runSearch`
 */
export async function matchesAmong(
  ctx: Context,
  filter: ParsedFilter,
  ids: readonly string[],
): Promise<ReadonlySet<string>> {
  const { text, ...others } = filter;
  const search = { filter };
  const among = Prisma.sql`ANY (${[...ids]}::uuid[])`;
  const words = text
    ? Prisma.sql` AND (${nameWith(text)} OR id IN (
        ${messagesWith(ctx.environment, text)} AND conversation_id = ${among}))`
    : Prisma.empty;
  const rows = await runSearch(
    ctx,
    search,
    (sql) => sql.rows<{ id: string }>`SELECT id FROM ${listed(ctx, search, others)} WHERE id = ${among}${words}`,
  );
  return new Set(rows.map(({ id }) => id));
}

/**
 * The sum that triggers maintain, as an expression. Undefined if the filter has further conditions. Counting 100,000
 * conversations takes 20 ms.
 */
export function storedCount(
  { environment }: Context,
  { deploymentId, reach, ...others }: ParsedFilter,
): Prisma.Sql | undefined {
  // The counts are by deployment, not by end user.
  if (Object.keys(others).length > 0 || reach?.endUser !== undefined) return undefined;
  const ofDeployment = deploymentId ? Prisma.sql` AND c.deployment_id = ${deploymentId}::uuid` : Prisma.empty;
  const inReach = reach ? Prisma.sql` AND ${conversationInReach(reach)}` : Prisma.empty;
  return Prisma.sql`(
    SELECT coalesce(sum(c.amount), 0)::int4 FROM conversation_count c
    WHERE c.environment_id = ${environment.id}::uuid${ofDeployment}${inReach})`;
}

function columns({ environment }: Context, { filter, order }: SearchOf): Prisma.Sql {
  const cost = readsCost(filter, order) ? Prisma.sql`, cost` : Prisma.empty;
  return Prisma.sql`id, created_at, updated_at, message_count, response_time_ms, handling_since${cost}, ${logSnapshot(environment, 'conversation')} AS snapshot`;
}

/**
 * The conversations that match the filter. An unknown value is less than any other, so it needs no NULL in the bounds of a
 * page.
 */
function listed({ environment }: Context, search: SearchOf, filter: ParsedFilter): Prisma.Sql {
  const stored = Prisma.sql`c.id, c.name, c.created_at, c.updated_at, c.message_count, c.handling_since,
        coalesce(c.response_time_ms, -1) AS response_time_ms`;
  const conditions = conditionsOf(environment, filter);
  return readsCost(search.filter, search.order)
    ? Prisma.sql`(
      SELECT ${stored}, coalesce(u.cost, -1) AS cost
      FROM ${withCost(environment)} WHERE ${conditions} AND ${costCondition(filter)}
    ) AS listed`
    : Prisma.sql`(SELECT ${stored} FROM conversation c WHERE ${conditions}) AS listed`;
}
