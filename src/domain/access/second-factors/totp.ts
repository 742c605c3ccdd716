import { Secret, TOTP } from 'otpauth';
import { LIMITS } from '../../../contract/limits.ts';

const PERIOD_SECONDS = 30;

/** The steps before and after the current one whose codes are accepted, because clocks differ. */
const WINDOW = 1;

/** The parameters that every authenticator app knows. */
function totpOf(secret: string): TOTP {
  return new TOTP({ issuer: 'Parley', algorithm: 'SHA1', digits: LIMITS.totpDigits, period: PERIOD_SECONDS, secret });
}

/** A new secret of 160 bits, in Base32. */
export function newTotpSecret(): string {
  return new Secret({ size: 20 }).base32;
}

/** The URI that authenticator apps read from a QR code. */
export function totpUri(secret: string, email: string): string {
  const totp = totpOf(secret);
  totp.label = email;
  return totp.toString();
}

/** The time step of a valid code. Undefined: the code is wrong. */
export function totpStep(secret: string, code: string, at: Date): number | undefined {
  const timestamp = at.getTime();
  const delta = totpOf(secret).validate({ token: code.replace(/\s/g, ''), timestamp, window: WINDOW });
  return delta === null ? undefined : Math.floor(timestamp / 1_000 / PERIOD_SECONDS) + delta;
}
