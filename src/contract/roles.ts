import { SCOPES, type Scope } from './scopes.ts';

/** Roles of a workspace's members, highest first. */
export const ROLES = ['owner', 'admin', 'developer', 'viewer'] as const;

export type Role = (typeof ROLES)[number];

/** The scopes of a member's session. */
export const SCOPES_OF_ROLE: Readonly<Record<Role, readonly Scope[]>> = {
  owner: SCOPES,
  admin: SCOPES,
  developer: SCOPES.filter((scope) => scope !== 'keys:manage'),
  // Traces contain prompts, and arguments and results of server tools.
  viewer: SCOPES.filter((scope) => scope.endsWith(':read') && scope !== 'traces:read'),
};

/** The roles whose members can handle conversations. */
export const HANDLING_ROLES: readonly Role[] = ROLES.filter((role) =>
  SCOPES_OF_ROLE[role].includes('conversations:handle'),
);

/** Roles that read the audit log and manage members. */
export const ADMINISTRATORS: readonly Role[] = ['owner', 'admin'];

/** The roles that a member with this role can assign: the member's own role and lower ones. */
export function assignableRoles(role: Role): readonly Role[] {
  return ADMINISTRATORS.includes(role) ? ROLES.slice(ROLES.indexOf(role)) : [];
}
