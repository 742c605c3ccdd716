import { type Conversation, Prisma } from '../../db/generated/client.ts';
import type { Keyset, SortColumn } from '../../db/keyset.ts';
import { type KeysetPage, keysetPage, type PageArgs } from '../../db/keyset-page.ts';
import { type KeysetSql, keysetSql } from '../../db/keyset-sql.ts';
import type { Transaction } from '../../db/transaction.ts';
import type { Context } from '../context.ts';
import { type NumberedPage, numberedPage, type PageNumber } from '../page.ts';
import { conditionsOf } from './conditions.ts';
import { type ConversationFilter, type ConversationOrder, type ParsedFilter, parseFilter, readsLog } from './filter.ts';
import { runSearch, type SearchOf } from './search.ts';
import { usageConditions, withUsage } from './usage.ts';

/** By last activity, newest first (WIRE 5). */
const DEFAULT_ORDER: ConversationOrder = { field: 'updated_at', direction: 'desc' };

/** A row of the list: its ID and the values that can sort it. Those that the statement does not need are missing. */
type Position = { readonly id: string } & Readonly<Partial<Record<ConversationOrder['field'], unknown>>>;

const TYPES: Readonly<Record<ConversationOrder['field'], SortColumn<Position>['type']>> = {
  created_at: 'date',
  updated_at: 'date',
  message_count: 'int',
  response_time_ms: 'int',
  cost: 'decimal',
};

function keysetOf({ field, direction }: ConversationOrder): Keyset<Position> {
  const isDefault = field === DEFAULT_ORDER.field && direction === DEFAULT_ORDER.direction;
  return {
    list: isDefault ? 'conversations' : `conversations ${field} ${direction}`,
    columns: [
      { field, type: TYPES[field] },
      { field: 'id', type: 'uuid' },
    ],
    direction,
  };
}

/**
 * A keyset page of the environment's conversations, with the fields that `query` selects.
 * @throws {ServiceError} invalid_request, invalid_cursor; forbidden as `parseFilter`
 */
export async function listConversations(
  ctx: Context,
  args: PageArgs,
  filter: ConversationFilter,
  {
    query,
    order,
    tx,
  }: {
    readonly query: object;
    readonly order?: ConversationOrder | null | undefined;
    readonly tx?: Transaction | undefined;
  },
): Promise<KeysetPage<Conversation>> {
  const requested = order ?? DEFAULT_ORDER;
  const parsed = parseFilter(ctx, filter, requested);
  const binding = { secret: ctx.services.secretKey, filters: [ctx.environment.id, parsed] };
  const search = { filter: parsed, order: requested, tx };
  const page = await keysetPage(keysetOf(requested), args, binding, {
    find: ({ take }, sql) => positions(ctx, search, sql(), Prisma.sql`LIMIT ${take}`),
    count: () => countMatches(ctx, parsed),
  });
  const ids = page.edges.map(({ node }) => node.id);
  const rows = new Map((await readRows(tx ?? ctx.db, ids, query)).map((row) => [row.id, row]));
  // A conversation that was deleted in the meantime is left out.
  const edges = page.edges.flatMap((edge) => {
    const node = rows.get(edge.node.id);
    return node ? [new ListEdge(node, edge)] : [];
  });
  return { ...page, edges };
}

/** It encodes its cursor on demand, like an edge of any page. */
class ListEdge {
  readonly node: Conversation;
  readonly #edge: { readonly cursor: string };

  constructor(node: Conversation, edge: { readonly cursor: string }) {
    this.node = node;
    this.#edge = edge;
  }

  get cursor(): string {
    return this.#edge.cursor;
  }
}

/** The same list by page number (SPEC 4.6). */
export function conversationPage(
  ctx: Context,
  page: PageNumber,
  filter: ConversationFilter,
  query: object,
): Promise<NumberedPage<Conversation>> {
  const parsed = parseFilter(ctx, filter);
  const sql = keysetSql(keysetOf(DEFAULT_ORDER), [], DEFAULT_ORDER.direction);
  return numberedPage(page, {
    count: () => countMatches(ctx, parsed),
    find: async ({ skip, take }) => {
      const range = Prisma.sql`LIMIT ${take} OFFSET ${skip}`;
      const found = await positions(ctx, { filter: parsed }, sql, range);
      return orderedRows(ctx, idsOf(found), query);
    },
  });
}

/**
 * The IDs of the first `limit` conversations of the list.
 * @throws {ServiceError} as `listConversations`
 */
export async function firstConversations(
  ctx: Context,
  filter: ConversationFilter,
  order: ConversationOrder | null | undefined,
  limit: number,
): Promise<string[]> {
  const requested = order ?? DEFAULT_ORDER;
  const parsed = parseFilter(ctx, filter, requested);
  const search = { filter: parsed, order: requested, isReport: true };
  const sql = keysetSql(keysetOf(requested), [], requested.direction);
  return idsOf(await positions(ctx, search, sql, Prisma.sql`LIMIT ${limit}`));
}

/** Reads conversations by ID, in this order. Deleted ones are left out. */
export async function orderedRows(ctx: Context, ids: readonly string[], query: object): Promise<Conversation[]> {
  const rows = new Map((await readRows(ctx.db, ids, query)).map((row) => [row.id, row]));
  return ids.flatMap((id) => rows.get(id) ?? []);
}

const idsOf = (found: readonly Position[]): string[] => found.map(({ id }) => id);

async function readRows(db: Transaction, ids: readonly string[], query: object): Promise<Conversation[]> {
  return ids.length === 0 ? [] : db.conversation.findMany({ ...query, where: { id: { in: [...ids] } } });
}

function positions(
  ctx: Context,
  search: SearchOf,
  { bounds, order }: KeysetSql,
  range: Prisma.Sql,
): Promise<Position[]> {
  const { filter } = search;
  const stored = Prisma.sql`id, created_at, updated_at, message_count`;
  if (!readsLog(filter, search.order)) {
    return runSearch(
      ctx,
      search,
      (sql) => sql.rows<Position>`
      SELECT ${stored} FROM conversation c WHERE ${conditionsOf(ctx.environment, filter)} AND ${bounds}
      ORDER BY ${order} ${range}`,
    );
  }
  // An unknown value is less than any other, so it needs no NULL in the bounds of a page.
  return runSearch(
    ctx,
    search,
    (sql) => sql.rows<Position>`
    ${withUsage(ctx, filter)}
    SELECT ${stored}, response_time_ms, cost
    FROM (
      SELECT c.*, coalesce(u.response_time_ms, -1) AS response_time_ms, coalesce(u.cost, -1) AS cost
      FROM c LEFT JOIN u ON u.conversation_id = c.id WHERE ${usageConditions(filter)}
    ) AS listed
    WHERE ${bounds} ORDER BY ${order} ${range}`,
  );
}

async function countMatches(ctx: Context, filter: ParsedFilter): Promise<number> {
  const search = { filter };
  const [row] = readsLog(filter)
    ? await runSearch(
        ctx,
        search,
        (sql) => sql.rows<{ total: number }>`
        ${withUsage(ctx, filter)}
        SELECT count(*)::int4 AS total FROM c LEFT JOIN u ON u.conversation_id = c.id WHERE ${usageConditions(filter)}`,
      )
    : await runSearch(
        ctx,
        search,
        (sql) => sql.rows<{ total: number }>`
        SELECT count(*)::int4 AS total FROM conversation c WHERE ${conditionsOf(ctx.environment, filter)}`,
      );
  return row?.total ?? 0;
}
