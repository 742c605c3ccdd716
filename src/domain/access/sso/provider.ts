import { ROLES, type Role } from '../../../contract/roles.ts';
import type { SsoProvider } from '../../../db/generated/client.ts';
import { required } from '../../../shapes/field.ts';
import { OIDC } from '../../../shapes/sign-in-settings.ts';
import type { SomeServices } from '../../context.ts';
import type { OidcClaims, OidcClient } from './oidc-port.ts';

/** Gives a role to people whose role claim has this value. */
export interface RoleMapping {
  readonly value: string;
  readonly role: Role;
}

const roleMap = required(OIDC.fields.roleMap).rule;

/** The stored role map. */
export function roleMapOf(provider: Pick<SsoProvider, 'roleMap'>): readonly RoleMapping[] {
  return roleMap.parse(provider.roleMap);
}

/** The registration at the provider, with its decrypted secret. */
export function clientOf({ settings: { secretBox } }: SomeServices<'secretBox'>, provider: SsoProvider): OidcClient {
  const { issuer, clientId, sealedClientSecret, workspaceId } = provider;
  return { issuer, clientId, clientSecret: secretBox.open(sealedClientSecret, secretOwner(workspaceId)) };
}

/** The owner of the sealed client secret, for `SecretBox`. */
export function secretOwner(workspaceId: string): string {
  return `client secret of ${workspaceId}`;
}

/**
 * The address to which the provider sends the browser back. Each workspace has its own, so one provider cannot send its
 * response in the name of another one (RFC 9700, section 4.4).
 */
export function redirectUri({ settings: { publicUrl } }: SomeServices<'publicUrl'>, workspaceId: string): string {
  return `${publicUrl}/sign-in/oidc/callback/${workspaceId}`;
}

/** The role that the provider gives to a person. Undefined if it does not decide about roles. */
export function mappedRole(provider: SsoProvider, claims: OidcClaims): Role | undefined {
  const { roleClaim, defaultRole } = provider;
  if (roleClaim === null) return undefined;
  const claim = Object.hasOwn(claims, roleClaim) ? claims[roleClaim] : [];
  const values = new Set<unknown>(Array.isArray(claim) ? claim : [claim]);
  const roles = roleMapOf(provider).flatMap(({ value, role }) => (values.has(value) ? [role] : []));
  return ROLES.find((role) => roles.includes(role)) ?? defaultRole;
}
