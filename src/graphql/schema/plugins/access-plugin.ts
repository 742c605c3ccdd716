import SchemaBuilder, {
  BasePlugin,
  type FieldNullability,
  type InputFieldMap,
  type PothosOutputFieldConfig,
  type SchemaTypes,
  type TypeParam,
} from '@pothos/core';
import type { GraphQLFieldResolver } from 'graphql';
import { type Access, hasAccess, requireAccess } from '../../../operation/access.ts';
import type { OperationContext } from '../../../operation/context.ts';
import type { Publishing } from '../../../operation/publishing.ts';

declare global {
  export namespace PothosSchemaTypes {
    export interface Plugins<Types extends SchemaTypes> {
      access: AccessPlugin<Types>;
    }
    export interface FieldOptions<
      Types extends SchemaTypes = SchemaTypes,
      ParentShape = unknown,
      Type extends TypeParam<Types> = TypeParam<Types>,
      Nullable extends FieldNullability<Type> = FieldNullability<Type>,
      Args extends InputFieldMap = InputFieldMap,
      ResolveShape = unknown,
      ResolveReturnShape = unknown,
    > {
      /** The permission that the caller needs. A root field without it is public. */
      access?: Access;
      /** Whether documents can be published with a root field, and its effect. Every query and mutation has it. */
      publishing?: Publishing;
    }
  }
}

type FieldConfig<Types extends SchemaTypes> = PothosOutputFieldConfig<Types>;
type Resolve<Types extends SchemaTypes> = GraphQLFieldResolver<unknown, Types['Context'], object>;

const ROOTS = ['Query', 'Mutation', 'Subscription'];

/**
 * Connects fields to authorization. The pipeline authorizes root fields before it reads any input, so a root field only
 * verifies here that this happened. Other fields check their own permission when they are resolved: without it a
 * nullable field is null, so that a caller reads the rest of the graph, and other fields are an error.
 */
class AccessPlugin<Types extends SchemaTypes> extends BasePlugin<Types> {
  override onOutputFieldConfig(config: FieldConfig<Types>): FieldConfig<Types> {
    const { access, publishing } = config.pothosOptions;
    if (!access && !publishing) return config;
    const marks = { ...(access && { access }), ...(publishing && { publishing }) };
    return { ...config, extensions: { ...config.extensions, ...marks } };
  }

  override wrapResolve(resolve: Resolve<Types>, field: FieldConfig<Types>): Resolve<Types> {
    const { parentType, pothosOptions, type } = field;
    // The subscription's source was authorized when it was opened.
    if (parentType === 'Subscription') return resolve;
    if (ROOTS.includes(parentType)) return authorized(resolve);
    const { access } = pothosOptions;
    if (!access) return resolve;
    if (type.nullable) {
      return (source, args, context, info) =>
        hasAccess(access, context as OperationContext) || isCarried(access, source)
          ? resolve(source, args, context, info)
          : null;
    }
    return (source, args, context, info) => {
      requireAccess(access, context as OperationContext);
      return resolve(source, args, context, info);
    };
  }

  override wrapSubscribe(subscribe: Resolve<Types> | undefined): Resolve<Types> | undefined {
    return subscribe && authorized(subscribe);
  }
}

function isCarried({ carriedAs }: Access, source: unknown): boolean {
  return carriedAs !== undefined && (source as Readonly<Record<string, unknown>>)[carriedAs] !== undefined;
}

/** Makes a transport fail if it executes a document without the pipeline. */
function authorized<Types extends SchemaTypes>(resolve: Resolve<Types>): Resolve<Types> {
  return (source, args, context, info) => {
    if ((context as OperationContext).isAuthorized(info.fieldName)) return resolve(source, args, context, info);
    throw new Error(`${info.parentType.name}.${info.fieldName} was not authorized before it was executed.`);
  };
}

SchemaBuilder.registerPlugin('access', AccessPlugin);
