import { z } from 'zod';
import { ServiceError } from '../../../contract/errors.ts';
import type { ConversationStatus, HandlingMode } from '../../../contract/statuses.ts';
import type { Transaction } from '../../../db/transaction.ts';
import { TAKE_OVER } from '../../../shapes/conversations.ts';
import type { Context } from '../../context.ts';
import { conversationNotFound } from '../../conversations/reads.ts';
import { visibleName } from '../../conversations/title.ts';
import { type Author, type HandlingFacts, personIdOf } from '../../handling/handling-state.ts';

/** The name of a person whom nobody has named to the user. */
export const OF_A_TEAM = 'Support';

export const displayNameRule = z
  .pipe(TAKE_OVER.fields.displayName.rule, z.nullish(z.string()))
  .transform((text) => (text == null ? text : (visibleName(text) ?? '')))
  .refine((text) => text !== '', 'must not be blank: it needs a visible character');

/**
 * The person who calls: a member, a member's app, or a person of a connected system with its API key. The user of the
 * conversation reads only the name.
 * @throws {ServiceError} forbidden
 */
export function callerAsAuthor({ caller }: Context, displayName?: string | null): Author {
  const id = personIdOf(caller);
  if (id !== undefined && 'user' in caller) {
    return { displayName: displayName ?? (visibleName(caller.user.name) || OF_A_TEAM), kind: 'member', id };
  }
  if (id !== undefined) return { displayName: displayName ?? OF_A_TEAM, kind: 'api_key', id };
  throw new ServiceError('forbidden', 'Only a member or an API key can handle a conversation for the assistant.');
}

/** What decides who can act in a conversation, read under its lock. */
export interface LockedHandling {
  readonly handling: HandlingMode;
  readonly since: Date | null;
  readonly facts: HandlingFacts | null;
  readonly holderId: string | null;
  /** Whether the lease of the person who has it has not expired. */
  readonly isHeld: boolean;
  readonly status: ConversationStatus;
  readonly completedAt: Date | null;
  readonly latestRunId: string | null;
  readonly owesAnswer: boolean;
}

/** Locks a conversation until the transaction ends. @throws {ServiceError} not_found */
export async function lockHandling(ctx: Context, tx: Transaction, conversationId: string): Promise<LockedHandling> {
  const [row] = await tx.$queryRaw<LockedHandling[]>`
    SELECT handling::text AS handling, handling_since AS since, handling_facts AS facts, holder_id AS "holderId",
           handling = 'member' AND handling_until > now() AS "isHeld", status::text AS status, completed_at AS "completedAt",
           latest_run_id AS "latestRunId", owes_answer AS "owesAnswer"
    FROM conversation WHERE id = ${conversationId}::uuid AND environment_id = ${ctx.environment.id}::uuid FOR NO KEY UPDATE`;
  if (!row) throw conversationNotFound();
  return row;
}
