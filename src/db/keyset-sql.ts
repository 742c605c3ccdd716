import { Prisma } from './generated/client.ts';
import type { Bound, Keyset } from './keyset.ts';

/** What a page asks the database for, in SQL: a condition, and what stands behind ORDER BY. */
export interface KeysetSql {
  readonly bounds: Prisma.Sql;
  readonly order: Prisma.Sql;
}

/** The rows between these bounds, in this direction. */
export function keysetSql<Row>(
  { columns }: Keyset<Row>,
  bounds: readonly Bound[],
  direction: 'asc' | 'desc',
): KeysetSql {
  const names = columns.map(({ field }) => columnOf(field));
  const conditions = bounds.map(({ values, operator }) => {
    const position = columns.map(({ type }, index) => Prisma.sql`${values[index]}::${Prisma.raw(SQL_TYPES[type])}`);
    const side = Prisma.raw(operator === 'gt' ? '>' : '<');
    return Prisma.sql`(${Prisma.raw(names.join(', '))}) ${side} (${Prisma.join(position)})`;
  });
  return {
    bounds: conditions.length > 0 ? Prisma.join(conditions, ' AND ') : Prisma.sql`true`,
    order: Prisma.raw(names.map((name) => `${name} ${direction}`).join(', ')),
  };
}

const SQL_TYPES = { date: 'timestamptz', bigint: 'int8', int: 'int4', string: 'text' } as const;

/** The column of a field: the schema names all of them so. */
function columnOf(field: string): string {
  return field.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}
