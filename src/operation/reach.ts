import type { ServiceError } from '../contract/errors.ts';
import type { RunnerAddress } from '../domain/access/anonymous.ts';
import { conversationInReach, outOfReach, type Reach, reachOf } from '../domain/access/reach.ts';
import { requireScope } from '../domain/access/scopes.ts';
import type { Caller } from '../domain/caller.ts';
import type { SomeServices } from '../domain/context.ts';
import { conversationNotFound } from '../domain/conversations/reads.ts';
import { deploymentNotFound } from '../domain/workflows/deployments.ts';
import { type Access, isPublic } from './access.ts';
import type { RootField } from './plan.ts';

/**
 * Authorizes a root field for a caller that is bound to deployments. It can use public fields, fields that name one of its
 * deployments or conversations, and lists that leave out the others. A field without a mark is out of reach, so a new
 * field is closed until somebody decides. Returns an error if the field names something out of reach: the same as for an
 * unknown ID.
 * @throws {ServiceError} forbidden
 */
export async function findOutOfReach(
  services: SomeServices<'sql'>,
  caller: Caller,
  root: RootField,
  addressOf: (root: RootField) => RunnerAddress,
): Promise<ServiceError | undefined> {
  const { access } = root;
  const reach = reachOf(caller);
  if (!reach || requireUse(caller, access) !== 'addressed') return undefined;
  return findForeign(services, caller, reach, addressOf(root));
}

/** How a bound caller can use a root field. Undefined: the field is public. @throws {ServiceError} forbidden */
export function requireUse(caller: Caller, access: Access): Access['bound'] {
  if (isPublic(access)) return undefined;
  const { scope, runner, ownerless, bound } = access;
  const use = runner ? 'addressed' : bound;
  if (!use || !scope || (ownerless && caller.kind === 'end_user')) throw outOfReach(caller);
  requireScope(caller, scope);
  return use;
}

/**
 * Everything that the field names must be in reach. A field that names nothing valid is rejected like an unknown ID. An
 * unknown conversation is left to the resolver, which may create it.
 */
async function findForeign(
  { stores: { sql } }: SomeServices<'sql'>,
  { environment }: Caller,
  reach: Reach,
  { deploymentId, conversationId }: RunnerAddress,
): Promise<ServiceError | undefined> {
  if (deploymentId && !reach.deploymentIds.includes(deploymentId)) return deploymentNotFound();
  if (!conversationId) return deploymentId ? undefined : conversationNotFound();
  const [found] = await sql.within(environment).rows<{ inReach: boolean }>`
    SELECT (${conversationInReach(reach)}) IS TRUE AS "inReach" FROM conversation c
    WHERE c.id = ${conversationId}::uuid AND c.environment_id = ${environment.id}::uuid`;
  return found?.inReach === false ? conversationNotFound() : undefined;
}
