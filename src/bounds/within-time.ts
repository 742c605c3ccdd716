/** The limits of an operation. */
export interface TimeBounds {
  readonly timeoutMs: number;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Waits for `work` until its time limit, the abort of the signal, or the abort of its own controller, because a DNS lookup and a
 * shared promise do not react to signals. The work itself can continue.
 * @throws the error of `late`, the reason of a signal, or the error of the work
 */
export async function withinTime<T>(
  { timeoutMs, signal }: TimeBounds,
  late: () => Error,
  work: (controller: AbortController) => Promise<T>,
): Promise<T> {
  signal?.throwIfAborted();
  const controller = new AbortController();
  const stop = () => controller.abort(signal?.reason);
  const timer = setTimeout(() => controller.abort(late()), timeoutMs);
  signal?.addEventListener('abort', stop, { once: true });
  try {
    return await Promise.race([work(controller), rejectionOf(controller.signal)]);
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener('abort', stop);
  }
}

function rejectionOf(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason), { once: true }));
}
