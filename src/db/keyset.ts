import type { CursorValues } from './cursor.ts';

/** A sort column of a list, and how a cursor encodes its value. */
export interface SortColumn<Row> {
  readonly field: keyof Row & string;
  readonly type: 'date' | 'bigint' | 'int' | 'decimal' | 'uuid' | 'string';
}

/** The sort order of a list. The last column is unique, so the order is total. */
export interface Keyset<Row> {
  /** The name of the list in its cursors. */
  readonly list: string;
  readonly columns: readonly SortColumn<Row>[];
  readonly direction: 'asc' | 'desc';
}

/** Newest first by the date column `by`, the order of most lists. */
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

/** An order that a caller requests: by a date column that an index of the list has. */
export interface ListOrder<Field extends string> {
  readonly field: Field;
  readonly direction: 'asc' | 'desc';
}

/** The list in a requested order. Its cursors work only with this order. */
export function ordered<Row>(
  keyset: Keyset<Row>,
  order: ListOrder<keyof Row & string> | null | undefined,
): Keyset<Row> {
  const [first, ...rest] = keyset.columns;
  if (!order || (order.field === first?.field && order.direction === keyset.direction)) return keyset;
  const { field, direction } = order;
  return { list: `${keyset.list} ${field} ${direction}`, columns: [{ field, type: 'date' }, ...rest], direction };
}

/** A position in a list, and the side of it to read. */
export interface Bound {
  readonly values: CursorValues;
  readonly operator: 'gt' | 'lt';
}

/** The part of a Prisma `findMany` that selects one page. */
export interface KeysetQuery {
  readonly where: { readonly AND: object[] };
  readonly orderBy: object[];
  readonly take: number;
}

/** The query for the first `take` rows between the bounds. */
export function keysetQuery<Row>(
  keyset: Keyset<Row>,
  bounds: readonly Bound[],
  direction: 'asc' | 'desc',
  take: number,
): KeysetQuery {
  return {
    where: { AND: bounds.map((bound) => seek(keyset, bound)) },
    orderBy: keyset.columns.map(({ field }) => ({ [field]: direction })),
    take,
  };
}

/** Rows strictly past a position. The condition on the first column lets an index scan start there. */
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

/** The position of a row. */
export function positionOf<Row extends object>({ columns }: Keyset<Row>, row: Row): CursorValues {
  return columns.map(({ field }) => {
    const value: unknown = row[field];
    return value instanceof Date ? value.toISOString() : String(value);
  });
}

/**
 * Reads all rows of a list in order, in pages of `size`. It holds at most one page in memory, and no transaction is open
 * between pages.
 */
export async function* readAllRows<Row extends object>(
  keyset: Keyset<Row>,
  size: number,
  find: (query: KeysetQuery) => Promise<Row[]>,
): AsyncGenerator<Row, undefined> {
  const operator = keyset.direction === 'asc' ? 'gt' : 'lt';
  let last: Row | undefined;
  do {
    const bounds: Bound[] = last ? [{ values: positionOf(keyset, last), operator }] : [];
    const rows: Row[] = await find(keysetQuery(keyset, bounds, keyset.direction, size));
    yield* rows;
    last = rows.length < size ? undefined : rows.at(-1);
  } while (last);
}
