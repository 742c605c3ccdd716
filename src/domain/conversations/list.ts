import type { Conversation } from '../../db/generated/client.ts';
import type { Keyset, SortColumn } from '../../db/keyset.ts';
import { type KeysetPage, keysetPage, type PageArgs } from '../../db/keyset-page.ts';
import { keysetSql } from '../../db/keyset-sql.ts';
import type { Transaction } from '../../db/transaction.ts';
import type { Context } from '../context.ts';
import type { ConversationFilter, ConversationOrder } from './filter.ts';
import { countMatches, type Position, positions } from './positions.ts';
import { readRows } from './rows.ts';
import { parseSearch } from './search.ts';

/** By last activity, newest first. */
export const DEFAULT_ORDER: ConversationOrder = { field: 'updated_at', direction: 'desc' };

const TYPES: Readonly<Record<ConversationOrder['field'], SortColumn<Position>['type']>> = {
  created_at: 'date',
  updated_at: 'date',
  message_count: 'int',
  response_time_ms: 'int',
  cost: 'decimal',
  handling_since: 'date',
};

export function keysetOf({ field, direction }: ConversationOrder): Keyset<Position> {
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
  const parsed = await parseSearch(ctx, filter, requested);
  const binding = { secret: ctx.services.settings.secretKey, filters: [ctx.environment.id, parsed] };
  const search = { filter: parsed, order: requested, tx };
  const page = await keysetPage(keysetOf(requested), args, binding, {
    find: ({ take }, sql) => positions(ctx, search, sql(), { take }),
    count: () => countMatches(ctx, parsed),
  });
  const ids = page.edges.map(({ node }) => node.id);
  const rows = new Map((await readRows(ctx, ids, query, tx)).map((row) => [row.id, row]));
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
  const parsed = await parseSearch(ctx, filter, requested);
  const search = { filter: parsed, order: requested, isReport: true };
  const sql = keysetSql(keysetOf(requested), [], requested.direction);
  return idsOf(await positions(ctx, search, sql, { take: limit }));
}

/** Reads conversations by ID, in this order. Deleted ones are left out. */
export async function orderedRows(ctx: Context, ids: readonly string[], query: object): Promise<Conversation[]> {
  const rows = new Map((await readRows(ctx, ids, query)).map((row) => [row.id, row]));
  return ids.flatMap((id) => rows.get(id) ?? []);
}

export const idsOf = (found: readonly Pick<Position, 'id'>[]): string[] => found.map(({ id }) => id);
