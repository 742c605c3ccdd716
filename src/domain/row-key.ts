import type { EnvironmentRef } from '../db/scope.ts';

/** Prisma's name for the key of an environment's row. */
export interface RowKey<Id> {
  readonly environmentId_id: { readonly environmentId: string; readonly id: Id };
}

/** The key of a row. Only together with its environment an ID names a row. */
export function rowKey<Id>({ id: environmentId }: Pick<EnvironmentRef, 'id'>, id: Id): RowKey<Id> {
  return { environmentId_id: { environmentId, id } };
}
