import { GuardedFetchError, guardErrorIn } from './guarded-fetch-error.ts';

/** What work may take. */
export interface Bounds {
  readonly timeoutMs: number;
  readonly signal?: AbortSignal;
}

/**
 * Ends the work with its time, with the caller's signal or by `fail`, and gives every fault of it a name.
 * @throws {GuardedFetchError} or the reason of the signal
 */
export async function inTime<T>(
  { timeoutMs, signal }: Bounds,
  work: (signal: AbortSignal, fail: (fault: GuardedFetchError) => void) => Promise<T>,
): Promise<T> {
  signal?.throwIfAborted();
  const controller = new AbortController();
  const stop = () => controller.abort(signal?.reason);
  const timer = setTimeout(() => controller.abort(timedOut(timeoutMs)), timeoutMs);
  signal?.addEventListener('abort', stop, { once: true });
  try {
    return await Promise.race([
      work(controller.signal, (fault) => controller.abort(fault)),
      rejectionOf(controller.signal),
    ]);
  } catch (fault) {
    controller.signal.throwIfAborted();
    throw guardErrorIn(fault) ?? new GuardedFetchError('failed', 'The address could not be reached.', fault);
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener('abort', stop);
  }
}

/** Beside the work, because a name that is being resolved hears no signal. */
function rejectionOf(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason), { once: true }));
}

function timedOut(timeoutMs: number): GuardedFetchError {
  return new GuardedFetchError('timeout', `The address did not answer within ${timeoutMs / 1000} s.`);
}
