import type { GraphQLField } from 'graphql';
import type { Scope } from '../contract/scopes.ts';
import type { GraphContext } from './context.ts';

interface Access {
  readonly scope?: Scope;
  readonly credentials?: boolean;
}

function accessOf(field: GraphQLField<unknown, unknown>): Access {
  const options = field.extensions.pothosOptions as { authScopes?: Access } | undefined;
  return options?.authScopes ?? {};
}

/** The scope that a root field asks of its caller; undefined where it is public, or asks for credentials alone. */
export function scopeOf(field: GraphQLField<unknown, unknown>): Scope | undefined {
  return accessOf(field).scope;
}

/** @throws {ServiceError} unauthorized or forbidden, where the caller may not ask for this root field */
export function requireAccess(field: GraphQLField<unknown, unknown>, context: GraphContext): void {
  const { scope, credentials } = accessOf(field);
  if (scope) context.requireScope(scope);
  else if (credentials) context.requireCaller();
}
