import { LIMITS } from '../contract/limits.ts';
import { firstBytes } from '../contract/text-encoding.ts';
import { NO_USAGE } from '../contract/token-usage.ts';
import { ModelError, type ModelRequest, type ModelStep, type TextListener } from '../domain/agent/model-port.ts';
import { type StepFault, stepFault } from './error-message.ts';

/** A running step. */
export interface StepRun {
  /** Aborted when the step must end: it timed out, or its reply is no longer needed. */
  readonly signal: AbortSignal;
  /** The text so far. */
  readonly text: string;
  /** Whether the provider has the prompt, and has not refused it: then it charges for the step, whatever ends it. */
  isAsked: boolean;
  /** Counts what the model has written in addition to text and reasoning. */
  wrote(bytes: number): void;
  /** Stores a piece of the text and passes it to the listener. Throws when the step must end. */
  say(delta: string): Promise<void>;
  /** Passes a piece of the reasoning to its listener, up to the limit. Throws when the step must end. */
  think(delta: string): Promise<void>;
}

// A longer delay would overflow the timer, which would then fire immediately.
const LONGEST_DELAY_MS = 2 ** 31 - 1;

/** The text has reached its limit. Ends `make`. */
class ReplyFullError extends Error {}

/**
 * Runs one step within the time limit and signal of its request. A text that reaches its limit ends the step. Every error
 * of `make` becomes a {@link ModelError} with the text so far.
 */
export async function runStep(
  request: Pick<ModelRequest, 'timeoutMs' | 'signal' | 'onReasoning'>,
  onText: TextListener | undefined,
  make: (run: StepRun) => Promise<Omit<ModelStep, 'text'>>,
): Promise<ModelStep> {
  const deadline = startDeadline(request);
  let text = '';
  let writtenBytes = 0;
  let bytesLeft: number = LIMITS.replyBytes;
  let reasoningBytesLeft: number = LIMITS.reasoningBytes;
  const run: StepRun = {
    signal: deadline.signal,
    get text() {
      return text;
    },
    isAsked: false,
    wrote(bytes) {
      writtenBytes += bytes;
    },
    async say(delta) {
      deadline.signal.throwIfAborted();
      const size = Buffer.byteLength(delta);
      writtenBytes += size;
      const piece = size <= bytesLeft ? delta : firstBytes(delta, bytesLeft);
      bytesLeft -= size;
      text += piece;
      if (piece !== '') await notify(piece, onText);
      if (bytesLeft < 0) throw new ReplyFullError();
    },
    async think(delta) {
      deadline.signal.throwIfAborted();
      const size = Buffer.byteLength(delta);
      writtenBytes += size;
      if (!request.onReasoning || reasoningBytesLeft <= 0) return;
      const piece = size <= reasoningBytesLeft ? delta : firstBytes(delta, reasoningBytesLeft);
      reasoningBytesLeft -= size;
      if (piece !== '') await notify(piece, request.onReasoning);
    },
  };
  const ended = (result: Omit<ModelStep, 'text'>): ModelStep => {
    const isCounted = result.inputTokens > 0 && (result.outputTokens > 0 || writtenBytes === 0);
    return { text, ...result, ...(!isCounted && { writtenBytes }) };
  };
  try {
    deadline.signal.throwIfAborted();
    return ended(await make(run));
  } catch (cause) {
    if (cause instanceof ReplyFullError) {
      deadline.abandon();
      // Providers report their counts at the end.
      return ended({ finishReason: 'length', calls: [], ...NO_USAGE });
    }
    const kind = deadline.stoppedBy() ?? 'failed';
    deadline.abandon();
    const { message, reason, retryAfterMs } = faultOf(kind, request.timeoutMs, cause);
    const written = run.isAsked ? { writtenBytes } : {};
    throw new ModelError(kind, message, { partialText: text, ...written, reason, retryAfterMs, cause });
  } finally {
    deadline.close();
  }
}

async function notify(delta: string, onText: TextListener | undefined): Promise<void> {
  try {
    await onText?.(delta);
  } catch (cause) {
    // An error of the listener is not an error of the provider.
    throw new ModelError('failed', 'The answer of the model could not be passed on.', { cause });
  }
}

function faultOf(kind: ModelError['kind'], timeoutMs: number, cause: unknown): StepFault {
  if (kind === 'timeout') {
    return { reason: 'model_timeout', message: `The model did not answer within ${timeoutMs / 1000} s.` };
  }
  if (kind === 'aborted') return { reason: undefined, message: 'The answer of the model was no longer wanted.' };
  return stepFault(cause);
}

/** Combines the time limit and the signal, and records which came first. */
function startDeadline({ timeoutMs, signal }: Pick<ModelRequest, 'timeoutMs' | 'signal'>) {
  const controller = new AbortController();
  let stoppedBy: 'timeout' | 'aborted' | undefined;
  const stop = (by: 'timeout' | 'aborted') => {
    stoppedBy ??= by;
    controller.abort();
  };
  const abort = () => stop('aborted');
  const timer = setTimeout(() => stop('timeout'), Math.min(timeoutMs, LONGEST_DELAY_MS));
  signal.addEventListener('abort', abort, { once: true });
  if (signal.aborted) abort();
  return {
    signal: controller.signal,
    stoppedBy: () => stoppedBy,
    close() {
      clearTimeout(timer);
      signal.removeEventListener('abort', abort);
    },
    /** Closes a connection that an error left open. */
    abandon: () => controller.abort(),
  };
}
