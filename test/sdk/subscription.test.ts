import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { followSubscription } from '../../src/sdk/index.ts';
import { startProxy } from '../support/faulty-proxy.ts';
import { startService, type TestService } from '../support/service.ts';
import { until } from '../support/until.ts';

let service: TestService;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.close());

const query = `subscription ($after: String) {
  workspaceActivity(after: $after) { cursor conversations { conversationId } } }`;

interface Activity {
  readonly workspaceActivity: {
    readonly cursor: string;
    readonly conversations: readonly { readonly conversationId: string }[];
  };
}

const headers = () => ({ authorization: `Bearer ${service.key}` });

describe('followSubscription', () => {
  it('resumes after the last cursor when the connection is lost', async () => {
    const proxy = await startProxy(service.url);
    const closing = new AbortController();
    const seen = new Set<string>();
    let events = 0;
    let losses = 0;
    const following = followSubscription<Activity>({
      baseUrl: proxy.url,
      headers: headers(),
      query,
      signal: closing.signal,
      onEvent({ workspaceActivity: { cursor, conversations } }) {
        events += 1;
        for (const { conversationId } of conversations) seen.add(conversationId);
        return cursor;
      },
      onDisconnect() {
        losses += 1;
      },
    });
    await until(async () => events > 0);
    const cut = proxy.cut('open');
    const created = (await service.agentTurn('While the connection is lost')).body.conversation_id;
    await cut;
    await until(async () => seen.has(created));
    expect(losses).toBeGreaterThanOrEqual(1);
    closing.abort();
    await following;
    await proxy.close();
  });

  it('rejects when the service rejects the subscription', async () => {
    const following = followSubscription<Activity>({
      baseUrl: service.url,
      headers: { authorization: 'Bearer sk_test_unknown' },
      query,
      signal: AbortSignal.timeout(30_000),
      onEvent: ({ workspaceActivity }) => workspaceActivity.cursor,
    });
    await expect(following).rejects.toMatchObject({ name: 'ParleyError', status: 401, code: 'unauthorized' });
  });

  it('resolves when its signal is aborted, and reports no loss', async () => {
    const closing = new AbortController();
    const losses: unknown[] = [];
    await followSubscription<Activity>({
      baseUrl: service.url,
      headers: headers(),
      query,
      signal: closing.signal,
      onEvent({ workspaceActivity }) {
        closing.abort();
        return workspaceActivity.cursor;
      },
      onDisconnect: (error) => losses.push(error),
    });
    expect(losses).toEqual([]);
  });

  it.each([
    [
      'no bytes for 15 s',
      '',
      15_000,
      { code: 'invalid_response', message: expect.stringContaining('nothing arrived') },
    ],
    ['no bytes for 45 s after the first', ':\n\n', 45_000, { code: 'connection_error' }],
  ] as const)('gives up a connection with %s', async (_name, start, ms, expected) => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    try {
      const losses: unknown[] = [];
      const cancelled = vi.fn();
      const body = new ReadableStream<Uint8Array>({
        start: (controller) => start && controller.enqueue(new TextEncoder().encode(start)),
        cancel: cancelled,
      });
      const following = followSubscription<Activity>({
        baseUrl: service.url,
        query,
        fetch: async () => new Response(body, { headers: { 'content-type': 'text/event-stream' } }),
        signal: AbortSignal.timeout(30_000),
        onEvent: ({ workspaceActivity }) => workspaceActivity.cursor,
        onDisconnect(error) {
          losses.push(error);
          throw error;
        },
      });
      const rejected = expect(following).rejects.toMatchObject(expected);
      await vi.advanceTimersByTimeAsync(ms - 100);
      expect(losses).toEqual([]);
      await vi.advanceTimersByTimeAsync(100);
      await rejected;
      expect(cancelled).toHaveBeenCalled();
    } finally {
      vi.useRealTimers();
    }
  });
});
