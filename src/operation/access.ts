import type { GraphQLField } from 'graphql';
import { ServiceError } from '../contract/errors.ts';
import type { Scope } from '../contract/scopes.ts';
import type { OperationContext } from './context.ts';

/** The permission that a field requires. A root field without requirements is public. */
export interface Access {
  readonly scope?: Scope;
  /** An API key needs every scope. A member must be an owner or admin, unless `anyRole` is set. */
  readonly scopes?: readonly Scope[];
  /** Members need `scopes` like API keys, whatever their role. */
  readonly anyRole?: boolean;
  /** Callers without credentials need no scope if the deployment admits them. */
  readonly runner?: boolean;
  /** Any valid credential. */
  readonly credentials?: boolean;
  /** A signed-in member. */
  readonly session?: boolean;
  /** A signed-in owner or admin. */
  readonly administrator?: boolean;
  /**
   * How keys that are bound to deployments can use the field: `addressed` if it names a deployment or conversation,
   * `filtered` if its resolver leaves out what is out of reach, `inside` if it belongs to the object that was reached.
   * Without it they cannot use it. Runner fields are addressed.
   */
  readonly bound?: 'addressed' | 'filtered' | 'inside';
  /** Whether end users cannot use the field, because it makes nothing that could belong to them. */
  readonly ownerless?: boolean;
  /** The property in which a payload brings the value of a nullable field to a caller who has no credentials yet. */
  readonly carriedAs?: string;
}

/** Access to a field of one deployment, also for callers without credentials. */
export function runnerAccess(scope: Scope): Access {
  return { scope, runner: true };
}

export function accessOf(field: GraphQLField<unknown, unknown>): Access {
  return (field.extensions.access as Access | undefined) ?? {};
}

/** Whether the field needs no credentials. */
export function isPublic(access: Access): boolean {
  return Object.keys(access).length === 0;
}

/** Whether the field starts or changes something. */
export function isWrite({ scope }: Access): boolean {
  return scope !== undefined && !scope.endsWith(':read');
}

type Requirements = Pick<
  OperationContext,
  'requireScope' | 'requireScopes' | 'requireCaller' | 'requireSession' | 'requireAdministrator'
>;

/** @throws {ServiceError} unauthorized, forbidden or session_required */
export function requireAccess(
  { scope, scopes, anyRole, credentials, session, administrator, bound }: Access,
  context: Requirements,
): void {
  if (scope) context.requireScope(scope, bound === 'inside');
  if (scopes && anyRole) for (const each of scopes) context.requireScope(each);
  else if (scopes) context.requireScopes(scopes);
  if (credentials) context.requireCaller();
  if (session) context.requireSession();
  if (administrator) context.requireAdministrator();
}

/** Whether the caller has the permission. */
export function hasAccess(access: Access, context: Requirements): boolean {
  try {
    requireAccess(access, context);
    return true;
  } catch (error) {
    if (error instanceof ServiceError) return false;
    throw error;
  }
}
