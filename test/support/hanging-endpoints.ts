import { expect } from 'vitest';
import { type Client, clientOf } from './client.ts';
import { type Receiver, startReceiver } from './receiver.ts';
import { makeEndpoint, makeEvent } from './webhooks.ts';

const ENDPOINTS_OF_EACH = 20;
const EVENTS_OF_EACH = 5;

/** Creates 20 endpoints that never respond in the environment of each key, with 5 messages each. */
export async function startHanging(url: string, keys: readonly string[]): Promise<Receiver> {
  const hanging = await startReceiver();
  hanging.respondWith(() => {});
  for (const client of keys.map((key) => clientOf(url, key))) {
    for (let count = 0; count < ENDPOINTS_OF_EACH; count += 1) await makeEndpoint(client, hanging.url);
    for (let count = 0; count < EVENTS_OF_EACH; count += 1) await makeEvent(client);
  }
  return hanging;
}

/**
 * Creates events one after another. Most of them must reach the receiver within 1 s. On a busy machine a single one can
 * take longer, but no message waits for an endpoint that hangs.
 */
export async function expectPromptMessages(client: Client, receiver: Receiver, count = 5): Promise<void> {
  const before = receiver.received.length;
  const waits: number[] = [];
  for (let created = 1; created <= count; created += 1) {
    await makeEvent(client);
    const committedAt = Date.now();
    const received = await receiver.waitForCount(before + created);
    waits.push((received.at(-1)?.at ?? 0) - committedAt);
  }
  waits.sort((one, other) => one - other);
  expect(waits[Math.floor(count / 2)], `the waits: ${waits.join()}`).toBeLessThan(1_000);
  expect(waits.at(-1), `the waits: ${waits.join()}`).toBeLessThan(5_000);
}
