import SchemaBuilder, {
  BasePlugin,
  type FieldRequiredness,
  type InputType,
  mapInputFields,
  type PothosInputFieldConfig,
  type PothosOutputFieldConfig,
  type SchemaTypes,
} from '@pothos/core';
import type { GraphQLFieldResolver, GraphQLSchema } from 'graphql';
import { type IdExtensions, type NodeIdInput, withPublicIds } from '../../../operation/node-ids.ts';

declare global {
  export namespace PothosSchemaTypes {
    export interface Plugins<Types extends SchemaTypes> {
      ids: IdsPlugin<Types>;
    }
    export interface InputFieldOptions<
      Types extends SchemaTypes = SchemaTypes,
      Type extends InputType<Types> | [InputType<Types>] = InputType<Types> | [InputType<Types>],
      Req extends FieldRequiredness<Type> = FieldRequiredness<Type>,
    > {
      /**
       * The node type that the ID belongs to, or several. `Node` is every type. In the GraphQL API the input has the scalar
       * ID, and accepts the global ID and the public ID. Resolvers get the public ID, in the scalar that the input declares.
       */
      idOf?: string | readonly string[];
    }
  }
}

type Resolve<Types extends SchemaTypes> = GraphQLFieldResolver<unknown, Types['Context'], object>;
type InputConfig<Types extends SchemaTypes> = PothosInputFieldConfig<Types>;

/** Replaces global IDs in arguments and input fields by public IDs. REST knows only public IDs. */
class IdsPlugin<Types extends SchemaTypes> extends BasePlugin<Types> {
  override onInputFieldConfig(config: InputConfig<Types>): InputConfig<Types> {
    const { idOf } = config.pothosOptions as { readonly idOf?: string | readonly string[] };
    if (idOf === undefined) return config;
    const types = [idOf].flat().filter((type) => type !== 'Node');
    if (!this.#isPublic) return withNodeId(config, { types });
    return withNodeId(
      {
        ...config,
        type: asId(config.type),
        description: `${config.description ?? ''} Accepts the public and the global ID.`.trim(),
      },
      { types, form: this.#scalarOf(config.type) },
    );
  }

  override wrapResolve(resolve: Resolve<Types>, field: PothosOutputFieldConfig<Types>): Resolve<Types> {
    // Mutations do the same in `mutation.ts`, because their errors are results. Events of a subscription need no IDs.
    if (field.parentType === 'Mutation' || field.parentType === 'Subscription') return resolve;
    return this.#namesNodes(field) ? replacing(resolve) : resolve;
  }

  override wrapSubscribe(
    subscribe: Resolve<Types> | undefined,
    field: PothosOutputFieldConfig<Types>,
  ): Resolve<Types> | undefined {
    return subscribe && this.#namesNodes(field) ? replacing(subscribe) : subscribe;
  }

  override afterBuild(schema: GraphQLSchema): GraphQLSchema {
    if (this.#isPublic) schema.extensions = { ...schema.extensions, acceptsGlobalIds: true } satisfies IdExtensions;
    return schema;
  }

  get #isPublic(): boolean {
    return (this.options as { readonly publicOnly?: boolean }).publicOnly === true;
  }

  #scalarOf(type: InputConfig<Types>['type']): string {
    return type.kind === 'List' ? this.#scalarOf(type.type) : this.buildCache.getTypeConfig(type.ref).name;
  }

  #namesNodes({ args }: PothosOutputFieldConfig<Types>): boolean {
    return (
      this.#isPublic && mapInputFields(args, this.buildCache, ({ extensions }) => extensions?.nodeId ?? null) !== null
    );
  }
}

function withNodeId<Types extends SchemaTypes>(config: InputConfig<Types>, nodeId: NodeIdInput): InputConfig<Types> {
  return { ...config, extensions: { ...config.extensions, nodeId } };
}

function asId<Types extends SchemaTypes>(type: InputConfig<Types>['type']): InputConfig<Types>['type'] {
  if (type.kind === 'List') return { ...type, type: asId(type.type) } as InputConfig<Types>['type'];
  return { ...type, ref: 'ID' } as InputConfig<Types>['type'];
}

function replacing<Types extends SchemaTypes>(resolve: Resolve<Types>): Resolve<Types> {
  return (source, args, context, info) => resolve(source, withPublicIds(args, info), context, info);
}

SchemaBuilder.registerPlugin('ids', IdsPlugin);
