import type { GraphQLField } from 'graphql';
import type { Scope } from '../contract/scopes.ts';
import type { RunnerAddress } from '../domain/access/anonymous.ts';
import type { GraphContext } from './context.ts';

/** What a root field asks of its caller. With nothing of it, it is public. */
export interface Access {
  readonly scope?: Scope;
  /** All of these of a key; of a member, that they administer the workspace. */
  readonly scopes?: readonly Scope[];
  /** The scope is not asked of anonymous callers, where the deployment takes such. */
  readonly runner?: boolean;
  /** Any valid credential. */
  readonly credentials?: boolean;
  /** A member who has signed in. */
  readonly session?: boolean;
  /** One of them who administers the workspace. */
  readonly administrator?: boolean;
}

interface AccessExtensions {
  /** Where the field's own is a function. */
  readonly access?: Access;
  readonly pothosOptions?: { readonly authScopes?: Access };
}

/** The options of a field that works for one deployment: for its callers with the scope, and for anonymous ones. */
export function runnerAccess(scope: Scope) {
  return {
    authScopes: (_root: unknown, { deploymentId, conversationId }: RunnerAddress) => ({
      runner: { scope, deploymentId, conversationId },
    }),
    extensions: { access: { scope, runner: true } satisfies Access },
  };
}

export function accessOf(field: GraphQLField<unknown, unknown>): Access {
  const { access, pothosOptions } = field.extensions as AccessExtensions;
  return access ?? pothosOptions?.authScopes ?? {};
}

/** @throws {ServiceError} unauthorized, forbidden, session_required or origin_not_allowed: who may not ask for this */
export async function requireAccess(
  { scope, scopes, runner, credentials, session, administrator }: Access,
  context: GraphContext,
  address: RunnerAddress,
): Promise<void> {
  if (scope && runner) await context.enterRunner(scope, address);
  else if (scope) context.requireScope(scope);
  if (scopes) context.requireScopes(scopes);
  if (credentials) context.requireCaller();
  if (session) context.requireSession();
  if (administrator) context.requireAdministrator();
}
