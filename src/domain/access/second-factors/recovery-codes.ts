import { LIMITS } from '../../../contract/limits.ts';
import type { Transaction } from '../../../db/transaction.ts';
import { hashToken, newRecoveryCode } from '../tokens.ts';

/** A code has about 98 random bits, so a fast hash is safe. Case, spaces and hyphens do not matter. */
export function hashRecoveryCode(userId: string, code: string): string {
  return hashToken(`${userId} ${code.toLowerCase().replace(/[\s-]/g, '')}`);
}

/** Replaces the recovery codes of a user in `tx`. Returns the codes, which are shown once. */
export async function replaceRecoveryCodes(tx: Transaction, userId: string, createdAt: Date): Promise<string[]> {
  const codes = Array.from({ length: LIMITS.recoveryCodes }, () => newRecoveryCode());
  await tx.recoveryCode.deleteMany({ where: { userId } });
  const data = codes.map((code) => ({ userId, codeHash: hashRecoveryCode(userId, code), createdAt }));
  await tx.recoveryCode.createMany({ data });
  return codes.map((code) => code.replace(/(.{5})(?!$)/g, '$1-'));
}
