import { setTimeout as pause } from 'node:timers/promises';

/** Asks until the answer is truthy: for what another process does, which nothing here can await. */
export async function until<T>(
  ask: () => Promise<T | undefined | false>,
  { withinMs = 20_000, everyMs = 25 }: { withinMs?: number; everyMs?: number } = {},
): Promise<T> {
  const deadline = Date.now() + withinMs;
  for (;;) {
    const answer = await ask();
    if (answer) return answer;
    if (Date.now() > deadline) throw new Error(`it did not come true within ${withinMs} ms`);
    await pause(everyMs);
  }
}
