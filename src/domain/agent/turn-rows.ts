import { Prisma } from '../../db/generated/client.ts';
import { markedEffect } from '../access/idempotency.ts';
import type { Context } from '../context.ts';
import type { MessageEntry } from '../conversations/timeline.ts';
import type { TurnInput } from '../conversations/turn-input.ts';
import type { Primed } from '../triggers/prime.ts';
import type { PublishedDeployment } from '../workflows/deployments.ts';
import { LEASE_SECONDS } from './run-registry.ts';
import type { OfferedTool } from './tools.ts';
import type { AcceptedTurn, MadeTurn } from './turn.ts';

export interface TurnRequest {
  readonly deployment: PublishedDeployment;
  readonly input: TurnInput & Primed;
  /** A v2 turn. */
  readonly agent: boolean;
  readonly tools: readonly OfferedTool[];
  /** Whoever reads the reply as it is made, where somebody does. */
  readonly gone?: AbortSignal | undefined;
}

/** A turn whose conversation is still to be had. */
export type NewTurn = Omit<AcceptedTurn, 'conversation' | 'entries'>;

/** Whether a message may start its turn, as far as those that wait for theirs are concerned. */
export const NOBODY_WAITS = Prisma.sql`NOT EXISTS (SELECT 1 FROM queued_turn q WHERE q.conversation_id = locked.id)`;

/** The same for one that has waited. */
export function waitedLongest(runId: string): Prisma.Sql {
  return Prisma.sql`${runId}::uuid = (
      SELECT q.run_id FROM queued_turn q WHERE q.conversation_id = locked.id ORDER BY q.position LIMIT 1)`;
}

/**
 * The rows of a new turn, given the conversation in `locked`, where `mayStart` holds. Its partial unique index lets a conversation have one
 * active run: where there is one, nothing is inserted, and `new_run` and `message` are empty.
 */
export function runAndMessage(
  ctx: Context,
  { input, agent }: TurnRequest,
  turn: NewTurn,
  mayStart: Prisma.Sql,
): Prisma.Sql {
  return Prisma.sql`new_run AS (
      INSERT INTO run (id, environment_id, conversation_id, workflow_version, agent, status, lease_owner, lease_expires_at,
                       tools, history_limit, model, request_id, created_at, updated_at)
      SELECT ${turn.runId}::uuid, locked.environment_id, locked.id, ${turn.deployment.version}, ${agent}, 'running',
             ${ctx.services.runs.owner}::uuid, now() + make_interval(secs => ${LEASE_SECONDS}),
             ${JSON.stringify(turn.tools)}::jsonb, ${turn.historyLimit}, ${turn.model}, ${ctx.request.id},
             ${turn.acceptedAt}, ${turn.acceptedAt}
      FROM locked WHERE locked.status = 'active' AND ${mayStart}
      ON CONFLICT DO NOTHING
      RETURNING id, environment_id, conversation_id
    ), message AS (
      INSERT INTO timeline_item (environment_id, conversation_id, run_id, kind, step, role, content, revision,
                                 created_at)
      SELECT environment_id, conversation_id, id, 'message', 0, 'user', ${JSON.stringify(input.content)}::jsonb,
             nextval('timeline_revision'), ${turn.acceptedAt}
      FROM new_run
      RETURNING id
    )`;
}

/** The user's message, as `message` of `runAndMessage` has stored it. */
export function storedMessage({ input }: TurnRequest, { runId }: NewTurn, id: bigint): MessageEntry {
  return { id, runId, step: 0, kind: 'message', role: 'user', content: input.content };
}

/** What a request under an idempotency key has made, should its process die before it is answered. */
export function madeTurn(ctx: Context, conversationId: string, runId: string): Prisma.Sql {
  const effect = { conversationId, runId } satisfies MadeTurn;
  return markedEffect(ctx.request.claim, effect, 'new_run');
}
