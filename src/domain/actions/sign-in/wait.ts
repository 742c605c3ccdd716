import { setTimeout as pause } from 'node:timers/promises';
import { McpError } from '../mcp-port.ts';

/** How long a request can wait for a token. */
export interface TokenWait {
  readonly timeoutMs: number;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Waits for `work` until the time limit or the abort of the signal. The work itself can continue: others wait for the same
 * tokens, and an exchange that was sent must be stored.
 * @throws {McpError} after the time limit; the reason of the signal
 */
export async function waitFor<T>(
  { timeoutMs, signal }: TokenWait,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  signal?.throwIfAborted();
  const end = new AbortController();
  const stop = () => end.abort(signal?.reason);
  const timer = setTimeout(() => end.abort(tooLate(timeoutMs)), timeoutMs);
  signal?.addEventListener('abort', stop, { once: true });
  try {
    return await Promise.race([work(end.signal), rejectionOf(end.signal)]);
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener('abort', stop);
  }
}

/** Waits some milliseconds. @throws the reason of the signal */
export async function pauseUntil(ms: number, signal: AbortSignal): Promise<void> {
  await pause(ms, undefined, { signal }).catch(() => {});
  signal.throwIfAborted();
}

function rejectionOf(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason), { once: true }));
}

function tooLate(timeoutMs: number): McpError {
  return new McpError(`The authorization server did not issue a new access token within ${timeoutMs / 1_000} s.`);
}
