import { type TimeBounds, withinTime } from '../bounds/within-time.ts';
import { findGuardError, GuardedFetchError } from './guarded-fetch-error.ts';

/**
 * Runs `work` until its time limit, the abort of the caller's signal or a call of `fail`. Converts all its errors.
 * @throws {GuardedFetchError} or the reason of the signal
 */
export function withTimeLimit<T>(
  bounds: TimeBounds,
  work: (signal: AbortSignal, fail: (error: GuardedFetchError) => void) => Promise<T>,
): Promise<T> {
  const late = () => timedOut(bounds.timeoutMs);
  return withinTime(bounds, late, async (controller) => {
    try {
      return await work(controller.signal, (error) => controller.abort(error));
    } catch (error) {
      controller.signal.throwIfAborted();
      throw findGuardError(error) ?? new GuardedFetchError('failed', 'The address could not be reached.', error);
    }
  });
}

function timedOut(timeoutMs: number): GuardedFetchError {
  return new GuardedFetchError('timeout', `The address did not respond within ${timeoutMs / 1000} s.`);
}
