import { findGuardError, GuardedFetchError } from './guarded-fetch-error.ts';

/** The limits of an operation. */
export interface Bounds {
  readonly timeoutMs: number;
  readonly signal?: AbortSignal;
}

/**
 * Runs `work` until its time limit, the abort of the caller's signal or a call of `fail`. Converts all its errors.
 * @throws {GuardedFetchError} or the reason of the signal
 */
export async function withTimeLimit<T>(
  { timeoutMs, signal }: Bounds,
  work: (signal: AbortSignal, fail: (error: GuardedFetchError) => void) => Promise<T>,
): Promise<T> {
  signal?.throwIfAborted();
  const controller = new AbortController();
  const stop = () => controller.abort(signal?.reason);
  const timer = setTimeout(() => controller.abort(timedOut(timeoutMs)), timeoutMs);
  signal?.addEventListener('abort', stop, { once: true });
  try {
    return await Promise.race([
      work(controller.signal, (error) => controller.abort(error)),
      rejectionOf(controller.signal),
    ]);
  } catch (error) {
    controller.signal.throwIfAborted();
    throw findGuardError(error) ?? new GuardedFetchError('failed', 'The address could not be reached.', error);
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener('abort', stop);
  }
}

/** Rejects when the signal aborts, because a DNS lookup does not react to signals. */
function rejectionOf(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason), { once: true }));
}

function timedOut(timeoutMs: number): GuardedFetchError {
  return new GuardedFetchError('timeout', `The address did not respond within ${timeoutMs / 1000} s.`);
}
