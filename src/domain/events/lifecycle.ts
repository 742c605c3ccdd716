import type { LifecycleEventType, RunStatus } from '../../contract/statuses.ts';
import { Prisma } from '../../db/generated/client.ts';
import { newTypeId } from '../type-id.ts';
import { currentTraceParent } from './trace-parent.ts';

// CTEs that write lifecycle events in the statement of the change. Payloads have only IDs, statuses and names of tools:
// the log is append-only, so what it contains can never be erased. Publish the event topic after the commit.

/** Each status of a run with its event. A run gets `run.started` once: a resume changes the status without an event. */
const TYPE_OF_STATUS = {
  running: 'run.started',
  waiting_for_client_action: 'run.waiting',
  completed: 'run.completed',
  interrupted: 'run.interrupted',
  failed: 'run.failed',
  // The payload has the status `expired`.
  expired: 'run.failed',
} as const satisfies Record<RunStatus, LifecycleEventType>;

/** The event of a message that was stored for a person. */
const RECEIVED = 'conversation.message_received' satisfies LifecycleEventType;

const CASES = Object.entries(TYPE_OF_STATUS).map(([status, type]) => `WHEN '${status}' THEN '${type}'`);
const TYPE_BY_STATUS = Prisma.raw(`CASE changed.status ${CASES.join(' ')} END`);

const INSERT = Prisma.sql`
      INSERT INTO event (id, environment_id, conversation_id, type, resource_id, payload, occurred_at, traceparent)`;

/** Without it, a distributed database would copy the rows to another server. COPY and row-level security exclude each other. */
const RETURNING = Prisma.sql`RETURNING id`;

/**
 * Writes an event for each run in `from`, by its new status. `extra` is added to the payload. Without `deploymentId`, the
 * statement looks it up. `atMost` is the number of rows that `from` can have.
 */
export function runEvents(
  from: 'new_run' | 'moved',
  deploymentId: string | null = null,
  extra: Readonly<Record<string, unknown>> = {},
  atMost = 1,
): Prisma.Sql {
  const ids = Array.from({ length: atMost }, () => newTypeId('evt'));
  // Only a new run can be that of a message for a person.
  const type =
    from === 'new_run'
      ? Prisma.sql`CASE WHEN changed.handled_by IS NULL THEN ${TYPE_BY_STATUS} ELSE ${RECEIVED} END`
      : TYPE_BY_STATUS;
  const added = Prisma.sql`${JSON.stringify(extra)}::jsonb`;
  const facts =
    from === 'new_run'
      ? Prisma.sql`CASE WHEN changed.handled_by IS NULL THEN ${added} ELSE jsonb_build_object('handled_by', changed.handled_by) END`
      : added;
  return Prisma.sql`run_event AS (${INSERT}
      SELECT (${ids}::text[])[row_number() OVER ()], changed.environment_id, changed.conversation_id, ${type},
             changed.id::text, jsonb_build_object(
               'run_id', changed.id, 'conversation_id', changed.conversation_id,
               'deployment_id', ${deploymentId ? Prisma.sql`${deploymentId}::uuid` : DEPLOYMENT},
               'run_status', changed.status, 'step', changed.step, 'finish_reason', changed.finish_reason,
               'error_code', changed.error_code) || ${facts}, changed.updated_at, ${currentTraceParent()}
      FROM ${Prisma.raw(from)} AS changed
      ${RETURNING}
    )`;
}

const DEPLOYMENT = Prisma.sql`(SELECT c.deployment_id FROM conversation c
                 WHERE c.id = changed.conversation_id AND c.environment_id = changed.environment_id)`;

/** Writes `conversation.completed` for the run in `moved`, which completed its conversation. */
export function conversationCompleted(deploymentId: string): Prisma.Sql {
  return Prisma.sql`completed_event AS (${INSERT}
      SELECT ${newTypeId('evt')}, moved.environment_id, moved.conversation_id, 'conversation.completed',
             moved.conversation_id::text, jsonb_build_object(
               'conversation_id', moved.conversation_id, 'deployment_id', ${deploymentId}::uuid, 'run_id', moved.id),
             moved.updated_at, ${currentTraceParent()}
      FROM moved
      ${RETURNING}
    )`;
}

/** Writes an event for the conversation in `changed`. `payload` is added to the IDs. */
export function conversationEvent(type: LifecycleEventType, payload: Readonly<Record<string, unknown>>): Prisma.Sql {
  return Prisma.sql`conversation_event AS (${INSERT}
      SELECT ${newTypeId('evt')}, changed.environment_id, changed.id, ${type}, changed.id::text, jsonb_build_object(
               'conversation_id', changed.id, 'deployment_id', changed.deployment_id) || ${JSON.stringify(payload)}::jsonb,
             now(), ${currentTraceParent()}
      FROM changed
      ${RETURNING}
    )`;
}

/** Writes `trigger.used` for the trigger in `claimed`, which started this conversation. */
export function triggerUsed({
  conversationId,
  deploymentId,
  at,
}: {
  readonly conversationId: string;
  readonly deploymentId: string;
  readonly at: Date;
}): Prisma.Sql {
  return Prisma.sql`used_event AS (${INSERT}
      SELECT ${newTypeId('evt')}, claimed.environment_id, ${conversationId}::uuid, 'trigger.used', claimed.id,
             jsonb_build_object('trigger_id', claimed.id, 'conversation_id', ${conversationId}::uuid,
                                'deployment_id', ${deploymentId}::uuid), ${at}, ${currentTraceParent()}
      FROM claimed
      ${RETURNING}
    )`;
}
