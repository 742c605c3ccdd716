import type { SecondFactorKind, SecondFactorMethod } from '../../../contract/sign-in.ts';
import type { PrismaClient } from '../../../db/generated/client.ts';
import type { Context, PublicContext } from '../../context.ts';
import { loadInBatch } from '../../related/batches.ts';

/** A second factor of a user, without its secrets. */
export interface Factor {
  readonly id: string;
  readonly kind: SecondFactorKind;
  readonly name: string;
  readonly createdAt: Date;
  readonly lastUsedAt: Date | null;
}

const SHOWN = { id: true, kind: true, name: true, createdAt: true, lastUsedAt: true } as const;

/** The condition on the second factors that the user has confirmed. */
export function confirmedOf(userId: string) {
  return { userId, expiresAt: null };
}

/** The second factors of a user, oldest first. */
export function listFactors({ services }: PublicContext, userId: string): Promise<Factor[]> {
  const orderBy = [{ createdAt: 'asc' as const }, { id: 'asc' as const }];
  return services.stores.prisma.secondFactor.findMany({ where: confirmedOf(userId), select: SHOWN, orderBy });
}

export function countRecoveryCodes({ services }: PublicContext, userId: string): Promise<number> {
  return services.stores.prisma.recoveryCode.count({ where: { userId } });
}

/** Whether a member has a second factor. */
export function hasSecondFactor(ctx: Context, userId: string): Promise<boolean> {
  return loadInBatch(ctx, 'second factors of a member', userId, async (ids) => {
    const where = { userId: { in: [...ids] }, expiresAt: null };
    const rows = await ctx.db.secondFactor.findMany({ where, select: { userId: true }, distinct: ['userId'] });
    return ids.map((id) => rows.some((row) => row.userId === id));
  });
}

/** How a user can complete a sign-in. Empty: they have no second factor. */
export async function methodsOf(
  tx: Pick<PrismaClient, 'secondFactor' | 'recoveryCode'>,
  userId: string,
): Promise<SecondFactorMethod[]> {
  const factors = await tx.secondFactor.findMany({ where: confirmedOf(userId), select: { kind: true } });
  if (factors.length === 0) return [];
  const kinds = [...new Set(factors.map(({ kind }) => kind))].sort().reverse();
  const codes = await tx.recoveryCode.count({ where: { userId } });
  return codes > 0 ? [...kinds, 'recovery_code'] : kinds;
}

/** The owner of a sealed secret, for `SecretBox`. */
export function factorOwner(userId: string): string {
  return `second factor of ${userId}`;
}
