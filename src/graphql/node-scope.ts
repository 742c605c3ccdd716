import type { GraphQLNamedType, GraphQLSchema } from 'graphql';
import type { Scope } from '../contract/scopes.ts';
import type { GraphContext } from './context.ts';

/** What a node type says of itself: the scope that reading one by its global id asks for. */
export interface NodeExtensions extends Readonly<Record<string, unknown>> {
  readonly nodeScope: Scope;
}

/** The scope of a node type; undefined where the type is none. */
export function nodeScopeOf(type: GraphQLNamedType | undefined): Scope | undefined {
  return (type?.extensions as Partial<NodeExtensions> | undefined)?.nodeScope;
}

/**
 * A global id opens nothing that its type's own field would not.
 * @throws {ServiceError} forbidden
 */
export function requireNodeScopes(
  ids: readonly { readonly typename: string }[],
  context: GraphContext,
  schema: GraphQLSchema,
): void {
  for (const { typename } of ids) {
    const scope = nodeScopeOf(schema.getType(typename));
    if (scope) context.requireScope(scope);
  }
}
