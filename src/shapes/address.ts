import * as z from 'zod/mini';
import { LIMITS } from '../contract/limits.ts';
import { formatCount } from '../contract/quantities.ts';
import { textOf } from './kinds.ts';

const LENGTH = formatCount(LIMITS.addressLength);

/** An address that a workspace configures. The domain checks whether the service can send requests to it. */
const addressRule = z
  .string()
  .check(
    z.maxLength(LIMITS.addressLength, `must have at most ${LENGTH} characters`),
    z.minLength(1, 'must not be blank'),
    z.regex(/^\S*$/, 'must be a URL without white space'),
  );

/** An https URL. */
export const address = (says = 'A public https URL', note?: string) =>
  textOf(addressRule, {
    says: `${says}, at most ${LENGTH} characters`,
    most: LIMITS.addressLength,
    ...(note && { note }),
  });
