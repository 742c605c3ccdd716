import type { ServiceError } from '../../contract/errors.ts';
import type { Scope } from '../../contract/scopes.ts';
import { scopeMissing, withGrantableScopes } from '../../domain/access/scopes.ts';
import type { Access } from '../access.ts';
import { canUse } from '../can-use.ts';
import type { OpenRequest } from '../operation-request.ts';

/** Why an app has to ask its person for more scopes. */
export interface StepUp {
  readonly error: ServiceError;
  /** All that the app needs, with those that it has: a client asks for exactly the scopes that it reads. */
  readonly scopes: readonly Scope[];
}

type Identified = Pick<OpenRequest, 'identity'>;

/** Whether the caller can use all of the fields, or is an app that can ask its person for the missing scopes. */
export function canBeAllowed({ identity: { caller } }: Identified, fields: readonly Access[]): boolean {
  return caller !== undefined && fields.every((access) => canUse(withGrantableScopes(caller), access));
}

/**
 * What an app has to ask its person for before it can use the fields. Undefined for other callers, and if the app has every
 * scope, or the person could not allow it.
 */
export function stepUpFor(opened: Identified, fields: readonly Access[]): StepUp | undefined {
  const { caller } = opened.identity;
  if (!caller || !canAskForScopes(opened) || !canBeAllowed(opened, fields)) return undefined;
  const needed = fields.flatMap(({ scope, scopes = [] }) => (scope ? [scope, ...scopes] : scopes));
  const missing = [...new Set(needed)].filter((scope) => !caller.scopes.has(scope));
  if (missing[0] === undefined) return undefined;
  return { error: scopeMissing(caller, missing[0]), scopes: [...caller.scopes, ...missing] };
}

/** Whether the caller is an app. */
export function canAskForScopes({ identity: { caller } }: Identified): boolean {
  return caller !== undefined && withGrantableScopes(caller) !== caller;
}
