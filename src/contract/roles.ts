import { SCOPES, type Scope } from './scopes.ts';

/** What a member of a workspace is. */
export const ROLES = ['owner', 'admin', 'developer', 'viewer'] as const;

export type Role = (typeof ROLES)[number];

/** What a member's session may do (WIRE 4). */
export const SCOPES_OF_ROLE: Readonly<Record<Role, readonly Scope[]>> = {
  owner: SCOPES,
  admin: SCOPES,
  developer: SCOPES.filter((scope) => scope !== 'keys:manage'),
  viewer: SCOPES.filter((scope) => scope.endsWith(':read')),
};

/** Roles that administer the workspace: they read its audit log, and say who its members are. */
export const ADMINISTRATORS: readonly Role[] = ['owner', 'admin'];

/** The roles that somebody with this one may give: their own, and those below it. */
export function rolesGivenBy(role: Role): readonly Role[] {
  return ADMINISTRATORS.includes(role) ? ROLES.slice(ROLES.indexOf(role)) : [];
}
