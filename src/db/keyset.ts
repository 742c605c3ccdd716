import { ServiceError } from '../contract/errors.ts';
import { LIMITS } from '../contract/limits.ts';
import { CursorCodec, type CursorValues } from './cursor.ts';
import { type KeysetSql, keysetSql } from './keyset-sql.ts';

/** A column that a list is sorted by, and how its value travels in a cursor. */
export interface SortColumn<Row> {
  readonly field: keyof Row & string;
  readonly type: 'date' | 'bigint' | 'int' | 'string';
}

/** How one list is ordered. The last column is unique, so the order is total. */
export interface Keyset<Row> {
  /** Names the list in its cursors. */
  readonly list: string;
  readonly columns: readonly SortColumn<Row>[];
  readonly direction: 'asc' | 'desc';
}

/** The order of most lists: newest first (WIRE 5), by the moment that says what is new. */
export function newestFirst<Row extends { readonly id: string | bigint }>(
  list: string,
  by: keyof Row & string,
  idType: 'string' | 'bigint' = 'string',
): Keyset<Row> {
  const columns = [
    { field: by, type: 'date' },
    { field: 'id', type: idType },
  ] as const;
  return { list, columns, direction: 'desc' };
}

/** Relay's paging arguments, as a caller sent them. */
export interface PageArgs {
  readonly first?: number | null | undefined;
  readonly after?: string | null | undefined;
  readonly last?: number | null | undefined;
  readonly before?: string | null | undefined;
}

/** What to ask the database for, in words of a Prisma `findMany`. */
export interface KeysetQuery {
  readonly where: { readonly AND: object[] };
  readonly orderBy: object[];
  readonly take: number;
}

export interface KeysetPage<Row> {
  readonly edges: { readonly cursor: string; readonly node: Row }[];
  readonly pageInfo: {
    readonly startCursor: string | null;
    readonly endCursor: string | null;
    readonly hasNextPage: boolean;
    readonly hasPreviousPage: boolean;
  };
  /** Where the following page starts, in the direction of this one; null at the list's end. */
  readonly nextCursor: string | null;
  /** Counts the whole list; costs nothing until it is called. */
  readonly totalCount: () => Promise<number>;
}

/** How rows are read: `find` adds the list's own filter to the query. */
export interface KeysetSource<Row> {
  readonly find: (query: KeysetQuery, sql: () => KeysetSql) => Promise<Row[]>;
  readonly count: () => Promise<number>;
}

/**
 * One page of a list by keyset: the cost does not grow with the page's depth, and rows that come or go elsewhere
 * neither shift nor repeat. `filters` are what the cursors are bound to beside the list and the environment.
 */
export async function keysetPage<Row extends object>(
  keyset: Keyset<Row>,
  args: PageArgs,
  binding: { readonly secret: string; readonly filters: readonly unknown[] },
  source: KeysetSource<Row>,
): Promise<KeysetPage<Row>> {
  const codec = new CursorCodec(binding.secret, [keyset.list, ...binding.filters]);
  const { size, backward } = pageSize(args);
  const ahead = keyset.direction === 'asc' ? 'gt' : 'lt';
  const behind = ahead === 'gt' ? 'lt' : 'gt';
  const bounds: Bound[] = [
    ...(args.after != null ? [{ values: codec.decode(args.after, 'after'), operator: ahead } as const] : []),
    ...(args.before != null ? [{ values: codec.decode(args.before, 'before'), operator: behind } as const] : []),
  ];
  const direction = backward === (keyset.direction === 'asc') ? 'desc' : 'asc';
  const query = {
    where: { AND: bounds.map((bound) => seek(keyset, bound)) },
    orderBy: keyset.columns.map(({ field }) => ({ [field]: direction })),
    take: size + 1,
  };
  const rows = await source.find(query, () => keysetSql(keyset, bounds, direction));
  const more = rows.length > size;
  const kept = backward ? rows.slice(0, size).reverse() : rows.slice(0, size);
  const seal = (node: Row) => codec.encode(valuesOf(keyset, node));
  const cursorOf = (node: Row | undefined) => (node ? seal(node) : null);
  return {
    edges: kept.map((node) => new Edge(node, seal)),
    pageInfo: {
      get startCursor() {
        return cursorOf(kept[0]);
      },
      get endCursor() {
        return cursorOf(kept.at(-1));
      },
      hasNextPage: backward ? args.before != null : more,
      hasPreviousPage: backward ? more : args.after != null,
    },
    get nextCursor() {
      return more ? cursorOf(backward ? kept[0] : kept.at(-1)) : null;
    },
    totalCount: source.count,
  };
}

