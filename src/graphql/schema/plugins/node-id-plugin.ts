import SchemaBuilder, { BasePlugin, type PothosOutputFieldConfig, type SchemaTypes } from '@pothos/core';
import { encodeGlobalID } from '@pothos/plugin-relay';
import type { GraphQLFieldResolver } from 'graphql';
import { isBypassOn } from '../../../contract/bypasses.ts';

declare global {
  export namespace PothosSchemaTypes {
    export interface Plugins<Types extends SchemaTypes> {
      nodeId: NodeIdPlugin<Types>;
    }
  }
}

type Resolve<Types extends SchemaTypes> = GraphQLFieldResolver<unknown, Types['Context'], object>;

/** The options of a node type, with its relay ID. */
interface NodeOptions<Types extends SchemaTypes> {
  readonly id?: { readonly resolve?: Resolve<Types> };
}

/**
 * Resolves the global ID of a node without a promise. The resolver of the plugin for Relay is an asynchronous function: each
 * node of a list would need a promise, and an event of a feed would reach its subscribers one tick later.
 */
class NodeIdPlugin<Types extends SchemaTypes> extends BasePlugin<Types> {
  override wrapResolve(resolve: Resolve<Types>, field: PothosOutputFieldConfig<Types>): Resolve<Types> {
    if (field.name !== 'id' || !isBypassOn('node-id')) return resolve;
    const { name, pothosOptions } = this.buildCache.getTypeConfig(field.parentType);
    const resolveId = (pothosOptions as NodeOptions<Types>).id?.resolve;
    if (!resolveId) return resolve;
    return (node, args, context, info) => {
      const id: unknown = resolveId(node, args, context, info);
      return id instanceof Promise
        ? id.then((resolved) => encodeGlobalID(name, String(resolved)))
        : encodeGlobalID(name, String(id));
    };
  }
}

SchemaBuilder.registerPlugin('nodeId', NodeIdPlugin);
