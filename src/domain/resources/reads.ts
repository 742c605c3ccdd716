import { ServiceError } from '../../contract/errors.ts';
import { isTypeId } from '../../contract/ids.ts';
import { Prisma } from '../../db/generated/client.ts';
import { type KeysetPage, keysetPage, newestFirst, type PageArgs } from '../../db/keyset.ts';
import type { Context } from '../context.ts';
import { checkFieldValue, type Fields, fieldLabel } from './fields.ts';

/** A workspace record with a type and free-form fields (SPEC 2). */
export interface Resource {
  readonly id: string;
  readonly type: string;
  readonly fields: Fields;
  readonly createdAt: Date;
  readonly updatedAt: Date;
}

/** `fields` is JSON; this service has written nothing but objects to it. */
const COLUMNS = Prisma.raw('id, type, fields, created_at AS "createdAt", updated_at AS "updatedAt"');

/** Resources, newest first (WIRE 5). */
const RESOURCES = newestFirst<Resource>('resources', 'createdAt');

/** Which resources a list holds; all conditions hold. */
export interface ResourceFilter {
  readonly type?: string | null | undefined;
  /** Equal to this value as JSON, key order aside. A key that is not there is not one that is null. */
  readonly field?: { readonly name: string; readonly value?: unknown } | null | undefined;
}

/** @throws {ServiceError} not_found */
export async function findResource(ctx: Context, id: string): Promise<Resource> {
  const [found] = await findResources(ctx, [id]);
  if (found) return found;
  throw resourceNotFound();
}

/** Those of these that there are, in any order. What is no id of a resource names none. */
export async function findResources(ctx: Context, ids: readonly string[]): Promise<Resource[]> {
  const possible = ids.filter((id) => isTypeId('res', id));
  if (possible.length === 0) return [];
  return ctx.services.sql.rows<Resource>`
    SELECT ${COLUMNS} FROM resource WHERE id = ANY (${possible}) AND environment_id = ${ctx.environment.id}::uuid`;
}

export function resourceNotFound(): ServiceError {
  return new ServiceError('not_found', 'There is no resource with this id here. Check {param}.', { param: ['id'] });
}

/** @throws {ServiceError} invalid_request, invalid_cursor */
export function listResources(ctx: Context, args: PageArgs, filter: ResourceFilter): Promise<KeysetPage<Resource>> {
  const { type = null } = filter;
  const label = filter.field ? labelOf(filter.field) : null;
  const binding = { secret: ctx.services.secretKey, filters: [ctx.environment.id, type, label] };
  const listed = Prisma.sql`environment_id = ${ctx.environment.id}::uuid${ofType(type)}${withLabel(label)}`;
  return keysetPage(RESOURCES, args, binding, {
    find: ({ take }, sql) => {
      const { bounds, order } = sql();
      return ctx.services.sql.rows<Resource>`
        SELECT ${COLUMNS} FROM resource WHERE ${listed} AND ${bounds} ORDER BY ${order} LIMIT ${take}`;
    },
    count: async () => {
      const [row] = await ctx.services.sql.rows<{ count: number }>`
        SELECT count(*)::int AS count FROM resource WHERE ${listed}`;
      return row?.count ?? 0;
    },
  });
}

function ofType(type: string | null): Prisma.Sql {
  return type === null ? Prisma.empty : Prisma.sql` AND type = ${type}`;
}

/**
 * Said twice, since the planner takes a rare label for a hundred times as frequent as it is, and walks through the
 * whole list for it; of two conditions it believes that few rows meet both. A frequent one it knows, and finds on the
 * way through the list.
 */
function withLabel(label: string | null): Prisma.Sql {
  if (label === null) return Prisma.empty;
  return Prisma.sql` AND field_labels @> ${[label]}::text[] AND field_labels && ${[label]}::text[]`;
}

function labelOf({ name, value = null }: NonNullable<ResourceFilter['field']>): string {
  checkFieldValue(value);
  return fieldLabel(name, value);
}
