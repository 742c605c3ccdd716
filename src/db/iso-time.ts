import { Prisma } from './generated/client.ts';

/** A time as the API writes it: SQL. */
export function isoTime(time: Prisma.Sql): Prisma.Sql {
  return Prisma.sql`to_char(${time} AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`;
}
