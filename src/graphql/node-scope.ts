import type { GraphQLNamedType, GraphQLSchema } from 'graphql';
import type { Scope } from '../contract/scopes.ts';
import type { GraphContext } from './context.ts';
import type { Access } from './field-scope.ts';

/** What a node type says of itself: the scope, or the role, that reading one by its global id asks for. */
export type NodeExtensions = { readonly nodeScope: Scope } | { readonly nodeAdministrator: true };

/** What a node type asks for; nothing where the type is none. */
export function nodeAccessOf(type: GraphQLNamedType | undefined): Access {
  const { nodeScope, nodeAdministrator } = (type?.extensions ?? {}) as { nodeScope?: Scope; nodeAdministrator?: true };
  return { ...(nodeScope && { scope: nodeScope }), ...(nodeAdministrator && { administrator: true }) };
}

/**
 * A global id opens nothing that its type's own field would not.
 * @throws {ServiceError} forbidden, session_required
 */
export function requireNodeScopes(
  ids: readonly { readonly typename: string }[],
  context: GraphContext,
  schema: GraphQLSchema,
): void {
  for (const { typename } of ids) {
    const { scope, administrator } = nodeAccessOf(schema.getType(typename));
    if (scope) context.requireScope(scope);
    if (administrator) context.requireAdministrator();
  }
}
