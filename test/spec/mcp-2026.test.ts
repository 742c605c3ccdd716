import type { Client } from '@modelcontextprotocol/client';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { textContent } from '../support/agent-apis.ts';
import { dictate } from '../support/dictation.ts';
import { callTool, connectModernMcp } from '../support/mcp-client.ts';
import { headersOf, lastMessage, META, MODERN_VERSION, messageOf, sendRaw } from '../support/mcp-messages.ts';
import { TASKS_EXTENSION } from '../support/mcp-tasks.ts';
import { type ProviderService, startProviderService } from '../support/provider-service.ts';
import { makeDeployment } from '../support/tenants.ts';
import { until } from '../support/until.ts';

let provided: ProviderService;
let client: Client;
const deployments: Record<'stop' | 'continue', string> = { stop: '', continue: '' };
beforeAll(async () => {
  provided = await startProviderService();
  const make = (onReaderGone: 'stop' | 'continue') =>
    makeDeployment(provided.service, {}, { kind: 'chat', onReaderGone });
  for (const policy of ['stop', 'continue'] as const) deployments[policy] = (await make(policy)).id;
  client = await connectModernMcp(provided.service.url, { key: provided.service.keys.live });
});
afterAll(async () => {
  await client.close();
  await provided.close();
});

const newestRun = () =>
  provided.service.service.services.stores.prisma.run.findFirstOrThrow({ orderBy: { createdAt: 'desc' } });

const ask = (policy: 'stop' | 'continue') => ({
  name: 'ask_deployment',
  arguments: { deployment_id: deployments[policy], content: textContent('Hello') },
});

/** Asks without the client, which shows the form of the response. */
function send(params: object, accept?: string) {
  const body = messageOf('2026', { method: 'tools/call', params });
  const headers = { ...headersOf('2026', body), ...(accept && { accept }) };
  return sendRaw(provided.service.url, provided.service.keys.live, { body, headers });
}

describe('a client of the revision 2026-07-28', () => {
  it('discovers the server without a session', async () => {
    const { supportedVersions, capabilities, instructions } = await client.discover();
    expect({ supportedVersions, capabilities }).toEqual({
      supportedVersions: [MODERN_VERSION],
      capabilities: { tools: {}, extensions: { [TASKS_EXTENSION]: {} } },
    });
    expect(instructions).toContain('ask_deployment');
    const body = messageOf('2026', { method: 'server/discover' });
    const response = await sendRaw(provided.service.url, provided.service.keys.live, {
      body,
      headers: headersOf('2026', body),
    });
    expect(response.headers.get('mcp-session-id')).toBeNull();
    expect(await lastMessage(response)).toMatchObject({ result: { cacheScope: 'public', ttlMs: 3_600_000 } });
  });

  it('may keep the list of its tools for a minute, and only for itself', async () => {
    const body = messageOf('2026');
    const response = await sendRaw(provided.service.url, provided.service.keys.live, {
      body,
      headers: headersOf('2026', body),
    });
    const { result } = await lastMessage(response);
    expect(result).toMatchObject({ ttlMs: 60_000, cacheScope: 'private' });
    const { tools } = await client.listTools();
    expect(tools).toEqual(result.tools);
  });

  it('calls tools, and gets the text of a reply as progress', async () => {
    const made = await callTool(client, 'create_resource', { type: 'modern', fields: { open: true } });
    expect(await callTool(client, 'read_resource', { id: made.data.id })).toEqual(made);
    const dictation = dictate(provided.provider);
    let said = '';
    const reply = client.callTool(ask('stop'), {
      onprogress({ message }) {
        said += message;
        dictation.end();
      },
    });
    dictation.say('Good morning');
    expect((await reply).structuredContent).toMatchObject({ content: 'Good morning' });
    expect(said).toBe('Good morning');
  });

  it('gets an event stream for a turn, and JSON if it accepts no other type', async () => {
    const types = [];
    for (const accept of ['*/*', 'application/json']) {
      provided.provider.reply({ kind: 'answer', deltas: ['Good', ' morning'] });
      const response = await send({ ...ask('stop'), _meta: { ...META, progressToken: 1 } }, accept);
      types.push(response.headers.get('content-type'));
      expect((await lastMessage(response)).result.structuredContent.content).toBe('Good morning');
    }
    expect(types).toEqual(['text/event-stream', 'application/json']);
  });

  it('gets JSON for a tool without a turn', async () => {
    const response = await send({ name: 'list_resources', _meta: { ...META, progressToken: 1 } });
    expect(response.headers.get('content-type')).toBe('application/json');
  });
});

describe('a call whose client closes the stream', () => {
  it.each(['stop', 'continue'] as const)(
    'is cancelled: the turn stops, even if the deployment says %s',
    async (policy) => {
      const dictation = dictate(provided.provider);
      const cancel = new AbortController();
      let began = () => {};
      const beginning = new Promise<void>((resolve) => {
        began = resolve;
      });
      const reply = client.callTool(ask(policy), { signal: cancel.signal, onprogress: () => began() });
      reply.catch(() => {});
      dictation.say('The beginning');
      await beginning;
      cancel.abort('enough');
      await expect(reply).rejects.toThrow('enough');
      await until(async () => (await newestRun()).status !== 'running');
      const { status, finishReason, conversationId } = await newestRun();
      expect([status, finishReason]).toEqual(['interrupted', 'stopped']);
      const { items } = await callTool(client, 'read_conversation', { conversation_id: conversationId });
      expect(items.at(-1).content[0].text).toBe('The beginning');
    },
  );
});
