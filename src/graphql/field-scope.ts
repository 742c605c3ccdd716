import type { GraphQLField } from 'graphql';
import type { Scope } from '../contract/scopes.ts';
import type { GraphContext } from './context.ts';

/** What a root field asks of its caller. With nothing of it, it is public. */
export interface Access {
  readonly scope?: Scope;
  /** Any valid credential. */
  readonly credentials?: boolean;
  /** A member who has signed in. */
  readonly session?: boolean;
  /** One of them who administers the workspace. */
  readonly administrator?: boolean;
}

export function accessOf(field: GraphQLField<unknown, unknown>): Access {
  const options = field.extensions.pothosOptions as { authScopes?: Access } | undefined;
  return options?.authScopes ?? {};
}

/** @throws {ServiceError} unauthorized, forbidden or session_required, where the caller may not ask for this field */
export function requireAccess({ scope, credentials, session, administrator }: Access, context: GraphContext): void {
  if (scope) context.requireScope(scope);
  if (credentials) context.requireCaller();
  if (session) context.requireSession();
  if (administrator) context.requireAdministrator();
}
