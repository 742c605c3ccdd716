import { ModelFailure, type ModelRequest, type ModelStep } from '../domain/agent/model-port.ts';
import { faultMessage } from './fault-message.ts';

/** Hears the text of a step as it is made. */
export type TextListener = (delta: string) => void | Promise<void>;

/** A step under way: the text it has made, and when to stop making more. */
export interface StepRun {
  /** Aborted when the step has to end: its time is over, or nobody wants its answer. */
  readonly signal: AbortSignal;
  /** Keeps a piece of the text and hands it to the listener. Throws once the step has to end. */
  say(delta: string): Promise<void>;
}

// A longer delay would overflow the timer and end the step at once.
const LONGEST_DELAY_MS = 2 ** 31 - 1;

/**
 * Runs one step within its request's time and signal. Whatever `make` throws leaves as a {@link ModelFailure}
 * with the text made so far.
 */
export async function runStep(
  request: Pick<ModelRequest, 'timeoutMs' | 'signal'>,
  onText: TextListener | undefined,
  make: (run: StepRun) => Promise<Omit<ModelStep, 'text'>>,
): Promise<ModelStep> {
  const deadline = startDeadline(request);
  let text = '';
  const run: StepRun = {
    signal: deadline.signal,
    async say(delta) {
      deadline.signal.throwIfAborted();
      text += delta;
      await tell(delta, onText);
    },
  };
  try {
    deadline.signal.throwIfAborted();
    const made = await make(run);
    return { text, ...made };
  } catch (cause) {
    const kind = deadline.stoppedBy() ?? 'failed';
    deadline.abandon();
    throw new ModelFailure(kind, failureMessage(kind, request.timeoutMs, cause), { partialText: text, cause });
  } finally {
    deadline.close();
  }
}

async function tell(delta: string, onText: TextListener | undefined): Promise<void> {
  try {
    await onText?.(delta);
  } catch (cause) {
    // Not the provider's fault, and must not be told as one.
    throw new ModelFailure('failed', 'The answer of the model could not be passed on.', { cause });
  }
}

function failureMessage(kind: ModelFailure['kind'], timeoutMs: number, cause: unknown): string {
  if (kind === 'timeout') return `The model did not answer within ${timeoutMs / 1000} s.`;
  if (kind === 'aborted') return 'The answer of the model was no longer wanted.';
  return faultMessage(cause);
}

/** Joins timeout and signal into one, and remembers which of the two came first: an abort alone does not tell. */
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
    /** Lets go of a connection that a fault left open. */
    abandon: () => controller.abort(),
  };
}
