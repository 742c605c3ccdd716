import { randomBytes } from 'node:crypto';
import { hash, verify } from '@node-rs/argon2';
import { ServiceError } from '../../contract/errors.ts';
import { LIMITS } from '../../contract/limits.ts';

/** Verified for unknown users, so the response time does not reveal whether a user exists. */
const DUMMY_HASH = hash(randomBytes(32));

/** Verifies a password. It takes the same time if there is no stored hash. */
export async function isPassword(storedHash: string | null | undefined, password: string): Promise<boolean> {
  const matches = await verify(storedHash ?? (await DUMMY_HASH), password);
  return matches && storedHash != null;
}

/** @throws {ServiceError} invalid_request if the password is too short or too long */
export function checkPasswordLength(password: string, param: string): void {
  const { minPasswordLength, passwordLength } = LIMITS;
  if (password.length < minPasswordLength || password.length > passwordLength) {
    const message = `{param} must have ${minPasswordLength} to ${passwordLength} characters.`;
    throw new ServiceError('invalid_request', message, { param: [param] });
  }
}

/** @throws {ServiceError} invalid_request if the password is too short or too long */
export async function hashPassword(password: string, param: string): Promise<string> {
  checkPasswordLength(password, param);
  return hash(password);
}
