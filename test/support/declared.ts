import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  buildSchema,
  type ConstDirectiveNode,
  type GraphQLField,
  type GraphQLNamedType,
  type GraphQLSchema,
  valueFromASTUntyped,
} from 'graphql';
import { type EnumName, enumValueIn } from '../../src/contract/enum-names.ts';
import { SCOPES, type Scope } from '../../src/contract/scopes.ts';
import { ROOT } from './database.ts';

/** The schema as its readers know it: built from the text in the repository. */
export const DECLARED: GraphQLSchema = buildSchema(readFileSync(join(ROOT, 'schema/schema.graphql'), 'utf8'));

/** The arguments of the directives of a field or type, by the names of the directives. */
export type Directives = Readonly<Record<string, Readonly<Record<string, unknown>>>>;

export function directivesOf({
  astNode,
}: Pick<GraphQLField<unknown, unknown> | GraphQLNamedType, 'astNode'>): Directives {
  return Object.fromEntries((astNode?.directives ?? []).map((node) => [node.name.value, argumentsOf(node)]));
}

function argumentsOf({ name, arguments: nodes = [] }: ConstDirectiveNode): Record<string, unknown> {
  const defaults = DECLARED.getDirective(name.value)?.args.map((arg) => [arg.name, arg.defaultValue]) ?? [];
  return Object.fromEntries([...defaults, ...nodes.map((arg) => [arg.name.value, valueFromASTUntyped(arg.value)])]);
}

/** The permission that the schema's text declares. */
export interface DeclaredAccess {
  /** Set if one scope is required. */
  readonly scope: string | undefined;
  /** Set if several scopes are required. */
  readonly scopes: readonly string[] | undefined;
  /** Whether members of every role need these scopes. Otherwise they must be owners or admins. */
  readonly anyRole: boolean;
  /** Whether the deployment can admit callers without credentials. */
  readonly anonymous: boolean;
  readonly members: 'session' | 'administrator' | undefined;
  readonly credentials: boolean;
}

export function declaredAccess(of: Parameters<typeof directivesOf>[0]): DeclaredAccess {
  const { requiresScopes, requiresMember, requiresCredentials } = directivesOf(of);
  const names = (requiresScopes?.scopes ?? []) as readonly EnumName<Scope>[];
  const scopes = names.map((name) => enumValueIn(SCOPES, name));
  return {
    scope: scopes.length === 1 ? scopes[0] : undefined,
    scopes: scopes.length > 1 ? scopes : undefined,
    anyRole: requiresScopes?.anyRole === true,
    anonymous: requiresScopes?.anonymous === true,
    members: requiresMember && (requiresMember.administrator ? 'administrator' : 'session'),
    credentials: requiresCredentials !== undefined,
  };
}

/** Scopes that a request of a row needs in addition to those of its field. */
export const ALSO_NEEDS: Readonly<Record<string, readonly string[]>> = {
  // An author publishes only fields that the author can call.
  'Mutation.publishDocument': ['documents:read'],
  // Of people of the team. Users of conversations need no more than the field.
  'Mutation.setPresence': ['conversations:handle'],
  'Subscription.presenceChanged': ['conversations:handle'],
};
