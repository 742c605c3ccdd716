import { ServiceError } from '../../contract/errors.ts';

/** @throws {ServiceError} invalid_request where a period ends before it begins */
export function requirePeriod(from: Date | null | undefined, to: Date | null | undefined): void {
  if (!from || !to || from <= to) return;
  throw new ServiceError('invalid_request', '{param} must not be after to.', { param: ['from'] });
}
