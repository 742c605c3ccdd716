import type { ErrorCode } from '../../contract/errors.ts';
import { Prisma } from '../../db/generated/client.ts';
import type { Context } from '../context.ts';
import { conversationMoved } from '../conversations/moved.ts';
import { RunLost } from './run-lost.ts';
import { decidedCompletions, endedCalls, lockAndMove, type NewItem, spoken, storedItems } from './run-sql.ts';
import { replyOf } from './structured-reply.ts';
import { type AcceptedTurn, addUsage, type FinishedTurn, type Usage } from './turn.ts';
import { loggedTurn } from './workflow-log.ts';

/** Where a turn stands when it ends. */
export interface TurnEnd {
  readonly step: number;
  readonly usage: Usage;
  /** Requests to complete the conversation that are still to be decided on. */
  readonly openCompletions: boolean;
  /** The one of them that is to be applied (SPEC 3). */
  readonly completion: string | null;
}

/** Ends a turn with the assistant's reply. @throws {RunLost} where another process has settled the run */
export async function finishTurn(ctx: Context, turn: AcceptedTurn, text: string, end: TurnEnd): Promise<FinishedTurn> {
  const completed = end.completion !== null;
  const settled = await settle(ctx, turn, end, {
    status: 'completed',
    errorCode: null,
    items: [...spoken(text), ...(completed ? [{ kind: 'conversation_completed' } as const] : [])],
  });
  return {
    ...finished(turn, end.usage, settled),
    runStatus: 'completed',
    conversationStatus: completed ? 'completed' : 'active',
    completedAt: completed ? settled.at : null,
    content: replyOf(turn.deployment.config, text),
  };
}

/** Why a turn has no reply. */
export interface TurnFailure {
  readonly status: 'interrupted' | 'failed';
  readonly errorCode: ErrorCode | null;
  /** What the assistant had written of a reply that was being read. */
  readonly partialText: string;
}

/**
 * Ends a turn that has no reply, or only the beginning of one. The user's message stays, and so do accepted results
 * and what was written; the next turn may follow at once (WIRE 7). Answers undefined where it failed.
 */
export async function failTurn(
  ctx: Context,
  turn: AcceptedTurn,
  end: TurnEnd,
  { status, errorCode, partialText }: TurnFailure,
): Promise<FinishedTurn | undefined> {
  const items = spoken(partialText);
  // What was written belongs to the step that was cut off, and so does the log's line.
  const wasCut = items.length > 0 || errorCode === null;
  const cut = { ...end, step: end.step + (wasCut ? 1 : 0), completion: null };
  const settled = await settle(ctx, turn, cut, { status, errorCode, items });
  if (status === 'failed') return undefined;
  return {
    ...finished(turn, end.usage, settled),
    runStatus: 'interrupted',
    conversationStatus: 'active',
    completedAt: null,
    content: partialText,
  };
}

interface Settlement {
  readonly status: 'completed' | 'interrupted' | 'failed';
  readonly errorCode: ErrorCode | null;
  readonly items: readonly NewItem[];
}

/** One statement: the run's move, the reply, the conversation and the log, all or nothing. */
async function settle(ctx: Context, turn: AcceptedTurn, end: TurnEnd, { status, errorCode, items }: Settlement) {
  const { step, usage, openCompletions, completion } = end;
  const at = ctx.now();
  const responseTimeMs = at.getTime() - turn.acceptedAt.getTime();
  const total = addUsage(turn.usageBefore, usage);
  const change = Prisma.sql`
      status = ${status}::run_status, step = ${step}, lease_owner = NULL, lease_expires_at = NULL,
      input_tokens = ${total.inputTokens}, output_tokens = ${total.outputTokens}, error_code = ${errorCode},
      updated_at = ${at}`;
  const messages = items.filter(({ kind }) => kind === 'message').length;
  const parts = [
    lockAndMove(ctx, turn, change, status),
    ...(status === 'completed' ? [] : [endedCalls()]),
    ...(openCompletions ? [decidedCompletions(completion)] : []),
    ...(items.length > 0 ? [storedItems(items, step, at)] : []),
    loggedTurn(ctx, turn, { outcome: status, errorCode, step, usage, responseTimeMs, at }),
  ];
  const completed = completion === null ? Prisma.empty : Prisma.sql`, status = 'completed', completed_at = ${at}`;
  const moved = await ctx.services.sql.changed`
    WITH ${Prisma.join(parts, ', ')}
    UPDATE conversation SET message_count = message_count + ${messages}, updated_at = ${at}${completed}
    FROM moved WHERE conversation.id = moved.conversation_id`;
  if (moved === 0) throw new RunLost();
  ctx.services.observer.turnEnded(status);
  conversationMoved(ctx.services.live, ctx.environment.id, turn.conversation.id);
  return { at, responseTimeMs };
}

function finished(turn: AcceptedTurn, usage: Usage, { at, responseTimeMs }: { at: Date; responseTimeMs: number }) {
  return {
    outcome: 'finished',
    runId: turn.runId,
    conversationId: turn.conversation.id,
    name: turn.conversation.name,
    model: turn.model,
    ...usage,
    responseTimeMs,
    createdAt: turn.conversation.createdAt,
    updatedAt: at,
  } as const;
}
