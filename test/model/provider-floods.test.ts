import { describe, expect, it } from 'vitest';
import { LIMITS } from '../../src/contract/limits.ts';
import { leastBlockMs, MOST_BLOCK_MS } from '../support/event-loop.ts';
import { flood, startRawProvider } from '../support/raw-provider.ts';
import { failureOf, step } from '../support/reply-provider.ts';

const MIB = 1024 * 1024;
const OPEN = 'HTTP/1.1 200 OK\r\nconnection: close\r\n\r\n';

/** What the operating systems of both sides hold of a connection. */
const BUFFERED = 16 * MIB;

describe('a response without an end', () => {
  it.each([
    ['a line', 'x'.repeat(64 * 1024), OPEN],
    ['the data of an event', 'x'.repeat(64 * 1024), `${OPEN}data: `],
    ['an event of many lines', `data: ${'x'.repeat(64 * 1024)}\n`, OPEN],
    ['a reply that is not streamed', 'x'.repeat(64 * 1024), `${OPEN}{"a":"`],
  ])('is refused if it is %s, without reading or holding up much', async (_description, piece, beginning) => {
    const least = await leastBlockMs(async () => {
      let sent: Promise<number> | undefined;
      const provider = await startRawProvider(() => (socket) => {
        sent = flood(socket, piece, beginning);
      });
      expect(await failureOf(step(provider.url))).toMatchObject({ reason: 'provider_unreadable' });
      expect(await sent).toBeLessThan(LIMITS.providerEventLength + BUFFERED);
      await provider.close();
    });
    expect(least).toBeLessThan(MOST_BLOCK_MS);
  });

  it.each([
    ['comments', ': ping\n\n'],
    ['line breaks', '\n'],
    ['empty events', 'data:\n\n'],
    ['events of white space', 'data:  \n\n'],
    ['events that say nothing', 'data: {}\n\n'],
  ])('ends with the limit of bytes or of time if it is %s, and does not block the event loop', async (_name, piece) => {
    const least = await leastBlockMs(async () => {
      const provider = await startRawProvider(() => async (socket) => {
        await flood(socket, piece.repeat((64 * 1024) / piece.length));
      });
      const { reason } = await failureOf(step(provider.url, 'openai:any', { timeoutMs: 1_000 }));
      expect(['model_timeout', 'provider_unreadable']).toContain(reason);
      await provider.close();
    });
    expect(least).toBeLessThan(MOST_BLOCK_MS);
  });
});
