import {
  type GraphQLField,
  type GraphQLFieldConfig,
  type GraphQLInterfaceType,
  GraphQLList,
  GraphQLNonNull,
  GraphQLObjectType,
  GraphQLSchema,
  GraphQLString,
  GraphQLUnionType,
} from 'graphql';
import { accessOf } from '../../operation/access.ts';
import { type Representation, representationScalar, requireNodes } from './representation.ts';
import { subgraphSdl } from './subgraph-sdl.ts';

/**
 * The schema as a subgraph of Apollo Federation: with `_entities`, and with `_service` if its readers may see the schema.
 * Both are fields of the gateway, not of clients, so the printed schema lacks them.
 */
export function subgraphOf(
  schema: GraphQLSchema,
  { introspection }: { readonly introspection: boolean },
): GraphQLSchema {
  const config = schema.toConfig();
  const query = schema.getQueryType();
  const nodes = query?.getFields().nodes;
  if (!query || !nodes) throw new Error('The schema has no field Query.nodes.');
  const queryConfig = query.toConfig();
  const fields = {
    ...queryConfig.fields,
    _entities: entitiesField(schema, nodes),
    ...(introspection && { _service: serviceField(schema) }),
  };
  const extended = new GraphQLObjectType({ ...queryConfig, fields });
  return new GraphQLSchema({ ...config, query: extended, types: config.types.filter((type) => type !== query) });
}

/** Reads nodes as `nodes` does, with the same permissions. */
function entitiesField(
  schema: GraphQLSchema,
  nodes: GraphQLField<unknown, unknown>,
): GraphQLFieldConfig<unknown, unknown> {
  const node = schema.getType('Node') as GraphQLInterfaceType;
  const entity = new GraphQLUnionType({
    name: '_Entity',
    description: 'A node that other subgraphs can refer to.',
    types: schema.getPossibleTypes(node),
    resolveType: node.resolveType,
  });
  return {
    type: new GraphQLNonNull(new GraphQLList(entity)),
    description:
      "The nodes of a gateway's representations, each of them or null. Scope: the scopes that `nodes` needs.",
    extensions: { access: accessOf(nodes) },
    args: {
      representations: {
        type: new GraphQLNonNull(new GraphQLList(new GraphQLNonNull(representationScalar))),
        description: 'The type and ID of each node. The result has the same order.',
      },
    },
    resolve(source, { representations }: { representations: readonly Representation[] }, context, info) {
      requireNodes(representations, schema);
      return nodes.resolve?.(source, { ids: representations.map(({ id }) => id) }, context, info);
    },
  };
}

function serviceField(schema: GraphQLSchema): GraphQLFieldConfig<unknown, unknown> {
  let sdl: string | undefined;
  const service = new GraphQLObjectType({
    name: '_Service',
    description: 'This subgraph, for the composition of a supergraph.',
    fields: {
      sdl: {
        type: new GraphQLNonNull(GraphQLString),
        description: 'The schema with the directives of Apollo Federation.',
        resolve: () => {
          sdl ??= subgraphSdl(schema);
          return sdl;
        },
      },
    },
  });
  return {
    type: new GraphQLNonNull(service),
    description: 'The schema for the composition of a supergraph. Public, like /schema.graphql.',
    resolve: () => ({}),
  };
}
