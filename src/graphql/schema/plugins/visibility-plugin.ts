import SchemaBuilder, {
  BasePlugin,
  type FieldNullability,
  type FieldRequiredness,
  type InputFieldMap,
  type InputType,
  type PothosInputFieldConfig,
  type PothosOutputFieldConfig,
  type PothosTypeConfig,
  type SchemaTypes,
  type TypeParam,
} from '@pothos/core';
import { GraphQLSchema } from 'graphql';

declare global {
  export namespace PothosSchemaTypes {
    export interface Plugins<Types extends SchemaTypes> {
      visibility: VisibilityPlugin<Types>;
    }
    export interface BuildSchemaOptions<Types extends SchemaTypes> {
      /** Builds the schema of the GraphQL API: without internal types, fields and inputs. */
      publicOnly?: boolean;
    }
    export interface BaseTypeOptions<Types extends SchemaTypes = SchemaTypes> {
      /** Only REST documents see the type. Every field that returns it must be internal too. */
      internal?: true;
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
      /** Only REST documents see the field. */
      internal?: true;
    }
    export interface InputFieldOptions<
      Types extends SchemaTypes = SchemaTypes,
      Type extends InputType<Types> | [InputType<Types>] = InputType<Types> | [InputType<Types>],
      Req extends FieldRequiredness<Type> = FieldRequiredness<Type>,
    > {
      /** Only REST documents see the argument or input field. It must be optional: the GraphQL API never sends it. */
      internal?: [Req] extends [true] ? never : true;
      /** The name of the input field in REST bodies, if it differs. False: REST does not have the input field. */
      inRest?: string | false;
    }
  }
}

/** Separates the public schema from what only REST documents need. Both are built from the same fields and resolvers. */
class VisibilityPlugin<Types extends SchemaTypes> extends BasePlugin<Types> {
  override onTypeConfig(config: PothosTypeConfig): PothosTypeConfig {
    const { internal } = config.pothosOptions;
    return internal ? { ...config, extensions: { ...config.extensions, internal } } : config;
  }

  override onOutputFieldConfig(config: PothosOutputFieldConfig<Types>): PothosOutputFieldConfig<Types> | null {
    return this.options.publicOnly && config.pothosOptions.internal ? null : config;
  }

  override onInputFieldConfig(config: PothosInputFieldConfig<Types>): PothosInputFieldConfig<Types> | null {
    const { internal, inRest } = config.pothosOptions;
    if (this.options.publicOnly && internal) return null;
    return inRest === undefined ? config : { ...config, extensions: { ...config.extensions, inRest } };
  }

  override afterBuild(schema: GraphQLSchema): GraphQLSchema {
    if (!this.options.publicOnly) return schema;
    const { types, ...config } = schema.toConfig();
    return new GraphQLSchema({ ...config, types: types.filter(({ extensions }) => !extensions.internal) });
  }
}

SchemaBuilder.registerPlugin('visibility', VisibilityPlugin);
