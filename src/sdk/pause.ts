import { abortedError } from './error.ts';

/** Waits. @throws {ParleyError} `aborted` as soon as the signal is aborted */
export function pause(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(abortedError());
    const stop = () => {
      clearTimeout(timer);
      reject(abortedError());
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', stop);
      resolve();
    }, ms);
    signal?.addEventListener('abort', stop, { once: true });
  });
}

/** Grows with each attempt from 100 ms to 8 s. Random, so that clients that lost one server do not return together. */
export function backoffMs(attempt: number): number {
  return Math.min(8_000, 100 * 2 ** attempt) * (0.5 + Math.random() / 2);
}

/** A signal that is aborted when any of these is. Call `release` when it is no longer needed. */
export function anyOf(...signals: readonly (AbortSignal | undefined)[]): { signal: AbortSignal; release(): void } {
  const controller = new AbortController();
  const abort = () => controller.abort();
  for (const signal of signals) {
    if (signal?.aborted) abort();
    signal?.addEventListener('abort', abort, { once: true });
  }
  const release = () => {
    for (const signal of signals) signal?.removeEventListener('abort', abort);
  };
  return { signal: controller.signal, release };
}
