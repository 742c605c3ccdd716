import { ServiceError } from '../../contract/errors.ts';
import { isTypeId } from '../../contract/ids.ts';
import type { Prisma } from '../../db/generated/client.ts';
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

const COLUMNS = { id: true, type: true, fields: true, createdAt: true, updatedAt: true } as const;

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
  const found = await ctx.db.resource.findMany({ where: { id: { in: possible } }, select: COLUMNS });
  return found.map(resourceOf);
}

export function resourceNotFound(): ServiceError {
  return new ServiceError('not_found', 'There is no resource with this id here. Check {param}.', { param: ['id'] });
}

/** @throws {ServiceError} invalid_request, invalid_cursor */
export function listResources(ctx: Context, args: PageArgs, filter: ResourceFilter): Promise<KeysetPage<Resource>> {
  const conditions = conditionsOf(filter);
  const binding = { secret: ctx.services.secretKey, filters: [ctx.environment.id, conditions] };
  return keysetPage(RESOURCES, args, binding, {
    find: async ({ where, orderBy, take }) => {
      const bounded = { AND: [conditions, ...where.AND] };
      return (await ctx.db.resource.findMany({ where: bounded, select: COLUMNS, orderBy, take })).map(resourceOf);
    },
    count: () => ctx.db.resource.count({ where: conditions }),
  });
}

function conditionsOf({ type, field }: ResourceFilter): Prisma.ResourceWhereInput {
  return {
    ...(type != null && { type }),
    ...(field && { AND: haveLabel(labelOf(field)) }),
  };
}

/**
 * Said twice, since the planner takes a rare label for a hundred times as frequent as it is, and walks through the
 * whole list for it; of two conditions it believes that few rows meet both. A frequent one it knows, and finds on the
 * way through the list.
 */
function haveLabel(label: string): Prisma.ResourceWhereInput[] {
  return [{ fieldLabels: { hasEvery: [label] } }, { fieldLabels: { hasSome: [label] } }];
}

function labelOf({ name, value = null }: NonNullable<ResourceFilter['field']>): string {
  checkFieldValue(value);
  return fieldLabel(name, value);
}

/** The column is JSON; this service has written nothing but objects to it. */
function resourceOf(row: Omit<Resource, 'fields'> & { readonly fields: unknown }): Resource {
  return { ...row, fields: row.fields as Fields };
}
