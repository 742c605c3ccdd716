import { ServiceError } from '../contract/errors.ts';
import { ADMINISTRATORS } from '../contract/roles.ts';
import { reachOf } from '../domain/access/reach.ts';
import { requireRole, requireScope, requireScopes, requireSession } from '../domain/access/scopes.ts';
import type { Caller } from '../domain/caller.ts';
import { type Access, requireAccess } from './access.ts';
import { requireUse } from './reach.ts';

/**
 * Whether a caller with credentials can use a root field at all. The objects that a call names can still be out of the
 * caller's reach.
 */
export function canUse(caller: Caller, access: Access): boolean {
  try {
    if (reachOf(caller)) requireUse(caller, access);
    else requireAccess(access, requirementsOf(caller));
    return true;
  } catch (error) {
    if (error instanceof ServiceError) return false;
    throw error;
  }
}

const requirementsOf = (caller: Caller): Parameters<typeof requireAccess>[1] => ({
  requireScope: (scope) => requireScope(caller, scope),
  requireScopes: (scopes) => requireScopes(caller, scopes),
  requireCaller: () => {},
  requireSession: () => requireSession(caller),
  requireAdministrator: () => requireRole(caller, ADMINISTRATORS),
});
