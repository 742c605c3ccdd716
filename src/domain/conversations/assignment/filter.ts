import { HANDLING_ROLES } from '../../../contract/roles.ts';
import { Prisma } from '../../../db/generated/client.ts';
import { requireScope } from '../../access/scopes.ts';
import type { Caller } from '../../caller.ts';
import type { Context } from '../../context.ts';

/** The conditions of a filter on the member to whom a conversation is assigned. */
export interface AssignmentFilter {
  readonly assignee?: string | null | undefined;
  readonly isAssigned?: boolean | null | undefined;
}

/** @throws {ServiceError} forbidden if the filter compares the assignee, which the caller cannot read */
export function requireAssignmentScope(caller: Caller, { assignee, isAssigned }: AssignmentFilter): void {
  if (assignee != null || isAssigned != null) requireScope(caller, 'conversations:handle');
}

/** The conditions on the row `c` of `conversation`. */
export function assignmentConditions(
  environment: Pick<Context['environment'], 'workspaceId'>,
  { assignee, isAssigned }: AssignmentFilter,
): Prisma.Sql[] {
  const isToMember = Prisma.sql`c.assignee_id = ANY (${assignableIds(environment)})`;
  return [
    ...(assignee == null ? [] : [Prisma.sql`c.assignee_id = ${assignee}::uuid AND ${isToMember}`]),
    ...(isAssigned == null ? [] : [isAssigned ? isToMember : Prisma.sql`(${isToMember}) IS NOT TRUE`]),
  ];
}

/**
 * The members who can handle conversations, as an array. An assignment to anybody else does not count: they left the workspace
 * or got another role.
 */
export function assignableIds({ workspaceId }: Pick<Context['environment'], 'workspaceId'>): Prisma.Sql {
  return Prisma.sql`ARRAY(SELECT m.user_id ${handlingMembers(Prisma.sql`${workspaceId}::uuid`)})`;
}

/** The FROM and WHERE of the members of a workspace who can handle conversations. */
export function handlingMembers(workspaceId: Prisma.Sql): Prisma.Sql {
  return Prisma.sql`FROM membership m WHERE m.workspace_id = ${workspaceId} AND m.role = ANY (${[...HANDLING_ROLES]}::role[])`;
}
