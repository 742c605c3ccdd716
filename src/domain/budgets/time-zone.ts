import { z } from 'zod';
import { ServiceError } from '../../contract/errors.ts';
import { Prisma } from '../../db/generated/client.ts';
import { inTransaction, type Transaction } from '../../db/transaction.ts';
import { SET_TIME_ZONE } from '../../shapes/environment.ts';
import { rulesOf } from '../../shapes/field.ts';
import { insertAuditEntry } from '../audit/append.ts';
import type { Context } from '../context.ts';
import { requireUnused } from '../dependants.ts';
import { parseInput } from '../input.ts';
import { loadInBatch } from '../related/batches.ts';

const timeZoneInput = z.object(rulesOf(SET_TIME_ZONE.fields));

/** The time zone of an environment of the caller's workspace. */
export function timeZoneOf(ctx: Context, environmentId: string): Promise<string> {
  return loadInBatch(ctx, 'time zones', environmentId, async (ids) => {
    const rows = await ctx.db.environment.findMany({
      where: { id: { in: [...ids] } },
      select: { id: true, timeZone: true },
    });
    return ids.map((id) => rows.find((row) => row.id === id)?.timeZone ?? 'UTC');
  });
}

/**
 * Sets the time zone in which the days and months of budgets begin. Returns its name.
 * @throws {ServiceError} invalid_request; in_use if a budget has days or months, because they would begin at another time
 */
export async function setTimeZone(ctx: Context, input: z.input<typeof timeZoneInput>): Promise<string> {
  const { timeZone: name } = parseInput(timeZoneInput, input);
  const { id } = ctx.environment;
  return inTransaction(ctx.db, async (tx) => {
    const timeZone = await knownTimeZone(tx, name);
    // Budgets are set under this lock.
    await tx.$queryRaw`SELECT FROM environment WHERE id = ${id}::uuid FOR NO KEY UPDATE`;
    const { timeZone: before } = await tx.environment.findFirstOrThrow({ where: { id }, select: { timeZone: true } });
    if (before === timeZone) return timeZone;
    const where = Prisma.sql`d.environment_id = ${id}::uuid AND d.period <> 'total' AND NOT d.is_default`;
    const budgets = { kind: 'budget', table: Prisma.sql`budget`, where, isOwn: true } as const;
    await requireUnused(ctx, tx, 'time zone', [[budgets]], 'changed');
    const details = { time_zone: timeZone, before };
    await tx.$executeRaw(insertAuditEntry(ctx, { action: 'time_zone.set', subjectId: id, details, at: ctx.now() }));
    await tx.environment.update({ where: { id }, data: { timeZone } });
    return timeZone;
  });
}

/** The name as PostgreSQL spells it. JavaScript must know it too. @throws {ServiceError} invalid_request */
async function knownTimeZone(tx: Transaction, name: string): Promise<string> {
  const [known] = isKnownToJavaScript(name)
    ? await tx.$queryRaw<{ name: string }[]>`SELECT name FROM pg_timezone_names WHERE lower(name) = lower(${name})`
    : [];
  if (known) return known.name;
  const message = '{param} is not a time zone. Use a name of the IANA time zone database, for example Europe/Berlin.';
  throw new ServiceError('invalid_request', message, { param: ['timeZone'] });
}

function isKnownToJavaScript(timeZone: string): boolean {
  try {
    return Boolean(new Intl.DateTimeFormat('en', { timeZone }));
  } catch {
    return false;
  }
}
