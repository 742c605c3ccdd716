import type { GraphQLField, GraphQLObjectType } from 'graphql';
import { type Access, accessOf } from '../../operation/access.ts';
import { extraCostOf } from '../../operation/document-cost.ts';
import { listSizeOf } from '../../operation/list-size.ts';
import { nodeAccessOf } from '../../operation/node-scope.ts';

/** A directive with its arguments. Arguments that equal their default are omitted. */
export interface AppliedDirective {
  readonly name: string;
  readonly args: Readonly<Record<string, unknown>>;
}

/** The directives of a field, from the facts that the pipeline enforces. */
export function directivesOfField(
  field: GraphQLField<unknown, unknown>,
  parent: GraphQLObjectType,
): readonly AppliedDirective[] {
  const cost = extraCostOf(field);
  const size = listSizeOf(field, parent);
  return [
    ...directivesOfAccess(accessOf(field)),
    ...(cost > 0 ? [{ name: 'cost', args: { weight: cost } }] : []),
    ...(size ? [{ name: 'listSize', args: withoutEmpty({ ...size }) }] : []),
  ];
}

/** The directives of a type: what reading its nodes requires. */
export function directivesOfType(type: GraphQLObjectType): readonly AppliedDirective[] {
  return directivesOfAccess(nodeAccessOf(type));
}

function directivesOfAccess(access: Access): AppliedDirective[] {
  const { scope, anyRole, runner, session, administrator, credentials } = access;
  const scopes = access.scopes ?? (scope && [scope]);
  return [
    ...(scopes
      ? [{ name: 'requiresScopes', args: { scopes, ...(anyRole && { anyRole }), ...(runner && { anonymous: true }) } }]
      : []),
    ...(session || administrator
      ? [{ name: 'requiresMember', args: { ...(administrator && { administrator: true }) } }]
      : []),
    ...(credentials ? [{ name: 'requiresCredentials', args: {} }] : []),
  ];
}

function withoutEmpty(args: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(args).filter(([, value]) => !(Array.isArray(value) && value.length === 0)));
}
