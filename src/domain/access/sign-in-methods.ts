import type { Role } from '../../contract/roles.ts';
import { SIGN_IN_METHODS, type SignInMethod } from '../../contract/sign-in.ts';
import { Prisma } from '../../db/generated/client.ts';
import type { SessionCaller } from '../caller.ts';
import type { Context } from '../context.ts';
import { loadInBatch } from '../related/batches.ts';
import { ACCEPTS_PASSWORD } from './accepts-password.ts';

/** The columns that show how the account `u` signs in as the member `m`. `p` is the provider of the workspace. */
const METHODS = Prisma.sql`
  u.password_hash IS NOT NULL AND NOT coalesce(p.required, false) AND ${ACCEPTS_PASSWORD} AS password,
  p.workspace_id IS NOT NULL AND (
    EXISTS (SELECT FROM sso_identity i
            WHERE i.workspace_id = m.workspace_id AND i.user_id = m.user_id AND i.issuer = p.issuer)
    OR EXISTS (SELECT FROM sign_in_domain d
               WHERE d.workspace_id = m.workspace_id AND d.domain = split_part(u.email, '@', 2))) AS single_sign_on`;

type Methods = Readonly<Record<SignInMethod, boolean>>;

function methodsIn(row: Methods | undefined): SignInMethod[] {
  return SIGN_IN_METHODS.filter((method) => row?.[method]);
}

/** How a member can sign in to the workspace of the caller. */
export function signInMethodsOf(ctx: Context, userId: string): Promise<SignInMethod[]> {
  const { workspaceId } = ctx.environment;
  return loadInBatch(ctx, 'sign-in methods of a member', userId, async (ids) => {
    const rows = await ctx.sql.rows<Methods & { readonly user_id: string }>`
      SELECT m.user_id, ${METHODS}
      FROM membership m
      JOIN user_account u ON u.id = m.user_id
      LEFT JOIN sso_provider p ON p.workspace_id = m.workspace_id
      WHERE m.workspace_id = ${workspaceId}::uuid AND m.user_id = ANY (${[...ids]}::uuid[])`;
    return ids.map((id) => methodsIn(rows.find((row) => row.user_id === id)));
  });
}

/** A workspace, the role of the user in it, and how the user can sign in there. */
export interface WorkspaceMembership {
  readonly id: string;
  readonly name: string;
  readonly role: Role;
  readonly signInMethods: readonly SignInMethod[];
}

/** The workspaces of the user, the first joined first. `signIn` accepts their IDs. */
export async function listMemberships({ services }: Context, { user }: SessionCaller): Promise<WorkspaceMembership[]> {
  const rows = await services.stores.sql.rows<Methods & Pick<WorkspaceMembership, 'id' | 'name' | 'role'>>`
    SELECT w.id, w.name, m.role::text AS role, ${METHODS}
    FROM membership m
    JOIN workspace w ON w.id = m.workspace_id
    JOIN user_account u ON u.id = m.user_id
    LEFT JOIN sso_provider p ON p.workspace_id = m.workspace_id
    WHERE m.user_id = ${user.id}::uuid
    ORDER BY m.created_at`;
  return rows.map(({ id, name, role, ...methods }) => ({ id, name, role, signInMethods: methodsIn(methods) }));
}

/** When the user proved that their email address is theirs. Null: they have not. */
export async function readEmailVerification({ services }: Context, { user }: SessionCaller): Promise<Date | null> {
  const select = { emailVerifiedAt: true };
  return (await services.stores.prisma.user.findUniqueOrThrow({ where: { id: user.id }, select })).emailVerifiedAt;
}
