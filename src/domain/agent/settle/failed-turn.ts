import { ServiceError } from '../../../contract/errors.ts';
import { isRetryable, type RunFailureReason } from '../../../contract/run-failures.ts';
import { storableText } from '../../../contract/storable-text.ts';
import { NO_USAGE } from '../../../contract/token-usage.ts';
import { isUnavailable } from '../../../db/unavailable.ts';
import { BudgetReachedError } from '../../budgets/budget-reached.ts';
import type { Context } from '../../context.ts';
import { ModelError } from '../model-port.ts';
import { handOver } from '../rows/hand-over.ts';
import { HandOverError, InterruptedError, LeaseLostError } from '../rows/run-moves.ts';
import type { RunningTurn } from '../rows/running-turn.ts';
import type { AcceptedTurn, FinishedTurn, TurnEnd } from '../turn.ts';
import { failTurn, type TurnFailure } from './settle.ts';

interface Fault {
  readonly error: unknown;
  /** Whether the reply was streamed. */
  readonly isStreamed: boolean;
  /** The run's own signal. The service aborts it to stop the run. */
  readonly stopped: AbortSignal;
}

/** Settles a turn that cannot continue. Returns its outcome, or throws the error for its caller. */
export async function settleFailedTurn(
  ctx: Context,
  turn: RunningTurn,
  end: TurnEnd,
  fault: Fault,
): Promise<FinishedTurn> {
  const { error } = fault;
  await handOverIfPossible(ctx, turn, end, fault);
  const callerError = errorFor(turn, error);
  const reason = stopReason(fault);
  const facts = { request_id: ctx.request.id, run_id: turn.runId, conversation_id: turn.conversation.id };
  if (reason) ctx.services.process.log.info(facts, reason);
  else ctx.services.process.log.warn({ ...facts, ...loggableError(error) }, 'a turn failed');
  // The process that has the run now logs its end. If this turn cannot be settled now, its lease expires.
  if (error instanceof LeaseLostError) throw hasOtherOutcome(turn) ? error : callerError;
  const failure = failureOf(turn, end, fault, callerError);
  const settled = await settleFailure(ctx, turn, end, failure).catch((cause: unknown) => {
    if (cause instanceof LeaseLostError && hasOtherOutcome(turn)) throw cause;
    ctx.services.process.log.error({ ...facts, err: cause }, 'a failed turn could not be settled');
  });
  if (settled) return settled;
  throw callerError;
}

function failureOf(turn: RunningTurn, { step }: TurnEnd, fault: Fault, callerError: unknown): TurnFailure {
  const { error, isStreamed } = fault;
  const isStopped = stopReason(fault) !== undefined;
  const errorCode = callerError instanceof ServiceError ? callerError.code : 'internal_error';
  return {
    status: turn.resumed || isStopped ? 'interrupted' : 'failed',
    errorCode: isStopped ? null : errorCode,
    reason: isStopped ? null : failureReason(error),
    // A new turn that did nothing is refused, like one whose message already shows that it does not fit.
    isRefused: error instanceof BudgetReachedError && step === 0 && !turn.resumed,
    // The next turn repeats a partial reply that no client has seen. An interrupting message may refer to the partial
    // reply.
    partialText: isStreamed || isStopped ? partialText(turn, error) : '',
    finishReason: error instanceof BudgetReachedError ? 'budget' : 'stopped',
  };
}

/** If another process can continue the turn, hands it over and throws the error for the caller. */
async function handOverIfPossible(
  ctx: Context,
  turn: RunningTurn,
  { usage }: TurnEnd,
  { error, stopped }: Fault,
): Promise<void> {
  if (stopped.reason instanceof HandOverError && (await handOver(ctx, turn, usage))) throw handedOver(turn);
  // The database failed, not the turn. If it does not respond yet, the lease expires, and another process takes the run over.
  if (isUnavailable(error) && (await handOver(ctx, turn, undefined).catch(() => true))) throw error;
}

/** What is known of the cause in addition to the error code. */
function failureReason(error: unknown): RunFailureReason | null {
  if (!(error instanceof ModelError)) return null;
  return error.kind === 'aborted' ? 'service_stopped' : (error.reason ?? null);
}

/** Whether the caller of a turn that this process lost can get the outcome of another process. */
function hasOtherOutcome({ resumed, attemptsLeft }: AcceptedTurn): boolean {
  return resumed || attemptsLeft > 0;
}

function handedOver({ conversation, runId }: AcceptedTurn): ServiceError {
  const message =
    'The service is shutting down. The turn continues in another process: follow the feed of the conversation, or repeat the request with its idempotency key.';
  return new ServiceError('unavailable', message, { facts: { conversation_id: conversation.id, run_id: runId } });
}

/** If the partial reply or its token counts cannot be stored, settles the turn without them. */
async function settleFailure(
  ctx: Context,
  turn: RunningTurn,
  end: TurnEnd,
  failure: TurnFailure,
): Promise<FinishedTurn | undefined> {
  try {
    return await failTurn(ctx, turn, end, failure);
  } catch (cause) {
    if (cause instanceof LeaseLostError) throw cause;
    const facts = { request_id: ctx.request.id, run_id: turn.runId };
    ctx.services.process.log.warn({ ...facts, err: cause }, 'a failed turn is settled without its partial reply');
    const uncounted = { ...turn, spending: undefined };
    return failTurn(ctx, uncounted, { ...end, usage: NO_USAGE }, { ...failure, partialText: '' });
  }
}

/** Returns why the reply is no longer needed, or may not be asked for, if that stopped the turn. */
function stopReason({ error, stopped }: Fault): string | undefined {
  if (error instanceof BudgetReachedError) return 'a budget was reached';
  return stopped.reason instanceof InterruptedError ? stopped.reason.message : undefined;
}

/** The partial reply. A reply with an output schema is useless before it is complete. */
function partialText({ deployment }: AcceptedTurn, error: unknown): string {
  const isText = error instanceof ModelError && !deployment.config.outputSchema;
  return isText ? storableText(error.partialText) : '';
}

function errorFor({ conversation, runId }: AcceptedTurn, error: unknown): unknown {
  const facts = { conversation_id: conversation.id, run_id: runId };
  if (error instanceof LeaseLostError || (error instanceof ModelError && error.kind === 'aborted')) {
    return stoppedTurnError(facts);
  }
  if (error instanceof BudgetReachedError) return error.of(facts);
  if (!(error instanceof ModelError)) return error;
  return modelServiceError(error, 'Your message is stored. Send the next one.', facts);
}

export function stoppedTurnError(facts: Readonly<Record<string, unknown>>): ServiceError {
  const message = 'The turn was stopped before the assistant answered. Your message is stored. Send the next one.';
  return new ServiceError('model_error', message, { facts, failure: { isRetryable: true } });
}

/** The error for the caller, with advice. */
export function modelServiceError(
  error: ModelError,
  advice: string,
  facts: Readonly<Record<string, unknown>>,
): ServiceError {
  const code = error.kind === 'timeout' ? 'model_timeout' : 'model_error';
  const { reason, retryAfterMs } = error;
  const failure = { isRetryable: isRetryable(reason), retryAfterMs };
  return new ServiceError(code, `${error.message} ${advice}`, { facts, failure });
}

/** The facts that the log may contain. A provider's error text can repeat the user's message, so it is left out. */
export function loggableError(error: unknown): object {
  return error instanceof ModelError ? { fault: error.message, kind: error.kind } : { err: error };
}
