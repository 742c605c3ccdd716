import SchemaBuilder, { BasePlugin, type PothosOutputFieldConfig, type SchemaTypes } from '@pothos/core';
import { defaultFieldResolver, type GraphQLFieldResolver } from 'graphql';
import { isBypassOn } from '../../../contract/bypasses.ts';

declare global {
  export namespace PothosSchemaTypes {
    export interface Plugins<Types extends SchemaTypes> {
      columns: ColumnsPlugin<Types>;
    }
    export interface BaseTypeOptions<Types extends SchemaTypes = SchemaTypes> {
      /**
       * Fields read what they select from their row. Only if the row lacks it, the plugin for Prisma loads it. So every row of
       * the type must be current and have the values of Prisma's client.
       */
      readsRow?: true;
    }
  }
}

type Resolve<Types extends SchemaTypes> = GraphQLFieldResolver<unknown, Types['Context'], object>;

/**
 * Skips the plugin for Prisma if the row has what the field selects. That plugin looks up by path what the query of each row
 * has selected, which takes longer than to resolve the field. This plugin must be outside of it.
 */
class ColumnsPlugin<Types extends SchemaTypes> extends BasePlugin<Types> {
  override wrapResolve(resolve: Resolve<Types>, field: PothosOutputFieldConfig<Types>): Resolve<Types> {
    const { readsRow } = this.buildCache.getTypeConfig(field.parentType).pothosOptions;
    const names = readsRow && isBypassOn('columns') ? selectedNames(field) : [];
    if (names.length === 0) return resolve;
    // The resolver of the field, before any plugin wraps it.
    const resolveRow = (field.resolve ?? defaultFieldResolver) as Resolve<Types>;
    return (row, args, context, info) => {
      const isRead = names.every((name) => (row as Record<string, unknown>)[name] !== undefined);
      return (isRead ? resolveRow : resolve)(row, args, context, info);
    };
  }
}

/** The names that the field selects. Empty if it selects nothing, or selects inside of a relation. */
function selectedNames<Types extends SchemaTypes>({ extensions }: PothosOutputFieldConfig<Types>): string[] {
  const { pothosPrismaSelect: select } = (extensions ?? {}) as { readonly pothosPrismaSelect?: unknown };
  if (typeof select !== 'object' || select === null) return [];
  return Object.values(select).every((value) => value === true) ? Object.keys(select) : [];
}

SchemaBuilder.registerPlugin('columns', ColumnsPlugin);
