import type { ErrorCode } from '../../../contract/errors.ts';
import type { RunFailureReason } from '../../../contract/run-failures.ts';
import type { FinishReason } from '../../../contract/statuses.ts';
import { addUsage, type Usage } from '../../../contract/token-usage.ts';
import { Prisma } from '../../../db/generated/client.ts';
import type { Context } from '../../context.ts';
import { publishLifecycleChange } from '../../conversations/publish-change.ts';
import { conversationCompleted, runEvents } from '../../events/lifecycle.ts';
import { NO_LEASE } from '../../leases/lease-sql.ts';
import { elapsedMs } from '../../telemetry.ts';
import { setTokens } from '../../usage/token-columns.ts';
import { countUsage, keptTokens } from '../rows/count-usage.ts';
import { LeaseLostError } from '../rows/run-moves.ts';
import {
  assistantMessages,
  conversationOfMoved,
  decideCompletions,
  endOpenCalls,
  insertItems,
  lockAndMove,
  type NewItem,
} from '../rows/run-sql.ts';
import type { RunningTurn } from '../rows/running-turn.ts';
import { storeTurnUnderKey } from '../rows/turn-replay.ts';
import { logTurn } from '../rows/workflow-log.ts';
import { replyOf } from '../structured-reply.ts';
import type { AcceptedTurn, FinishedTurn, ModelReply, TurnEnd } from '../turn.ts';
import { handOverAfterFailures } from './hand-over-failures.ts';

/** Ends a turn with the assistant's reply. @throws {LeaseLostError} if another process settled the run */
export async function finishTurn(
  ctx: Context,
  turn: RunningTurn,
  { text, finishReason }: ModelReply,
  end: TurnEnd,
): Promise<FinishedTurn> {
  const completed = end.completion !== null;
  const settled = settledNow(ctx, turn);
  const result: FinishedTurn = {
    ...finished(turn, end.usage, settled),
    runStatus: 'completed',
    conversationStatus: completed ? 'completed' : 'active',
    completedAt: completed ? settled.at : null,
    finishReason,
    content: replyOf(turn.deployment.config, text),
  };
  const items: NewItem[] = [
    ...assistantMessages(text),
    ...(completed ? [{ kind: 'conversation_completed' } as const] : []),
  ];
  await settle(ctx, turn, end, {
    ...settled,
    status: 'completed',
    errorCode: null,
    reason: null,
    finishReason,
    items,
    result,
  });
  return result;
}

/** Why a turn has no reply. */
export interface TurnFailure {
  readonly status: 'interrupted' | 'failed';
  readonly errorCode: ErrorCode | null;
  /** Null: the error code says it all. */
  readonly reason: RunFailureReason | null;
  /** Whether its caller gets an error although the run was interrupted. */
  readonly isRefused: boolean;
  /** The partial reply of a stream. */
  readonly partialText: string;
  /** For a turn without an error. */
  readonly finishReason: FinishReason;
}

/**
 * Ends a turn without a complete reply. The user's message, accepted results and the partial reply are kept. The next
 * turn can start immediately. Returns undefined if its caller gets an error.
 */
export async function failTurn(
  ctx: Context,
  turn: RunningTurn,
  end: TurnEnd,
  { status, errorCode, reason, isRefused, partialText, finishReason: given }: TurnFailure,
): Promise<FinishedTurn | undefined> {
  const items = assistantMessages(partialText);
  // The partial reply and the log line belong to the step that was interrupted.
  const wasCut = items.length > 0 || errorCode === null;
  const cut = { ...end, step: end.step + (wasCut ? 1 : 0), completion: null };
  // A failed turn has an error. A turn without one was stopped.
  const finishReason = errorCode === null ? given : null;
  const settled = settledNow(ctx, turn);
  const interrupted: FinishedTurn = {
    ...finished(turn, end.usage, settled),
    runStatus: 'interrupted',
    conversationStatus: 'active',
    completedAt: null,
    finishReason,
    content: partialText,
  };
  const result = status === 'failed' || isRefused ? undefined : interrupted;
  await settle(ctx, turn, cut, { ...settled, status, errorCode, reason, finishReason, items, result });
  if (errorCode !== null) await handOverAfterFailures(ctx, turn);
  return result;
}

/** When a turn ended, and its duration. */
interface Settled {
  readonly at: Date;
  readonly responseTimeMs: number;
}

function settledNow(ctx: Context, turn: AcceptedTurn): Settled {
  return { at: ctx.now(), responseTimeMs: elapsedMs(ctx.services.process, turn.acceptedMs) };
}

interface Settlement extends Settled {
  readonly status: 'completed' | 'interrupted' | 'failed';
  readonly errorCode: ErrorCode | null;
  readonly reason: RunFailureReason | null;
  readonly finishReason: FinishReason | null;
  readonly items: readonly NewItem[];
  /** The response of the request. Undefined if the turn failed. */
  readonly result: FinishedTurn | undefined;
}

/** One statement updates the run and the conversation, and stores the reply and the log line. */
async function settle(ctx: Context, turn: RunningTurn, end: TurnEnd, settlement: Settlement): Promise<void> {
  const { at, responseTimeMs, status, errorCode, reason, finishReason, items, result } = settlement;
  const { step, usage, openCompletions, completion, contextTokens } = end;
  const { claim, id: requestId } = ctx.request;
  const total = addUsage(turn.usageBefore, usage);
  const change = Prisma.sql`
      status = ${status}::run_status, step = ${step}, ${NO_LEASE},
      ${setTokens(total)}, error_code = ${errorCode},
      failure_reason = ${reason}, finish_reason = ${finishReason}, updated_at = ${at}`;
  const messages = items.filter(({ kind }) => kind === 'message').length;
  const parts = [
    lockAndMove(ctx, turn, change, status),
    ...(await ctx.services.process.liveTurns.sealed(turn.live)),
    ...turn.trace.take(),
    ...(turn.spending?.settling() ?? []),
    ...(status === 'completed' ? [] : [endOpenCalls(ctx)]),
    ...(openCompletions ? [decideCompletions(ctx, completion)] : []),
    ...(items.length > 0 ? [insertItems(items, step, at)] : []),
    logTurn(ctx, turn, { outcome: status, errorCode, step, usage, responseTimeMs, at }),
    runEvents('moved', turn.deployment.id),
    ...(completion === null ? [] : [conversationCompleted(turn.deployment.id)]),
    ...storeTurnUnderKey(claim, requestId, result),
  ];
  // Nobody answers in a completed conversation, so it waits for nobody.
  const completed =
    completion === null
      ? Prisma.empty
      : Prisma.sql`, status = 'completed', completed_at = ${at}, handling = 'assistant', handling_until = NULL, handling_facts = NULL, holder_id = NULL, owes_answer = false`;
  // Without row-level security: the policies would add 7 % to the CPU time of a turn.
  const count = await ctx.services.stores.sql.execute`
    WITH ${Prisma.join(parts, ', ')}
    UPDATE conversation SET message_count = message_count + ${messages}, updated_at = ${at}${completed}${keptTokens(contextTokens, turn.spending)},
      ${countUsage({ model: turn.model, outcome: status, usage, responseTimeMs })}
    FROM moved
      WHERE ${conversationOfMoved(ctx)}`;
  if (count === 0) throw new LeaseLostError();
  if (claim?.turn && result) claim.turn.isStored = true;
  ctx.services.process.observer.turnEnded(status);
  publishLifecycleChange(ctx.services.stores.pubSub, ctx.environment.id, turn.conversation.id);
}

function finished(turn: AcceptedTurn, usage: Usage, { at, responseTimeMs }: Settled) {
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
