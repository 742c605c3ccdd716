import { TOKEN_COUNTS, tokenColumn, type Usage } from '../../contract/token-usage.ts';
import { Prisma } from '../../db/generated/client.ts';

/** A list with an item for each count of tokens. `name` is the count in double quotes, for `AS` and record types. */
export function eachCount(
  item: (column: Prisma.Sql, name: Prisma.Sql, count: keyof Usage) => Prisma.Sql,
  separator = ', ',
): Prisma.Sql {
  const items = TOKEN_COUNTS.map((count) => item(Prisma.raw(tokenColumn(count)), Prisma.raw(`"${count}"`), count));
  return Prisma.join(items, separator);
}

/** The columns of an INSERT. */
export const TOKEN_COLUMNS = eachCount((column) => column);

/** The values of an INSERT into {@link TOKEN_COLUMNS}. */
export function tokenValues(usage: Usage): Prisma.Sql {
  return eachCount((_column, _name, count) => Prisma.sql`${usage[count]}`);
}

/** The columns of this row. */
export function tokensOf(row: string): Prisma.Sql {
  return eachCount((column) => Prisma.sql`${Prisma.raw(row)}.${column}`);
}

/** The assignments of an UPDATE. */
export function setTokens(usage: Usage): Prisma.Sql {
  return eachCount((column, _name, count) => Prisma.sql`${column} = ${usage[count]}`);
}

/** A `Usage` as a JSON object. */
export function usageJson(value: (column: Prisma.Sql) => Prisma.Sql): Prisma.Sql {
  const fields = eachCount((column, _name, count) => Prisma.sql`${Prisma.raw(`'${count}'`)}, ${value(column)}`);
  return Prisma.sql`jsonb_build_object(${fields})`;
}
