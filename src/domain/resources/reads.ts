import { ServiceError } from '../../contract/errors.ts';
import { isTypeId } from '../../contract/ids.ts';
import { Prisma } from '../../db/generated/client.ts';
import { type ListOrder, newestFirst, ordered } from '../../db/keyset.ts';
import { type KeysetPage, keysetPage, type PageArgs } from '../../db/keyset-page.ts';
import { Ids } from '../../db/shared-reads.ts';
import type { Context } from '../context.ts';
import { type Period, withinPeriod } from '../period.ts';
import { checkFieldValue, type Fields, fieldLabel } from './fields.ts';

/** A workspace record with a type and free-form fields. */
export interface Resource {
  readonly id: string;
  readonly type: string;
  readonly fields: Fields;
  readonly createdAt: Date;
  readonly updatedAt: Date;
}

/** This service writes only objects to the JSON column `fields`. */
const COLUMNS = Prisma.raw('id, type, fields, created_at AS "createdAt", updated_at AS "updatedAt"');

/** Resources, newest first. */
const RESOURCES = newestFirst<Resource>('resources', 'createdAt');

/** The conditions of a list. A resource must fulfill all of them. */
export interface ResourceFilter {
  readonly type?: string | null | undefined;
  /** The field must equal this value as JSON, in any key order. A missing field does not equal null. */
  readonly field?: { readonly name: string; readonly value?: unknown } | null | undefined;
  readonly createdAt?: Period | null | undefined;
}

/** @throws {ServiceError} not_found */
export async function findResource(ctx: Context, id: string): Promise<Resource> {
  const [resource] = await findResources(ctx, [id]);
  if (resource) return resource;
  throw resourceNotFound();
}

/** Finds resources by their IDs, in any order. Unknown and invalid IDs are left out. */
export async function findResources(ctx: Context, ids: readonly string[]): Promise<Resource[]> {
  const validIds = ids.filter((id) => isTypeId('res', id));
  if (validIds.length === 0) return [];
  return ctx.sql.read<Resource>`
    SELECT ${COLUMNS} FROM resource WHERE id = ANY (${new Ids(validIds)}) AND environment_id = ${ctx.environment.id}::uuid`;
}

export function resourceNotFound(): ServiceError {
  return new ServiceError('not_found', 'There is no resource with this ID in this environment. Check {param}.', {
    param: ['id'],
  });
}

/** @throws {ServiceError} invalid_request, invalid_cursor */
export function listResources(
  ctx: Context,
  args: PageArgs,
  filter: ResourceFilter,
  order?: ListOrder<'createdAt'> | null,
): Promise<KeysetPage<Resource>> {
  const { type = null } = filter;
  const label = filter.field ? labelOf(filter.field) : null;
  const period = withinPeriod('createdAt', filter.createdAt);
  const binding = {
    secret: ctx.services.settings.secretKey,
    filters: [ctx.environment.id, type, label, ...(period ? [period] : [])],
  };
  // Without row-level security, because with it PostgreSQL would not use the GIN index of labels.
  const sql = label === null ? ctx.sql : ctx.services.stores.sql;
  const conditions = Prisma.sql`environment_id = ${ctx.environment.id}::uuid${ofType(type)}${withLabel(label)}${createdWithin(period)}`;
  return keysetPage(ordered(RESOURCES, order), args, binding, {
    find: ({ take }, bounded) => {
      const { bounds, order } = bounded();
      return sql.read<Resource>`
        SELECT ${COLUMNS} FROM resource WHERE ${conditions} AND ${bounds} ORDER BY ${order} LIMIT ${take}`;
    },
    count: async () => {
      const [row] = await sql.rows<{ count: number }>`
        SELECT count(*)::int AS count FROM resource WHERE ${conditions}`;
      return row?.count ?? 0;
    },
  });
}

function ofType(type: string | null): Prisma.Sql {
  return type === null ? Prisma.empty : Prisma.sql` AND type = ${type}`;
}

function createdWithin({ gte, lt }: { gte?: Date; lt?: Date } = {}): Prisma.Sql {
  const from = gte ? Prisma.sql` AND created_at >= ${gte}` : Prisma.empty;
  return lt ? Prisma.sql`${from} AND created_at < ${lt}` : from;
}

/**
 * Two equivalent conditions, because the planner estimates a rare label 100 times too high and would scan the whole list.
 * It expects few rows to fulfill both conditions, so it uses the index. Its estimate of a frequent label is right, and then it
 * scans the list.
 */
function withLabel(label: string | null): Prisma.Sql {
  if (label === null) return Prisma.empty;
  return Prisma.sql` AND field_labels @> ${[label]}::text[] AND field_labels && ${[label]}::text[]`;
}

function labelOf({ name, value = null }: NonNullable<ResourceFilter['field']>): string {
  checkFieldValue(value);
  return fieldLabel(name, value);
}