/** A row of a page. Sealing costs more than reading it, so a cursor that nobody asks for is not sealed. */
class Edge<Row> {
  readonly node: Row;
  readonly #seal: (node: Row) => string;

  constructor(node: Row, seal: (node: Row) => string) {
    this.node = node;
    this.#seal = seal;
  }

  get cursor(): string {
    return this.#seal(this.node);
  }
}

/**
 * Every row of a list in its order, read by pages of `size` as they are asked for: never more than one page is held, and
 * no transaction is open between them.
 */
export async function* everyRow<Row extends object>(
  keyset: Keyset<Row>,
  size: number,
  find: (query: KeysetQuery) => Promise<Row[]>,
): AsyncGenerator<Row, undefined> {
  const ahead = keyset.direction === 'asc' ? 'gt' : 'lt';
  const orderBy = keyset.columns.map(({ field }) => ({ [field]: keyset.direction }));
  let last: Row | undefined;
  do {
    const bounds: object[] = last ? [seek(keyset, { values: valuesOf(keyset, last), operator: ahead })] : [];
    const rows: Row[] = await find({ where: { AND: bounds }, orderBy, take: size });
    yield* rows;
    last = rows.length < size ? undefined : rows.at(-1);
  } while (last);
}

function pageSize({ first, last }: PageArgs): { size: number; backward: boolean } {
  if (first != null && last != null) {
    throw new ServiceError('invalid_request', '{param} cannot stand beside first. Send one of them.', {
      param: ['last'],
    });
  }
  const backward = last != null;
  const size = last ?? first ?? LIMITS.defaultPageSize;
  if (size < 1 || size > LIMITS.pageSize) {
    throw new ServiceError('invalid_request', `{param} must be from 1 to ${LIMITS.pageSize}.`, {
      param: [backward ? 'last' : 'first'],
    });
  }
  return { size, backward };
}

/** A position in the list, and on which side of it rows are looked for. */
export interface Bound {
  readonly values: CursorValues;
  readonly operator: 'gt' | 'lt';
}

/** Rows strictly past a position. The bound on the first column lets an index start there. */
function seek<Row>({ columns }: Keyset<Row>, { values, operator }: Bound): object {
  const [first, ...rest] = columns.map(({ field, type }, index) => ({
    field,
    value: parse(type, values[index] ?? ''),
  }));
  if (!first) return {};
  const [tie] = rest;
  if (!tie) return { [first.field]: { [operator]: first.value } };
  return {
    [first.field]: { [`${operator}e`]: first.value },
    OR: [{ [first.field]: { [operator]: first.value } }, { [tie.field]: { [operator]: tie.value } }],
  };
}

function parse(type: SortColumn<never>['type'], text: string): Date | bigint | number | string {
  if (type === 'date') return new Date(text);
  if (type === 'int') return Number(text);
  return type === 'bigint' ? BigInt(text) : text;
}

function valuesOf<Row extends object>({ columns }: Keyset<Row>, row: Row): CursorValues {
  return columns.map(({ field }) => {
    const value: unknown = row[field];
    return value instanceof Date ? value.toISOString() : String(value);
  });
}
