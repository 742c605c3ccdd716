import type { GraphQLResolveInfo } from 'graphql';
import type { OperationContext } from '../../operation/context.ts';
import { requireNodeScopes } from '../../operation/node-scope.ts';
import { builder, NODE_ACCESS } from './builder.ts';
import { loadNodesOf, type NodeId } from './node-rows.ts';

builder.queryField('node', (t) =>
  t.field({
    publishing: 'reads',
    ...NODE_ACCESS,
    type: builder.nodeInterfaceRef(),
    nullable: true,
    args: { id: t.arg.globalID({ required: true, description: 'The `id` of a node.' }) },
    description: "The object with this global ID, or null. Scope: the scope that the type's own query needs.",
    resolve: async (_root, { id }, context, info) => {
      requireNodeScopes([id], context, info.schema, 'id');
      const [node] = await loadNodesOf(id.typename, [id.id], context, info);
      return (node ?? null) as never;
    },
  }),
);

builder.queryField('nodes', (t) =>
  t.field({
    publishing: 'reads',
    ...NODE_ACCESS,
    type: [builder.nodeInterfaceRef()],
    nullable: { list: false, items: true },
    args: {
      ids: t.arg.globalIDList({
        required: true,
        description: 'The `id` of each node. The result has the same order.',
      }),
    },
    description:
      "The objects with these global IDs, each of them or null. Scope: the scopes that the types' own queries need.",
    resolve: (_root, { ids }, context, info) => {
      requireNodeScopes(ids, context, info.schema, 'ids');
      return loadNodes(ids, context, info) as never;
    },
  }),
);

/** The nodes in the order of their IDs. */
async function loadNodes(
  ids: readonly NodeId[],
  context: OperationContext,
  info: GraphQLResolveInfo,
): Promise<(object | null)[]> {
  const nodes: (object | null)[] = ids.map(() => null);
  const types = new Map<string, number[]>();
  for (const [index, { typename }] of ids.entries()) types.set(typename, [...(types.get(typename) ?? []), index]);
  await Promise.all(
    [...types].map(async ([typename, indexes]) => {
      const ofType = indexes.map((index) => (ids[index] as NodeId).id);
      const loaded = await loadNodesOf(typename, ofType, context, info);
      for (const [position, index] of indexes.entries()) nodes[index] = loaded[position] ?? null;
    }),
  );
  return nodes;
}
