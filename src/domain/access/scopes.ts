import { ServiceError } from '../../contract/errors.ts';
import { ADMINISTRATORS, type Role } from '../../contract/roles.ts';
import type { Scope } from '../../contract/scopes.ts';
import type { Caller, SessionCaller } from '../context.ts';
import { unauthorized } from './authenticate.ts';

/**
 * @throws {ServiceError} unauthorized, or forbidden, naming the scope, where the caller's key was not given it
 */
export function requireScope(caller: Caller, scope: Scope): void {
  // What one deployment is open for is asked for by itself: elsewhere nobody is known.
  if (caller.kind === 'anonymous') throw unauthorized();
  if (caller.scopes.has(scope)) return;
  throw new ServiceError(
    'forbidden',
    caller.kind === 'session'
      ? `Your role of ${caller.role} does not have the scope ${scope}. Ask an administrator of the workspace.`
      : `This API key does not have the scope ${scope}. Use a key that was created with it.`,
    { facts: { required_scope: scope } },
  );
}

/**
 * For what takes all of these at once: a key has to have each of them, a member has to administer the workspace.
 * @throws {ServiceError} unauthorized or forbidden
 */
export function requireScopes(caller: Caller, scopes: readonly Scope[]): void {
  if (caller.kind === 'session') requireRole(caller, ADMINISTRATORS);
  else for (const scope of scopes) requireScope(caller, scope);
}

/** The member who asks. @throws {ServiceError} session_required where it is an API key */
export function requireSession(caller: Caller): SessionCaller {
  if (caller.kind === 'anonymous') throw unauthorized();
  if (caller.kind === 'session') return caller;
  throw new ServiceError('session_required', 'This is for members who have signed in: send a session token.');
}

/** @throws {ServiceError} session_required, or forbidden where their role is none of those that may */
export function requireRole(caller: Caller, roles: readonly Role[]): void {
  if (roles.includes(requireSession(caller).role)) return;
  throw new ServiceError('forbidden', `This is for the roles ${roles.join(' and ')}. Ask one of them.`, {
    facts: { required_roles: roles },
  });
}
