import { Prisma } from '../../db/generated/client.ts';

/**
 * The beginning of the period of a budget that contains `at`, in the time zone. The period `total` begins at the epoch.
 * It never lies after `at`, also on a day that has midnight twice.
 */
export function periodStartSql(period: Prisma.Sql, at: Prisma.Sql, timeZone: Prisma.Sql): Prisma.Sql {
  const start = Prisma.sql`date_trunc(${period}, (${at}) AT TIME ZONE ${timeZone})`;
  return Prisma.sql`CASE ${period} WHEN 'total' THEN to_timestamp(0) ELSE ${instantOf(start, timeZone)} END`;
}

/** The end of the period of a budget that contains `at`: the beginning of the next one. Null for `total`. */
export function periodEndSql(period: Prisma.Sql, at: Prisma.Sql, timeZone: Prisma.Sql): Prisma.Sql {
  const start = Prisma.sql`date_trunc(${period}, (${at}) AT TIME ZONE ${timeZone})`;
  const end = Prisma.sql`(${start} + ('1 ' || ${period})::interval)`;
  return Prisma.sql`CASE ${period} WHEN 'total' THEN NULL ELSE ${instantOf(end, timeZone)} END`;
}

/** PostgreSQL takes the later of two midnights. An hour before, the time is unique. */
function instantOf(midnight: Prisma.Sql, timeZone: Prisma.Sql): Prisma.Sql {
  return Prisma.sql`LEAST(${midnight} AT TIME ZONE ${timeZone},
    (${midnight} - interval '1 hour') AT TIME ZONE ${timeZone} + interval '1 hour')`;
}
