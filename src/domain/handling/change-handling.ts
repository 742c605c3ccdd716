import type { HandlingMode, LifecycleEventType } from '../../contract/statuses.ts';
import { Prisma } from '../../db/generated/client.ts';
import type { Context } from '../context.ts';
import { conversationEvent } from '../events/lifecycle.ts';
import type { HandlingChange, HandlingFacts } from './handling-state.ts';

/** Each mode with the event of the change to it. */
const EVENT_OF_MODE = {
  waiting: 'conversation.handed_over',
  member: 'conversation.taken',
  assistant: 'conversation.handed_back',
} as const satisfies Record<HandlingMode, LifecycleEventType>;

interface Change {
  readonly facts: HandlingFacts | null;
  /** Minutes until the lease or the wait ends. Null: never. */
  readonly minutes: number | null;
  /** Whether the assistant owes an answer to the messages that no turn answered. */
  readonly owesAnswer?: boolean;
  readonly item: HandlingChange;
}

/**
 * The statement that changes who handles a conversation, stores the change in its timeline and writes the event. It changes
 * nothing unless `condition` holds. Publish the change after the commit. Returns the ID of a changed conversation.
 */
export function changeHandling(
  ctx: Context,
  conversationId: string,
  { facts, minutes, owesAnswer = false, item }: Change,
  condition: Prisma.Sql,
): Prisma.Sql {
  const { mode, cause, urgency } = item;
  return Prisma.sql`
    WITH changed AS (
      UPDATE conversation
      SET handling = ${mode}::handling_mode, handling_since = now(), handling_until = ${untilAfter(minutes)},
          handling_facts = ${facts && JSON.stringify(facts)}::jsonb, holder_id = ${(mode === 'member' && facts?.holder?.id) || null},
          owes_answer = ${owesAnswer}, updated_at = updated_at
      WHERE id = ${conversationId}::uuid AND environment_id = ${ctx.environment.id}::uuid AND ${condition}
      RETURNING id, environment_id, deployment_id, latest_run_id
    ), item AS (
      INSERT INTO timeline_item (environment_id, conversation_id, run_id, kind, step, handling, revision, created_at)
      SELECT environment_id, id, latest_run_id, 'handling', 0, ${JSON.stringify(item)}::jsonb, next_revision(), now()
      FROM changed WHERE latest_run_id IS NOT NULL
    ), ${conversationEvent(EVENT_OF_MODE[mode], { handling: mode, cause, ...(urgency && { urgency }) })}
    SELECT id FROM changed`;
}

/** A moment in minutes from now, by the clock of the database. Null: never. */
export function untilAfter(minutes: number | null): Prisma.Sql {
  return Prisma.sql`now() + make_interval(mins => ${minutes}::int)`;
}
