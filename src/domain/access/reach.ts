import { ServiceError } from '../../contract/errors.ts';
import { Prisma } from '../../db/generated/client.ts';
import type { Caller } from '../caller.ts';

/** The part of an environment that a caller is bound to. */
export interface Reach {
  readonly deploymentIds: readonly string[];
  /** The end user to whom the conversations belong. Undefined: of every owner. */
  readonly endUser?: string;
}

/** The reach of a key that is bound to deployments, and of an end user. Undefined for callers that reach everything. */
export function reachOf(caller: Caller): Reach | undefined {
  if (caller.kind === 'end_user') return { deploymentIds: caller.deploymentIds, endUser: caller.endUser };
  if (caller.kind !== 'api_key' || caller.deploymentIds.length === 0) return undefined;
  return { deploymentIds: caller.deploymentIds };
}

/** The condition that a conversation is in reach. `row` is its name in the statement. */
export function conversationInReach({ deploymentIds, endUser }: Reach, row: 'c' | 'conversation' = 'c'): Prisma.Sql {
  const name = Prisma.raw(row);
  const isOwn = endUser === undefined ? Prisma.empty : Prisma.sql` AND ${name}.end_user = ${endUser}`;
  return Prisma.sql`${name}.deployment_id = ANY (${[...deploymentIds]}::uuid[])${isOwn}`;
}

/**
 * The condition on the owner of the row `conversation`: an end user reaches only their own conversations, and a caller
 * without credentials only those without an owner. It repeats what the pipeline has checked, because a conversation with a
 * chosen ID can be created after that.
 */
export function ownedBy(caller: Caller): Prisma.Sql {
  if (caller.kind === 'end_user') return Prisma.sql` AND conversation.end_user = ${caller.endUser}`;
  return caller.kind === 'anonymous' ? Prisma.sql` AND conversation.end_user IS NULL` : Prisma.empty;
}

/** The error of an operation that a caller with a reach cannot use. */
export function outOfReach({ kind }: Caller): ServiceError {
  return new ServiceError(
    'forbidden',
    kind === 'end_user'
      ? 'A token of an end user gives access only to conversations of that user.'
      : 'This API key is bound to deployments, and this operation is not about one of them. Use a key that is not bound.',
  );
}
