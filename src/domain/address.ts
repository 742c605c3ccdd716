import { type FieldPath, ServiceError } from '../contract/errors.ts';
import { LIMITS } from '../contract/limits.ts';
import type { Context } from './context.ts';
import { atMost } from './input.ts';

/**
 * An address that a workspace configures. {@link requireAddress} checks whether the service can send requests to it.
 */
export const addressInput = atMost(LIMITS.addressLength)
  .min(1, 'must not be blank')
  .regex(/^\S*$/, 'must be a URL without white space');

/**
 * Rejects an address that the service would not send requests to. Every later request checks it again.
 * @throws {ServiceError} invalid_request
 */
export async function requireAddress({ services }: Context, url: string, param: FieldPath = ['url']): Promise<void> {
  const problem = await services.addresses.problemOf(url);
  if (problem) throw new ServiceError('invalid_request', `{param} cannot be used. ${problem}`, { param });
}
