import { ServiceError } from '../../contract/errors.ts';
import type { Scope } from '../../contract/scopes.ts';
import type { Caller } from '../context.ts';

/**
 * @throws {ServiceError} forbidden, naming the scope, where the caller's key was not given it
 */
export function requireScope(caller: Caller, scope: Scope): void {
  if (caller.scopes.has(scope)) return;
  throw new ServiceError(
    'forbidden',
    `This API key does not have the scope ${scope}. Use a key that was created with it.`,
    { facts: { required_scope: scope } },
  );
}
