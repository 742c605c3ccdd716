import { randomBytes } from 'node:crypto';
import { hash, verify } from '@node-rs/argon2';
import { ServiceError } from '../../contract/errors.ts';

const SHORTEST = 12;
const LONGEST = 256;

/** As costly to check as a real one, and nobody's: whether a user is known must not show in the time of an answer. */
const NOBODYS = hash(randomBytes(32));

/** Whether this is the password; takes as long where there is nobody to ask. */
export async function isPassword(stored: string | undefined, given: string): Promise<boolean> {
  const matches = await verify(stored ?? (await NOBODYS), given);
  return matches && stored !== undefined;
}

/** @throws {ServiceError} invalid_request where it is too short or too long */
export function hashPassword(password: string, param: string): Promise<string> {
  if (password.length < SHORTEST || password.length > LONGEST) {
    throw new ServiceError('invalid_request', `{param} must have ${SHORTEST} to ${LONGEST} characters.`, {
      param: [param],
    });
  }
  return hash(password);
}
