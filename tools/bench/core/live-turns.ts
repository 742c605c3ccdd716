import type { PacedProvider } from './paced-provider.ts';
import { KEY, type Target } from './processes.ts';
import { JSON_BY_KEY, PATH } from './turns.ts';

/** A reply of 200 ms. */
export const SHORT = { everyMs: 25, tokens: 8 } as const;

/** A reply that only a stop ends. */
const ENDLESS = { everyMs: 25, tokens: 1_000_000 } as const;

/** An open feed of a conversation. */
export interface LiveFeed {
  /** Resolves with the time when the next event of this type arrives. */
  next(type: string): Promise<number>;
  close(): void;
}

/** Starts a turn without waiting for it. Without a conversation it starts one. */
export async function startTurn({ url }: Pick<Target, 'url'>, conversationId?: string): Promise<string> {
  const body = {
    content: [{ type: 'text', text: 'Hello' }],
    ...(conversationId && { conversation_id: conversationId }),
  };
  const headers = { ...JSON_BY_KEY, prefer: 'respond-async' };
  const response = await fetch(`${url}${PATH}`, { method: 'POST', headers, body: JSON.stringify(body) });
  if (response.status !== 202) throw new Error(await response.text());
  return ((await response.json()) as { conversation_id: string }).conversation_id;
}

/** Opens the feed of a conversation. It is open on the server too when this resolves. */
export async function openFeed({ url }: Pick<Target, 'url'>, conversationId: string): Promise<LiveFeed> {
  const abort = new AbortController();
  const response = await fetch(`${url}/v1/runner/conversation/${conversationId}/stream`, {
    headers: { 'x-api-key': KEY },
    signal: abort.signal,
  });
  if (!response.ok) throw new Error(await response.text());
  const waiting = new Map<string, (at: number) => void>();
  void (async () => {
    const decoder = new TextDecoder();
    for await (const bytes of response.body ?? []) {
      const at = performance.now();
      for (const [, type = ''] of decoder.decode(bytes as Uint8Array, { stream: true }).matchAll(/^event: (.+)$/gm)) {
        waiting.get(type)?.(at);
        waiting.delete(type);
      }
    }
  })().catch(() => {});
  return {
    next: (type) => new Promise((resolve) => waiting.set(type, resolve)),
    close: () => abort.abort(),
  };
}

/** Milliseconds from the provider's first delta to the first text at each watcher. */
export async function firstText(at: Target, watchedAt: readonly Target[], provider: PacedProvider): Promise<number[]> {
  const conversationId = await idle(at);
  const feeds = await Promise.all(watchedAt.map((target) => openFeed(target, conversationId)));
  const texts = feeds.map((feed) => feed.next('text.delta'));
  const ended = feeds.map((feed) => feed.next('turn.ended'));
  await startTurn(at, conversationId);
  const arrived = await Promise.all(texts);
  const sent = provider.firstDeltaAt();
  await Promise.all(ended);
  for (const feed of feeds) feed.close();
  return arrived.map((time) => time - sent);
}

/** Milliseconds from a stop to the end of the model call. */
export async function stopTime(at: Target, stoppedAt: Target, provider: PacedProvider): Promise<number> {
  provider.setPace(SHORT);
  const conversationId = await idle(at);
  const feed = await openFeed(at, conversationId);
  provider.setPace(ENDLESS);
  const text = feed.next('text.delta');
  await startTurn(at, conversationId);
  await text;
  feed.close();
  const aborted = provider.nextAbort();
  const asked = performance.now();
  const url = `${stoppedAt.url}/v1/runner/conversation/${conversationId}/stop`;
  const response = await fetch(url, { method: 'POST', headers: JSON_BY_KEY });
  if (!response.ok) throw new Error(await response.text());
  return (await aborted) - asked;
}

/** A conversation whose first turn has ended. */
async function idle(at: Target): Promise<string> {
  const body = JSON.stringify({ content: [{ type: 'text', text: 'Hello' }] });
  const response = await fetch(`${at.url}${PATH}`, { method: 'POST', headers: JSON_BY_KEY, body });
  return ((await response.json()) as { conversation_id: string }).conversation_id;
}
