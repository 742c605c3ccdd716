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
    const { parentType, type, name } = field;
    if (parentType !== 'Query' || !type.nullable || type.kind === 'List') return resolve;
    const { errors: declared = [] } = (field.extensions ?? {}) as { readonly errors?: readonly string[] };
    return async (source, args, context, info) => {
      try {
        return await resolve(source, args, context, info);
      } catch (error) {
        if (!(error instanceof ServiceError)) throw error;
        // REST responds to a published document with 404, if OpenAPI documents it for this look-up.
        const { throwsErrors } = context as unknown as OperationContext;
        const isThrown = !publicOnly || error.code !== 'not_found' || (throwsErrors && declared.includes('not_found'));
        if (isThrown) throw inArgument(error, `${name}Id`);
        return null;
      }
    };
  }
}

/** The domain names the ID of the object by its type. The argument is named `id`. */
function inArgument(error: ServiceError, idName: string): ServiceError {
  const { code, message, details } = error;
  const [first, ...rest] = details.param ?? [];
  return first === idName ? new ServiceError(code, message, { ...details, param: ['id', ...rest] }) : error;
}

SchemaBuilder.registerPlugin('lookUp', LookUpPlugin);
