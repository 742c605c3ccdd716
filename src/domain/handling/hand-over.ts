import { printableName } from '../../contract/file-name.ts';
import { LIMITS } from '../../contract/limits.ts';
import type { HandlingCause, Urgency } from '../../contract/statuses.ts';
import { Prisma } from '../../db/generated/client.ts';
import type { Context } from '../context.ts';
import type { WorkflowConfig } from '../workflows/config.ts';
import { changeHandling } from './change-handling.ts';

/** A reason as one line, without control characters and half surrogate pairs: the model and its user can write anything. */
function readable(reason: string | null): string | null {
  const cut = reason?.slice(0, LIMITS.handOverReasonLength).replace(/\s+/g, ' ');
  return (cut && printableName(cut).trim()) || null;
}

interface HandOver {
  readonly cause: HandlingCause;
  readonly reason: string | null;
  readonly urgency: Urgency;
}

type WaitRules = Pick<WorkflowConfig, 'handOverWaitMinutes' | 'handOverExpiry'>;

/**
 * The condition that the user has written since nobody came in time. The assistant calls nobody again for the same message: that
 * would never end if the message makes its turns fail.
 */
export function isNewQuestion({ environment }: Context, conversationId: string): Prisma.Sql {
  const inConversation = Prisma.sql`i.conversation_id = ${conversationId}::uuid AND i.environment_id = ${environment.id}::uuid`;
  return Prisma.sql`coalesce((
      SELECT max(i.id) FROM timeline_item i WHERE ${inConversation} AND i.kind = 'message' AND i.role = 'user'), 0) >= coalesce((
      SELECT max(i.id) FROM timeline_item i WHERE ${inConversation} AND i.kind = 'handling' AND i.handling ->> 'cause' = 'wait_expired'), 0)`;
}

/**
 * The statement that lets a conversation of the assistant wait for a person. It returns no row if the conversation waits
 * already, a person has it, it is completed, or the condition does not hold.
 */
export function handOverToPerson(
  ctx: Context,
  conversationId: string,
  { handOverWaitMinutes: waitMinutes, handOverExpiry: onExpiry }: WaitRules,
  { cause, reason, urgency }: HandOver,
  condition: Prisma.Sql = Prisma.sql`true`,
): Prisma.Sql {
  const change = { cause, reason: readable(reason), urgency };
  return changeHandling(
    ctx,
    conversationId,
    {
      facts: { ...change, waitMinutes, onExpiry },
      minutes: waitMinutes,
      item: { mode: 'waiting', ...change },
    },
    Prisma.sql`handling = 'assistant' AND status = 'active' AND ${condition}`,
  );
}
