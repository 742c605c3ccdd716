import { ServiceError } from '../contract/errors.ts';
import { LIMITS } from '../contract/limits.ts';
import { CursorCodec } from './cursor.ts';
import { type Bound, type Keyset, type KeysetQuery, keysetQuery, positionOf } from './keyset.ts';
import { type KeysetSql, keysetSql } from './keyset-sql.ts';

/** Relay's paging arguments, as the client sent them. */
export interface PageArgs {
  readonly first?: number | null | undefined;
  readonly after?: string | null | undefined;
  readonly last?: number | null | undefined;
  readonly before?: string | null | undefined;
}

export interface KeysetPage<Row> {
  readonly edges: { readonly cursor: string; readonly node: Row }[];
  readonly pageInfo: {
    readonly startCursor: string | null;
    readonly endCursor: string | null;
    readonly hasNextPage: boolean;
    readonly hasPreviousPage: boolean;
  };
  /** The start of the following page, in the direction of this page. Null at the end of the list. */
  readonly nextCursor: string | null;
  /** Counts the whole list. The query runs only when this is called. */
  readonly totalCount: () => Promise<number>;
}

/** Reads the rows of a list. `find` adds the filter of the list to the query. */
export interface KeysetSource<Row> {
  readonly find: (query: KeysetQuery, sql: () => KeysetSql) => Promise<Row[]>;
  readonly count: () => Promise<number>;
}

/**
 * Reads one page of a list by keyset pagination. The cost does not grow with the depth of the page. Inserted or deleted rows
 * do not shift or repeat other rows. A cursor works only with the same list and the same `filters`.
 */
export async function keysetPage<Row extends object>(
  keyset: Keyset<Row>,
  args: PageArgs,
  binding: { readonly secret: string; readonly filters: readonly unknown[] },
  source: KeysetSource<Row>,
): Promise<KeysetPage<Row>> {
  const codec = new CursorCodec(binding.secret, [keyset.list, ...binding.filters]);
  const { size, backward } = pageSize(args);
  const isAscending = keyset.direction === 'asc';
  const bounds: Bound[] = [];
  if (args.after != null) {
    bounds.push({ values: codec.decode(args.after, 'after'), operator: isAscending ? 'gt' : 'lt' });
  }
  if (args.before != null) {
    bounds.push({ values: codec.decode(args.before, 'before'), operator: isAscending ? 'lt' : 'gt' });
  }
  const direction = backward === isAscending ? 'desc' : 'asc';
  // One more row than the page shows whether another page follows.
  const query = keysetQuery(keyset, bounds, direction, size + 1);
  const rows = await source.find(query, () => keysetSql(keyset, bounds, direction));
  const hasMore = rows.length > size;
  const page = backward ? rows.slice(0, size).reverse() : rows.slice(0, size);
  const encode = (node: Row) => codec.encode(positionOf(keyset, node));
  const cursorOf = (node: Row | undefined) => (node ? encode(node) : null);
  return {
    edges: page.map((node) => new Edge(node, encode)),
    pageInfo: {
      get startCursor() {
        return cursorOf(page[0]);
      },
      get endCursor() {
        return cursorOf(page.at(-1));
      },
      hasNextPage: backward ? args.before != null : hasMore,
      hasPreviousPage: backward ? hasMore : args.after != null,
    },
    get nextCursor() {
      return hasMore ? cursorOf(backward ? page[0] : page.at(-1)) : null;
    },
    totalCount: source.count,
  };
}

/** A row of a page. It encodes its cursor on demand, because that costs more than reading the row. */
class Edge<Row> {
  readonly node: Row;
  readonly #encode: (node: Row) => string;

  constructor(node: Row, encode: (node: Row) => string) {
    this.node = node;
    this.#encode = encode;
  }

  get cursor(): string {
    return this.#encode(this.node);
  }
}

function pageSize({ first, last }: PageArgs): { size: number; backward: boolean } {
  if (first != null && last != null) {
    throw new ServiceError('invalid_request', '{param} cannot be combined with first. Send one of them.', {
      param: ['last'],
    });
  }
  const backward = last != null;
  const size = last ?? first ?? LIMITS.defaultPageSize;
  if (size < 1 || size > LIMITS.pageSize) {
    throw new ServiceError('invalid_request', `{param} must be from 1 to ${LIMITS.pageSize}. You sent ${size}.`, {
      param: [backward ? 'last' : 'first'],
    });
  }
  return { size, backward };
}
