import { type FieldPath, ServiceError } from '../contract/errors.ts';
import type { Context } from './context.ts';

/**
 * Rejects an address that the service would not send requests to. Every later request checks it again.
 * @throws {ServiceError} invalid_request
 */
export async function requireAddress({ services }: Context, url: string, param: FieldPath = ['url']): Promise<void> {
  const problem = await services.ports.addresses.problemOf(url);
  if (problem) throw new ServiceError('invalid_request', `{param} cannot be used. ${problem}`, { param });
}
