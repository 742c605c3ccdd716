import type { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { textContent } from '../support/agent-apis.ts';
import { type PostgresStore, postgresStore, startOn } from '../support/data-stores.ts';
import { POSTGRES_URL } from '../support/database.ts';
import { dictate } from '../support/dictation.ts';
import { busyMs } from '../support/event-loop.ts';
import { type FakeProvider, startFakeProvider } from '../support/fake-provider.ts';
import { callTool, connectMcp, connectModernMcp } from '../support/mcp-client.ts';
import { killAll, RECOVERY_MS, type ServiceProcess } from '../support/process.ts';
import { until } from '../support/until.ts';
import { publishedWorkflow, workflowsOf } from '../support/workflows.ts';

describe.skipIf(!POSTGRES_URL)('an MCP client of two processes', () => {
  let store: PostgresStore;
  let provider: FakeProvider;
  let processes: [ServiceProcess, ServiceProcess];
  let deploymentId: string;

  const start = (settings: Record<string, string> = {}) =>
    startOn(store, {
      ...{ ALLOW_LOOPBACK: 'true', DEFAULT_MODEL: 'openai-compatible:any', OPENAI_BASE_URL: provider.url },
      ...settings,
    });
  const ask = () => ({
    name: 'ask_deployment',
    arguments: { deployment_id: deploymentId, content: textContent('Hello') },
  });

  beforeAll(async () => {
    [store, provider] = await Promise.all([postgresStore(), startFakeProvider()]);
    processes = await Promise.all([start(), start()]);
    ({ deploymentId } = await publishedWorkflow(workflowsOf(processes[0]), { recovery: 'CONTINUE' }));
  });
  afterAll(async () => {
    await killAll();
    await provider.close();
    await store.remove();
  });

  /** Asks, and resolves with the conversation when the beginning of the reply has arrived. */
  async function begin(url: string, send?: typeof fetch) {
    const client = await connectMcp(url, { key: store.key, ...(send && { fetch: send }) });
    const dictation = dictate(provider);
    const cancel = new AbortController();
    let began = () => {};
    const beginning = new Promise<void>((resolve) => {
      began = resolve;
    });
    const reply = client.callTool(ask(), undefined, { signal: cancel.signal, onprogress: () => began() });
    reply.catch(() => {});
    dictation.say('The beginning');
    await beginning;
    const { data } = await callTool(client, 'search_conversations', { limit: 1 });
    return { client, cancel, reply, conversationId: data[0].conversation_id as string };
  }

  /** The content of the stored reply. */
  const replyOf = (client: Client, conversationId: string) =>
    until(
      async () => {
        const { items } = await callTool(client, 'read_conversation', { conversation_id: conversationId });
        return items.at(-1).role === 'assistant' && items.at(-1).content;
      },
      { withinMs: busyMs(RECOVERY_MS + 5_000) },
    );

  it('sends each request to another process, and its cancellation stops the turn', async () => {
    let sent = 0;
    const alternate: typeof fetch = (input, init) => {
      sent += 1;
      const url = new URL(String(input));
      url.port = new URL((processes[sent % 2] as ServiceProcess).url).port;
      return fetch(url, init);
    };
    const { client, cancel, reply, conversationId } = await begin(processes[0].url, alternate);
    // The next request goes to the process that does not run the turn.
    if (sent % 2 === 0) await client.ping();
    cancel.abort('enough');
    await expect(reply).rejects.toThrow('enough');
    expect(await replyOf(client, conversationId)).toEqual(textContent('The beginning'));
    await client.close();
  });

  it('reads from the other process the reply that was cut off when its process was killed', async () => {
    // A turn runs in any process, so only one process is there when it starts.
    await processes[1].kill('SIGKILL');
    const { client: cutOff, reply, conversationId } = await begin(processes[0].url);
    provider.reply({ kind: 'answer', deltas: ['The whole reply'] });
    const other = await start();
    await processes[0].kill('SIGKILL');
    const client = await connectMcp(other.url, { key: store.key });
    expect(await replyOf(client, conversationId)).toEqual(textContent('The whole reply'));
    await cutOff.close();
    await expect(reply).rejects.toThrow('Connection closed');
    await client.close();
  });

  it('keeps the turn of a client of 2026 whose process closes the connection, because it shuts down', async () => {
    const [leaving, other] = await Promise.all([start({ SHUTDOWN_TIMEOUT: '6' }), start()]);
    const client = await connectModernMcp(leaving.url, { key: store.key });
    const dictation = dictate(provider);
    let began = () => {};
    const beginning = new Promise<void>((resolve) => {
      began = resolve;
    });
    const reply = client.callTool(ask(), { onprogress: () => began() });
    reply.catch(() => {});
    dictation.say('The beginning');
    await beginning;
    // If the turn runs in the process that shuts down, another process begins its step again.
    provider.reply({ kind: 'answer', deltas: ['The beginning and the end'] });
    await leaving.kill('SIGTERM');
    dictation.say(' and the end');
    dictation.end();
    const reading = await connectMcp(other.url, { key: store.key });
    const { data } = await callTool(reading, 'search_conversations', { limit: 1 });
    expect(await replyOf(reading, data[0].conversation_id)).toEqual(textContent('The beginning and the end'));
    await reading.close();
  });
});
