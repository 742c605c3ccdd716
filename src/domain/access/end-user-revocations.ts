import { LIMITS } from '../../contract/limits.ts';
import { hashToken } from './tokens.ts';

/** The key of an end user's revocation. */
export function endUserHash(endUser: string): string {
  return hashToken(endUser);
}

/** Whether a JWT is from before the revocation. A clock that is ahead must not save it, so a few seconds after it count too. */
export function isRevoked(issuedAt: Date, revokedAt: Date | null | undefined): boolean {
  if (!revokedAt) return false;
  return issuedAt.getTime() <= revokedAt.getTime() + LIMITS.endUserJwtClockSeconds * 1_000;
}
