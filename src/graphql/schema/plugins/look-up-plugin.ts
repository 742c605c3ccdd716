import SchemaBuilder, { BasePlugin, type PothosOutputFieldConfig, type SchemaTypes } from '@pothos/core';
import type { GraphQLFieldResolver } from 'graphql';
import { ServiceError } from '../../../contract/errors.ts';
import type { OperationContext } from '../../../operation/context.ts';

declare global {
  export namespace PothosSchemaTypes {
    export interface Plugins<Types extends SchemaTypes> {
      lookUp: LookUpPlugin<Types>;
    }
  }
}

type Resolve<Types extends SchemaTypes> = GraphQLFieldResolver<unknown, Types['Context'], object>;

/**
 * Makes a look-up null if the object does not exist or the caller may not know it: a nullable field of Query that returns
 * one object. In the schema of the REST documents it stays the error that REST returns as 404.
 */
class LookUpPlugin<Types extends SchemaTypes> extends BasePlugin<Types> {
  override wrapResolve(resolve: Resolve<Types>, field: PothosOutputFieldConfig<Types>): Resolve<Types> {
    const { publicOnly } = this.options as { readonly publicOnly?: boolean };
    const { parentType, type } = field;
    if (!publicOnly || parentType !== 'Query' || !type.nullable || type.kind === 'List') return resolve;
    const { errors: declared = [] } = (field.extensions ?? {}) as { readonly errors?: readonly string[] };
    return async (source, args, context, info) => {
      try {
        return await resolve(source, args, context, info);
      } catch (error) {
        if (!(error instanceof ServiceError) || error.code !== 'not_found') throw error;
        // REST responds to a published document with 404, if OpenAPI documents it for this look-up.
        const { throwsErrors } = context as unknown as OperationContext;
        if (throwsErrors && declared.includes('not_found')) throw error;
        return null;
      }
    };
  }
}

SchemaBuilder.registerPlugin('lookUp', LookUpPlugin);
