import { hash } from 'node:crypto';
import { LIMITS } from '../../../contract/limits.ts';
import type { SomeServices } from '../../context.ts';
import { openUntil, sealUntil } from './sealed-time.ts';

/** A challenge that nothing stores: the token is sealed for one deployment and one address, until a time. */
export function newChallenge(services: SomeServices<'secretBox'>, holder: string, now: Date): string {
  return sealUntil(services, `challenge of ${holder}`, now);
}

/**
 * The token of a solution `TOKEN.NUMBER` if the SHA-256 of its text begins with enough zero bits. Undefined if it does not,
 * or the token has expired or belongs to another deployment or address.
 */
export function solvedToken(
  services: SomeServices<'secretBox'>,
  holder: string,
  solution: string,
  now: Date,
): string | undefined {
  const token = /^([\w-]+)\.\d{1,16}$/.exec(solution)?.[1];
  if (token === undefined || !hasZeroBits(hash('sha256', solution, 'buffer'))) return undefined;
  return openUntil(services, `challenge of ${holder}`, token, now) ? token : undefined;
}

/** Whether a digest begins with the number of zero bits that a challenge needs. */
function hasZeroBits(digest: Buffer): boolean {
  return digest.readUInt32BE(0) >>> (32 - LIMITS.challengeBits) === 0;
}
