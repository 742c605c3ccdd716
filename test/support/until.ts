import { setTimeout as pause } from 'node:timers/promises';

/**
 * Checks until the result is truthy, for effects of another process that a test cannot await. Waits almost as long as
 * the runner, so that a busy machine fails no test, but with its own message.
 */
export async function until<T>(
  check: () => Promise<T | undefined | false>,
  { withinMs = 50_000, everyMs = 25 }: { withinMs?: number; everyMs?: number } = {},
): Promise<T> {
  const deadline = Date.now() + withinMs;
  for (;;) {
    const result = await check();
    if (result) return result;
    if (Date.now() > deadline) throw new Error(`The condition was still false after ${withinMs} ms`);
    await pause(everyMs);
  }
}
