import * as z from 'zod/mini';
import { enumNameOf, enumValueOf } from '../../../contract/enum-names.ts';
import { LIMITS } from '../../../contract/limits.ts';
import { ROLES } from '../../../contract/roles.ts';
import { addProblem, converted } from '../forms/rules.ts';
import type { RoleName } from '../members/role-name.ts';

interface Mapping {
  readonly value: string;
  readonly role: RoleName;
}

/** One `value = role` per line. */
export const roleMapText = converted(z.string(), (text, context) => {
  const lines = text.split('\n').filter((line) => line.trim() !== '');
  const mappings = lines.flatMap((line): Mapping[] => {
    const at = line.lastIndexOf('=');
    const value = line.slice(0, Math.max(at, 0)).trim();
    const role = ROLES.find(
      (one) =>
        one ===
        line
          .slice(at + 1)
          .trim()
          .toLowerCase(),
    );
    return at > 0 && value && role ? [{ value, role: enumNameOf(role) }] : [];
  });
  if (mappings.length === lines.length && lines.length <= LIMITS.roleMapEntries) return mappings;
  const rule = `Write "group = role" in each line, with the role ${ROLES.join(', ')}.`;
  addProblem(context, `${rule} Use at most ${LIMITS.roleMapEntries} lines.`);
  return z.NEVER;
});

/** The text of stored mappings. */
export function formatRoleMap(mappings: readonly Mapping[]): string {
  return mappings.map(({ value, role }) => `${value} = ${enumValueOf(role)}`).join('\n');
}
