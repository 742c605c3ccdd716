import { ServiceError } from '../../contract/errors.ts';
import { ADMINISTRATORS, type Role, SCOPES_OF_ROLE } from '../../contract/roles.ts';
import { END_USER_SCOPES, type Scope } from '../../contract/scopes.ts';
import type { Caller, SessionCaller } from '../caller.ts';
import { unauthorized } from './unauthorized.ts';

/**
 * @throws {ServiceError} unauthorized, or forbidden with the name of the missing scope
 */
export function requireScope(caller: Caller, scope: Scope): void {
  // Anonymous access to a deployment is checked elsewhere. Here a scope always needs a credential.
  if (caller.kind === 'anonymous') throw unauthorized();
  if (caller.scopes.has(scope)) return;
  throw scopeMissing(caller, scope);
}

/** The error of a caller with credentials who does not have the scope. */
export function scopeMissing(caller: Caller, scope: Scope): ServiceError {
  return new ServiceError('forbidden', lacking(caller, scope), { facts: { required_scope: scope } });
}

function lacking(caller: Caller, scope: Scope): string {
  if (caller.kind === 'session') {
    return `Your role of ${caller.role} does not have the scope ${scope}. Ask an administrator of the workspace.`;
  }
  if (caller.kind === 'app') {
    return `This app does not have the scope ${scope}. Connect it again and allow the scope, if your role of ${caller.role} has it.`;
  }
  if (caller.kind !== 'end_user')
    return `This API key does not have the scope ${scope}. Use one that was created with it.`;
  if (!END_USER_SCOPES.some((own) => own === scope)) return `A token of an end user cannot have the scope ${scope}.`;
  return caller.app
    ? `This app does not have the scope ${scope}. Connect it again and allow the scope.`
    : `This token does not have the scope ${scope}. Use one that was created with it.`;
}

/**
 * Requires all of the scopes from a key, the role of an administrator from a member, and both from an app.
 * @throws {ServiceError} unauthorized or forbidden
 */
export function requireScopes(caller: Caller, scopes: readonly Scope[]): void {
  if (caller.kind === 'session') {
    requireRole(caller, ADMINISTRATORS);
    return;
  }
  if (caller.kind === 'app' && !ADMINISTRATORS.includes(caller.role)) throw roleMissing(ADMINISTRATORS);
  for (const scope of scopes) requireScope(caller, scope);
}

/** The caller with every scope that an app can ask its person for. Other callers stay as they are. */
export function withGrantableScopes(caller: Caller): Caller {
  if (caller.kind === 'app') return { ...caller, scopes: new Set(SCOPES_OF_ROLE[caller.role]) };
  return caller.kind === 'end_user' && caller.app ? { ...caller, scopes: new Set(END_USER_SCOPES) } : caller;
}

/** Returns the signed-in member. @throws {ServiceError} unauthorized; session_required if the caller is an API key */
export function requireSession(caller: Caller): SessionCaller {
  if (caller.kind === 'anonymous') throw unauthorized();
  if (caller.kind === 'session') return caller;
  throw new ServiceError('session_required', 'Only signed-in members can do this. Send a session token.');
}

/** @throws {ServiceError} session_required; forbidden if the role is not one of `roles` */
export function requireRole(caller: Caller, roles: readonly Role[]): void {
  if (roles.includes(requireSession(caller).role)) return;
  throw roleMissing(roles);
}

function roleMissing(roles: readonly Role[]): ServiceError {
  const message = `Only the roles ${roles.join(' and ')} can do this. Ask a member with one of these roles.`;
  return new ServiceError('forbidden', message, { facts: { required_roles: roles } });
}
