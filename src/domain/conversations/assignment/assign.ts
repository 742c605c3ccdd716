import { z } from 'zod';
import { ServiceError } from '../../../contract/errors.ts';
import { LIMITS } from '../../../contract/limits.ts';
import { Prisma } from '../../../db/generated/client.ts';
import { ASSIGN_CONVERSATION } from '../../../shapes/conversations.ts';
import { rulesOf } from '../../../shapes/field.ts';
import type { Context } from '../../context.ts';
import { parseInput } from '../../input.ts';
import { publishConversationChange } from '../publish-change.ts';
import { findConversation } from '../reads.ts';
import { assignableIds } from './filter.ts';

/** A member who can handle conversations. */
export interface Assignee {
  /** The ID of the account. */
  readonly memberId: string;
  readonly displayName: string;
}

const { memberId } = ASSIGN_CONVERSATION.fields;

const assignment = z.object(rulesOf({ memberId }));

/**
 * Assigns a conversation to a member, or to nobody. It does not change who answers in it. The last of several assignments counts.
 * @throws {ServiceError} not_found, invalid_request
 */
export async function assignConversation(
  ctx: Context,
  { conversationId, ...input }: { readonly conversationId: string } & object,
): Promise<void> {
  const { memberId } = parseInput(assignment, input);
  if (memberId === undefined) throw wrongMember('is required: send null to assign the conversation to nobody.');
  const isAssignable =
    memberId === null ? TRUE : Prisma.sql`${memberId}::uuid = ANY (${assignableIds(ctx.environment)})`;
  const count = await ctx.db.$executeRaw`
    UPDATE conversation SET assignee_id = ${memberId}::uuid
    WHERE id = ${conversationId}::uuid AND environment_id = ${ctx.environment.id}::uuid AND ${isAssignable}`;
  if (count === 0) {
    await findConversation(ctx, { conversationId }, { select: { id: true } });
    throw wrongMember('must be the ID of a member of the workspace who can handle conversations.');
  }
  publishConversationChange(ctx.services.stores.pubSub, ctx.environment.id, conversationId);
}

const TRUE = Prisma.sql`true`;

function wrongMember(rule: string): ServiceError {
  return new ServiceError('invalid_request', `{param} ${rule}`, { param: ['memberId'] });
}

/** The members who can handle conversations, by name: at most `LIMITS.assignableMembers`. */
export function listAssignable(ctx: Context): Promise<Assignee[]> {
  return readAssignees(ctx, TRUE);
}

/** Those of these accounts to whom conversations can be assigned. Null for each other one. */
export async function findAssignees(ctx: Context, ids: readonly string[]): Promise<(Assignee | null)[]> {
  const found = await readAssignees(ctx, Prisma.sql`u.id = ANY (${[...new Set(ids)]}::uuid[])`);
  const byId = new Map(found.map((assignee) => [assignee.memberId, assignee]));
  return ids.map((id) => byId.get(id) ?? null);
}

function readAssignees({ sql, environment }: Context, condition: Prisma.Sql): Promise<Assignee[]> {
  return sql.rows<Assignee>`
    SELECT u.id AS "memberId", u.name AS "displayName" FROM user_account u
    WHERE u.id = ANY (${assignableIds(environment)}) AND ${condition}
    ORDER BY u.name, u.id LIMIT ${LIMITS.assignableMembers}`;
}
