import { ServiceError } from '../../contract/errors.ts';
import type { Context } from '../context.ts';
import { Interruption } from './interrupt.ts';
import { ModelFailure } from './model-port.ts';
import type { Reader } from './reader.ts';
import { RunLost } from './run-lost.ts';
import { failTurn, type TurnEnd } from './settle.ts';
import { storableText } from './storable.ts';
import type { AcceptedTurn, FinishedTurn } from './turn.ts';

interface Fault {
  readonly error: unknown;
  readonly reader: Reader | undefined;
  /** The run's own: aborted where this service stopped it. */
  readonly stopped: AbortSignal;
}

/** Settles a turn that cannot go on, and says to its caller what became of it. */
export async function giveUp(ctx: Context, turn: AcceptedTurn, end: TurnEnd, fault: Fault): Promise<FinishedTurn> {
  const { error } = fault;
  const answer = answerTo(turn, error);
  const unwanted = whyUnwanted(fault);
  const facts = { request_id: ctx.request.id, run_id: turn.runId, conversation_id: turn.conversation.id };
  if (unwanted) ctx.services.log.info(facts, unwanted);
  else ctx.services.log.warn({ ...facts, ...loggedFault(error) }, 'a turn failed');
  // Whoever settled a lost run has logged it; the lease of one that cannot be settled now will run out.
  if (error instanceof RunLost) throw turn.resumed ? error : answer;
  const errorCode = answer instanceof ServiceError ? answer.code : 'internal_error';
  const failure = {
    status: turn.resumed || unwanted ? 'interrupted' : 'failed',
    errorCode: unwanted ? null : errorCode,
    // What nobody has seen, the next turn writes anew; a message that interrupts may well speak of it.
    partialText: fault.reader || unwanted ? partialText(turn, error) : '',
  } as const;
  const settled = await failTurn(ctx, turn, end, failure).catch((cause: unknown) => {
    if (cause instanceof RunLost && turn.resumed) throw cause;
    ctx.services.log.error({ ...facts, err: cause }, 'a failed turn could not be settled');
  });
  if (settled) return settled;
  throw answer;
}

/** Why nobody waits for the reply any more, where that is what stopped the turn. */
function whyUnwanted({ reader, stopped }: Fault): string | undefined {
  if (stopped.reason instanceof Interruption) return 'the next message interrupted a turn';
  return reader?.gone.aborted ? 'the reader of a reply went away' : undefined;
}

/** What was written of a reply; one that has to match a schema is of no use before it does. */
function partialText({ deployment }: AcceptedTurn, error: unknown): string {
  const isText = error instanceof ModelFailure && !deployment.config.outputSchema;
  return isText ? storableText(error.partialText) : '';
}

function answerTo({ conversation, runId }: AcceptedTurn, error: unknown): unknown {
  const facts = { conversation_id: conversation.id, run_id: runId };
  if (error instanceof RunLost || (error instanceof ModelFailure && error.kind === 'aborted')) {
    return stoppedTurn(facts);
  }
  if (!(error instanceof ModelFailure)) return error;
  return modelFault(error, 'Your message is kept; send the next one.', facts);
}

export function stoppedTurn(facts: Readonly<Record<string, unknown>>): ServiceError {
  const message = 'The turn was stopped before the assistant answered. Your message is kept; send the next one.';
  return new ServiceError('model_error', message, { facts });
}

/** What a caller is told of a model's fault, and advised to do. */
export function modelFault(
  error: ModelFailure,
  advice: string,
  facts: Readonly<Record<string, unknown>>,
): ServiceError {
  const code = error.kind === 'timeout' ? 'model_timeout' : 'model_error';
  return new ServiceError(code, `${error.message} ${advice}`, { facts });
}

/** What the log may say of a fault: a provider's own words can repeat what the user wrote. */
export function loggedFault(error: unknown): object {
  return error instanceof ModelFailure ? { fault: error.message, kind: error.kind } : { err: error };
}
