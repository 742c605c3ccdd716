import type { GraphQLField } from 'graphql';
import type { Scope } from '../contract/scopes.ts';

/** The scope that a root field asks of its caller; undefined where it is public. */
export function scopeOf(field: GraphQLField<unknown, unknown>): Scope | undefined {
  const options = field.extensions.pothosOptions as { authScopes?: { scope?: Scope } } | undefined;
  return options?.authScopes?.scope;
}
