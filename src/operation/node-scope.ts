import { type GraphQLNamedType, type GraphQLSchema, isObjectType } from 'graphql';
import { ServiceError } from '../contract/errors.ts';
import type { Scope } from '../contract/scopes.ts';
import { type Access, requireAccess } from './access.ts';
import type { OperationContext } from './context.ts';
import { isStorable } from './storable-text.ts';

const NOT_AN_ID = '{param} must be the `id` of a node.';

/** The permission for reading a node by its global ID. */
export type NodeExtensions =
  | { readonly nodeScope: Scope }
  | { readonly nodeAdministrator: true }
  | { readonly nodeSession: true }
  | { readonly nodeCredentials: true };

/** The permission that a node type requires. Empty if the type is not a node. */
export function nodeAccessOf(type: GraphQLNamedType | undefined): Access {
  const { nodeScope, nodeAdministrator, nodeSession, nodeCredentials } = (type?.extensions ?? {}) as {
    nodeScope?: Scope;
    nodeAdministrator?: true;
    nodeSession?: true;
    nodeCredentials?: true;
  };
  return {
    ...(nodeScope && { scope: nodeScope }),
    ...(nodeAdministrator && { administrator: true }),
    ...(nodeSession && { session: true }),
    ...(nodeCredentials && { credentials: true }),
  };
}

/** Whether the objects of a type have global IDs. */
export function isNode(type: GraphQLNamedType | undefined): boolean {
  return isObjectType(type) && type.getInterfaces().some(({ name }) => name === 'Node');
}

/**
 * Requires the same permission as the type's own query.
 * @throws {ServiceError} invalid_request if an ID is not that of a node; unauthorized, forbidden, session_required
 */
export function requireNodeScopes(
  ids: readonly { readonly typename: string; readonly id: unknown }[],
  context: OperationContext,
  schema: GraphQLSchema,
  param: 'id' | 'ids',
): void {
  for (const { typename, id } of ids) {
    const type = schema.getType(typename);
    if (!isNode(type) || !isStorable(String(id))) {
      throw new ServiceError('invalid_request', NOT_AN_ID, { param: [param] });
    }
    requireAccess(nodeAccessOf(type), context);
  }
}
