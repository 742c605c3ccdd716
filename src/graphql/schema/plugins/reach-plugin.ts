import SchemaBuilder, { BasePlugin, type PothosOutputFieldConfig, type SchemaTypes } from '@pothos/core';
import type { GraphQLFieldResolver } from 'graphql';
import type { OperationContext } from '../../../operation/context.ts';

declare global {
  export namespace PothosSchemaTypes {
    export interface Plugins<Types extends SchemaTypes> {
      reach: ReachPlugin<Types>;
    }
  }
}

type Resolve<Types extends SchemaTypes> = GraphQLFieldResolver<unknown, Types['Context'], object>;

/**
 * Fails a root field that names something out of the caller's reach, in the way it fails for an unknown ID. It must be
 * inside of the plugin for look-ups. Mutations do the same in `mutation.ts`, because their errors are results.
 */
class ReachPlugin<Types extends SchemaTypes> extends BasePlugin<Types> {
  override wrapResolve(resolve: Resolve<Types>, { parentType }: PothosOutputFieldConfig<Types>): Resolve<Types> {
    return parentType === 'Query' ? inReach(resolve) : resolve;
  }

  override wrapSubscribe(subscribe: Resolve<Types> | undefined): Resolve<Types> | undefined {
    return subscribe && inReach(subscribe);
  }
}

function inReach<Types extends SchemaTypes>(resolve: Resolve<Types>): Resolve<Types> {
  return (source, args, context, info) => {
    (context as OperationContext).requireInReach(info.path.key);
    return resolve(source, args, context, info);
  };
}

SchemaBuilder.registerPlugin('reach', ReachPlugin);
