import { snakeCase } from '../contract/snake-case.ts';
import { Prisma } from './generated/client.ts';
import type { Bound, Keyset } from './keyset.ts';

/** A keyset query as SQL: a condition, and the list of an ORDER BY. */
export interface KeysetSql {
  readonly bounds: Prisma.Sql;
  readonly order: Prisma.Sql;
}

/** The rows between the bounds, in this direction. */
export function keysetSql<Row>(
  { columns }: Keyset<Row>,
  bounds: readonly Bound[],
  direction: 'asc' | 'desc',
): KeysetSql {
  const names = columns.map(({ field }) => snakeCase(field));
  const conditions = bounds.map(({ values, operator }) => {
    const position = columns.map(({ type }, index) => Prisma.sql`${values[index]}::${Prisma.raw(SQL_TYPES[type])}`);
    const comparison = Prisma.raw(operator === 'gt' ? '>' : '<');
    return Prisma.sql`(${Prisma.raw(names.join(', '))}) ${comparison} (${Prisma.join(position)})`;
  });
  return {
    bounds: conditions.length > 0 ? Prisma.join(conditions, ' AND ') : Prisma.sql`true`,
    order: Prisma.raw(names.map((name) => `${name} ${direction}`).join(', ')),
  };
}

const SQL_TYPES = {
  date: 'timestamptz',
  bigint: 'int8',
  int: 'int4',
  decimal: 'numeric',
  uuid: 'uuid',
  string: 'text',
} as const;
