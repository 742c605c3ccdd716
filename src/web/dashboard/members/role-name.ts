import { type EnumName, enumValueOf } from '../../../contract/enum-names.ts';
import type { Role } from '../../../contract/roles.ts';

export type RoleName = EnumName<Role>;

/** Owner, Admin, Developer or Viewer. */
export const roleName = (role: RoleName) => role.charAt(0) + enumValueOf(role).slice(1);
