import { setTimeout as pause } from 'node:timers/promises';
import { type TimeBounds, withinTime } from '../../../bounds/within-time.ts';
import { McpError } from '../mcp-port.ts';

/**
 * Waits for `work` until the time limit or the abort of the signal. The work itself can continue: others wait for the same
 * tokens, and an exchange that was sent must be stored.
 * @throws {McpError} after the time limit; the reason of the signal
 */
export function waitFor<T>(wait: TimeBounds, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const late = () => tooLate(wait.timeoutMs);
  return withinTime(wait, late, ({ signal }) => work(signal));
}

/** Waits some milliseconds. @throws the reason of the signal */
export async function pauseUntil(ms: number, signal: AbortSignal): Promise<void> {
  await pause(ms, undefined, { signal }).catch(() => {});
  signal.throwIfAborted();
}

function tooLate(timeoutMs: number): McpError {
  return new McpError(`The authorization server did not issue a new access token within ${timeoutMs / 1_000} s.`);
}
