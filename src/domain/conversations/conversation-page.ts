import { CursorCodec } from '../../db/cursor.ts';
import type { Conversation } from '../../db/generated/client.ts';
import { positionOf } from '../../db/keyset.ts';
import { keysetSql } from '../../db/keyset-sql.ts';
import type { Context } from '../context.ts';
import { isAfter } from '../events/order.ts';
import { type LogPosition, positionOfSnapshot } from '../events/position.ts';
import { type NumberedPage, numberedPage, type PageNumber, pageOf, rangeOfPage } from '../page.ts';
import { conditionsOf } from './conditions.ts';
import type { ConversationFilter, ParsedFilter } from './filter.ts';
import { DEFAULT_ORDER, idsOf, keysetOf, orderedRows } from './list.ts';
import { countMatches, positionIds, positions, storedCount } from './positions.ts';
import { readOrdered } from './rows.ts';
import { parseSearch, runSearch } from './search.ts';

const KEYSET = keysetOf(DEFAULT_ORDER);

/** A page of the list by page number. */
export interface ConversationPage extends NumberedPage<Conversation> {
  /** For the next page, which continues after this one. Null on the last page. */
  readonly asOf: string | null;
}

/** Where a list by page number continues. */
interface Place {
  /** The snapshot of the first page. The conversations that changed since come again at the end, from this position on. */
  readonly changes: LogPosition;
  /** The last conversation of the page before: its activity and its ID. Null after the end of the list. */
  readonly last: readonly [updatedAt: string, id: string] | null;
}

/**
 * A page of the list by page number. Without `asOf`, its place is an offset, which moves when a conversation of an earlier
 * page is deleted, and a conversation with new activity moves to the first page, unread. With the `asOf` of the page before,
 * the page continues after that one, and conversations that changed since the first page follow at the end, so a reader gets
 * each conversation at least once.
 * @throws {ServiceError} invalid_request; invalid_cursor if `asOf` belongs to another list
 */
export async function conversationPage(
  ctx: Context,
  { asOf, ...page }: PageNumber & { readonly asOf?: string | null | undefined },
  filter: ConversationFilter,
  query: object,
): Promise<ConversationPage> {
  const parsed = await parseSearch(ctx, filter);
  const codec = placeCodec(ctx, parsed);
  if (asOf == null) return pageByOffset(ctx, page, parsed, query, codec);
  const place = codec.decode(asOf);
  // Checks the numbers. The place replaces the offset.
  rangeOfPage(page);
  const [total, found] = await Promise.all([countMatches(ctx, parsed), idsFrom(ctx, parsed, place, page.pageSize + 1)]);
  const shown = found.slice(0, page.pageSize);
  const next = found.length > shown.length ? shown.at(-1)?.after : undefined;
  const items = await orderedRows(ctx, idsOf(shown), query);
  return { ...page, items, total, hasMore: next !== undefined, asOf: next ? codec.encode(next) : null };
}

async function pageByOffset(
  ctx: Context,
  page: PageNumber,
  parsed: ParsedFilter,
  query: object,
  codec: PlaceCodec,
): Promise<ConversationPage> {
  const sql = keysetSql(KEYSET, [], DEFAULT_ORDER.direction);
  const range = rangeOfPage(page);
  const ids = positionIds(ctx, { filter: parsed }, sql, range);
  const total = storedCount(ctx, parsed);
  const rows = ids && (await readOrdered(ctx, { ids, order: sql.order, total }, query));
  const [first] = rows ?? [];
  let snapshot = first?.snapshot;
  const read =
    rows && first?.total != null
      ? pageOf(page, rows, first.total)
      : await numberedPage(page, {
          count: () => countMatches(ctx, parsed),
          async find() {
            if (rows) return rows;
            const found = await positions(ctx, { filter: parsed }, sql, range);
            snapshot = found[0]?.snapshot;
            return orderedRows(ctx, idsOf(found), query);
          },
        });
  const last = read.items.at(-1);
  const asOf =
    read.hasMore && last && snapshot
      ? codec.encode({ changes: positionOfSnapshot(snapshot), last: [last.updatedAt.toISOString(), last.id] })
      : null;
  return { ...read, asOf };
}

interface Found {
  readonly id: string;
  /** The place after this conversation. */
  readonly after: Place;
}

/** The next conversations: those of the list, then those that changed since the first page. */
async function idsFrom(ctx: Context, filter: ParsedFilter, { changes, last }: Place, take: number): Promise<Found[]> {
  const listed = last ? await listedAfter(ctx, filter, { changes, last }, take) : [];
  return listed.length === take
    ? listed
    : [...listed, ...(await changedSince(ctx, filter, changes, take - listed.length))];
}

async function listedAfter(
  ctx: Context,
  filter: ParsedFilter,
  { changes, last }: Place & { readonly last: readonly [string, string] },
  take: number,
): Promise<Found[]> {
  const sql = keysetSql(KEYSET, [{ values: last, operator: 'lt' }], DEFAULT_ORDER.direction);
  const rows = await positions(ctx, { filter }, sql, { take });
  return rows.map((row) => {
    const [updatedAt = '', id = ''] = positionOf(KEYSET, row);
    return { id, after: { changes, last: [updatedAt, id] } };
  });
}

/** Reads by transaction, so that a conversation that changes again comes again. */
async function changedSince(ctx: Context, filter: ParsedFilter, from: LogPosition, take: number): Promise<Found[]> {
  const rows = await runSearch(
    ctx,
    { filter },
    (sql) => sql.rows<{ id: string; xid: string }>`
      SELECT c.id, c.xid::text AS xid FROM conversation c
      WHERE ${conditionsOf(ctx.environment, filter)} AND ${isAfter(from, 'uuid')}
      ORDER BY c.xid, c.id LIMIT ${take}`,
  );
  return rows.map(({ id, xid }) => ({
    id,
    after: { changes: { ...from, xid: BigInt(xid), id }, last: null },
  }));
}

interface PlaceCodec {
  encode(place: Place): string;
  /** @throws {ServiceError} invalid_cursor */
  decode(asOf: string): Place;
}

function placeCodec({ services, environment }: Context, filter: ParsedFilter): PlaceCodec {
  const codec = new CursorCodec(services.settings.secretKey, ['conversations by page', environment.id, filter]);
  return {
    encode: ({ changes: { xid, id, snapshot }, last }) =>
      codec.encode([String(xid), id, snapshot ?? '', ...(last ?? [])]),
    decode(asOf) {
      const [xid = '0', id = '', snapshot = '', updatedAt, lastId] = codec.decode(asOf, 'asOf');
      const last = updatedAt !== undefined && lastId !== undefined ? ([updatedAt, lastId] as const) : null;
      return { changes: { xid: BigInt(xid), id, snapshot: snapshot || null }, last };
    },
  };
}
