import { LIMITS } from '../../../contract/limits.ts';
import type { SomeServices } from '../../context.ts';

/** Seals the end of a challenge for its owner. */
export function sealUntil({ settings: { secretBox } }: SomeServices<'secretBox'>, owner: string, now: Date): string {
  const until = now.getTime() + LIMITS.challengeMinutes * 60_000;
  return Buffer.from(secretBox.seal(String(until), owner)).toString('base64url');
}

/** Whether the token was sealed for this owner, and its time is not over. */
export function openUntil(
  { settings: { secretBox } }: SomeServices<'secretBox'>,
  owner: string,
  token: string,
  now: Date,
): boolean {
  const sealed = Buffer.from(token, 'base64url');
  // The same bytes have several texts, and uses are counted by text.
  if (sealed.toString('base64url') !== token) return false;
  try {
    return Number(secretBox.open(sealed, owner)) > now.getTime();
  } catch {
    // It was not sealed here, or it was sealed for another owner.
    return false;
  }
}
