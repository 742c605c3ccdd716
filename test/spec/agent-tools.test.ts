import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { DEMO_AGENT_ID } from '../../src/domain/first-start.ts';
import { AGENT_APIS, textContent } from '../support/agent-apis.ts';
import { startService, type TestService } from '../support/service.ts';

let service: TestService;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.close());

const [rest] = AGENT_APIS;
const turn = (script: string, fields: object = {}) => {
  if (!rest) throw new Error('There is no REST API.');
  return rest.turn(service, { content: textContent(script), ...fields });
};

async function history(conversationId: string | undefined) {
  const { body } = await service.send('GET', `/v2/runner/${DEMO_AGENT_ID}/conversation/${conversationId}/history`);
  return body;
}

const SCHEMA = { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] };

describe('offered tools', () => {
  it('offers a when_connected tool only to a request that advertises it', async () => {
    const without = await turn('/call lookup_customer {"customer_id":"1"}');
    expect(without).toMatchObject({ runStatus: 'completed' });
    expect(without.content).toContain('There is no tool lookup_customer');
    const withIt = await turn('/call lookup_customer {"customer_id":"1"}', {
      client_capabilities: [{ name: 'lookup_customer' }],
    });
    expect(withIt).toMatchObject({ runStatus: 'waiting_for_client_action' });
  });

  it('offers an advertised tool with its own schema and ignores an unconfigured bare name', async () => {
    const own = await turn('/call weather {"city":"Oslo"}', {
      client_capabilities: [{ name: 'weather', input_schema: SCHEMA }],
    });
    expect(own.calls).toMatchObject([{ name: 'weather', arguments: { city: 'Oslo' } }]);
    const bare = await turn('/call weather {"city":"Oslo"}', { client_capabilities: ['weather'] });
    expect(bare.content).toContain('There is no tool weather');
  });

  it('reports arguments that fail the schema to the model and continues', async () => {
    const outcome = await turn('/call weather {"town":"Oslo"}\n/say sorry', {
      client_capabilities: [{ name: 'weather', input_schema: SCHEMA }],
    });
    expect(outcome).toMatchObject({ runStatus: 'completed', content: 'sorry' });
    const { items } = await history(outcome.conversationId);
    expect(items[1]).toMatchObject({ type: 'client_tool', status: 'failed', summary: 'weather failed.' });
  });

  it.each([
    ['no object schema', { type: 'string' }],
    ['$async', { type: 'object', $async: true }],
    ['more than 64 KiB', { type: 'object', description: 'x'.repeat(66_000) }],
    ['a reference to another document', { type: 'object', properties: { a: { $ref: 'https://example.com/a' } } }],
    ['an invalid keyword', { type: 'object', required: 'city' }],
  ])('rejects an advertised schema with %s', async (_description, input_schema) => {
    const outcome = await turn('Hello', { client_capabilities: [{ name: 'weather', input_schema }] });
    expect(outcome).toMatchObject({ status: 400, code: 'invalid_request' });
    expect(outcome.error?.param).toBe('client_capabilities[0].input_schema');
  });

  it.each([
    ['a name with a space, with a schema', [{ name: 'look up', input_schema: {} }], 'client_capabilities[0].name'],
    ['a number', [7], 'client_capabilities[0]'],
    ['the server tool', ['complete_conversation'], 'client_capabilities[0]'],
    ['a tool twice', ['a', 'a'], 'client_capabilities'],
    ['65 tools', Array.from({ length: 65 }, (_, index) => `tool${index}`), 'client_capabilities'],
  ])('rejects client_capabilities with %s', async (_description, client_capabilities, param) => {
    const outcome = await turn('Hello', { client_capabilities });
    expect(outcome).toMatchObject({ status: 400, code: 'invalid_request' });
    expect(outcome.error?.param).toBe(param);
  });

  it('ignores a bare name that no tool can have', async () => {
    const client_capabilities = ['look up', '', 'x'.repeat(65), '1st', { name: 'ä' }, 'lookup_customer'];
    const outcome = await turn('/call lookup_customer {"customer_id":"1"}', { client_capabilities });
    expect(outcome).toMatchObject({ status: 200, runStatus: 'waiting_for_client_action' });
  });

  it('rejects questions that cannot be answered', async () => {
    const same = { id: 'a', question: 'A?', input_type: 'text' };
    const script = `/call ask_user ${JSON.stringify({ questions: [same, same] })}\n/say sorry`;
    expect(await turn(script, { client_capabilities: ['ask_user'] })).toMatchObject({ content: 'sorry' });
    const choice = `/call ask_user ${JSON.stringify({ questions: [{ ...same, input_type: 'single_select' }] })}\n/say sorry`;
    expect(await turn(choice, { client_capabilities: ['ask_user'] })).toMatchObject({ content: 'sorry' });
  });
});

describe('complete_conversation', () => {
  it('completes the conversation after the round if it was the final server tool and nothing is pending', async () => {
    const outcome = await turn('/complete\n/say bye');
    expect(outcome).toMatchObject({ runStatus: 'completed', content: 'bye' });
    const { items, conversation_status, completed_at } = await history(outcome.conversationId);
    expect(conversation_status).toBe('completed');
    expect(completed_at).toEqual(expect.any(String));
    expect(items.map((item: { type: string; status?: string }) => [item.type, item.status])).toEqual([
      ['message', undefined],
      ['tool', 'completed'],
      ['message', undefined],
      ['conversation_completed', undefined],
    ]);
  });

  it('logs a request as not_completed if a client action is pending', async () => {
    const outcome = await turn('/complete && /ask\n/say still here', { client_capabilities: ['ask_user'] });
    expect(outcome.runStatus).toBe('waiting_for_client_action');
    const { items, conversation_status } = await history(outcome.conversationId);
    expect(conversation_status).toBe('active');
    expect(items[1]).toMatchObject({ name: 'complete_conversation', status: 'not_completed' });
  });

  it('logs a request of an earlier step as not_completed once a later step pauses', async () => {
    const outcome = await turn('/complete\n/ask', { client_capabilities: ['ask_user'] });
    const { items } = await history(outcome.conversationId);
    expect(items[1]).toMatchObject({ name: 'complete_conversation', status: 'not_completed' });
    expect(items[2]).toMatchObject({ name: 'ask_user', status: 'pending' });
  });

  it('applies only the last of several requests', async () => {
    const outcome = await turn('/complete\n/complete\n/say bye');
    const { items, conversation_status } = await history(outcome.conversationId);
    expect(conversation_status).toBe('completed');
    const statuses = items.filter((item: { type: string }) => item.type === 'tool');
    expect(statuses.map((item: { status: string }) => item.status)).toEqual(['not_completed', 'completed']);
  });

  it('leaves the conversation active if the model fails after the request', async () => {
    const failed = await turn('/complete\n/fail');
    expect(failed).toMatchObject({ status: 502, code: 'model_error' });
    const read = await history(failed.error?.conversation_id as string);
    expect(read).toMatchObject({ conversation_status: 'active', run_status: 'failed' });
    expect(read.items[1]).toMatchObject({ status: 'not_completed' });
  });

  it('is offered only by v2', async () => {
    const { body } = await service.send('POST', `/v1/runner/${DEMO_AGENT_ID}/conversation`, {
      body: { content: textContent('/complete\n/say bye') },
    });
    expect(body).toMatchObject({ status: 'active', content: 'bye' });
    const { items } = await history(body.conversation_id);
    expect(items[1]).toMatchObject({ name: 'complete_conversation', status: 'failed' });
  });
});

describe('the life cycle of a turn', () => {
  it('asks the model to answer without tools after 16 steps of one round', async () => {
    const lines = Array.from({ length: 20 }, () => '/call nothing');
    const outcome = await turn(lines.join('\n'));
    expect(outcome.runStatus).toBe('completed');
    const { items } = await history(outcome.conversationId);
    expect(items.filter((item: { type: string }) => item.type === 'tool')).toHaveLength(16);
  });

  it("stores the assistant's text next to its calls as a message", async () => {
    const outcome = await turn('/say One moment. && /ask\n/say thanks', { client_capabilities: ['ask_user'] });
    const { items } = await history(outcome.conversationId);
    expect(items.map((item: { type: string }) => item.type)).toEqual(['message', 'message', 'client_tool']);
    const { body } = await service.send('GET', `/v1/runner/conversation/${outcome.conversationId}/messages`);
    expect(body).toMatchObject({ total: 2, run_status: 'waiting_for_client_action' });
    expect(body.pending_client_actions).toEqual(outcome.calls);
    expect(body.progress).toEqual([
      {
        type: 'client_action_required',
        call_id: outcome.calls?.[0]?.call_id,
        name: 'ask_user',
        summary: 'ask_user waits for its result.',
      },
    ]);
    expect(body.tool_summary).toEqual([{ name: 'ask_user', type: 'client_tool', status: 'pending' }]);
  });

  it('rejects a v1 turn while client actions are pending', async () => {
    const outcome = await turn('/ask', { client_capabilities: ['ask_user'] });
    const { status, body } = await service.send('POST', `/v1/runner/${DEMO_AGENT_ID}/conversation`, {
      body: { conversation_id: outcome.conversationId, content: textContent('Hello?') },
    });
    expect([status, body.error.code]).toEqual([409, 'client_action_required']);
    expect(body.error.pending_client_actions).toEqual(outcome.calls);
  });

  it.each(['v1', 'v2'])('continues when the client of its %s request disconnects', async (version) => {
    const controller = new AbortController();
    const sent = fetch(`${service.url}/${version}/runner/${DEMO_AGENT_ID}/conversation`, {
      method: 'POST',
      headers: { authorization: `Bearer ${service.keys.live}`, 'content-type': 'application/json' },
      body: JSON.stringify({ content: textContent('/slow 0.3\n/say finished alone') }),
      signal: controller.signal,
    });
    const {
      stores: { prisma },
      process: { runs },
    } = service.service.services;
    await expect.poll(() => runs.activeCount).toBeGreaterThan(0);
    controller.abort();
    await expect(sent).rejects.toThrow();
    await expect.poll(() => runs.activeCount).toBe(0);
    const latest = await prisma.run.findFirst({ orderBy: { createdAt: 'desc' } });
    expect(latest?.status).toBe('completed');
  });

  it('shows accepted results to the model after an interruption and does not repeat the call', async () => {
    const outcome = await turn('/ask\n/fail', { client_capabilities: ['ask_user'] });
    const [call] = outcome.calls ?? [];
    const questions = call?.arguments.questions as { id: string; input_type: string }[];
    const answers = questions.map(({ id, input_type }) => ({ id, value: input_type === 'multi_select' ? [] : 'x' }));
    const interrupted = await rest?.turn(service, {
      conversation_id: outcome.conversationId ?? '',
      tool_results: [{ call_id: call?.call_id ?? '', output: { answers } }],
    });
    expect(interrupted).toMatchObject({ status: 200, runStatus: 'interrupted', content: '' });
    const next = await turn('Continue.', { conversation_id: outcome.conversationId });
    expect(next).toMatchObject({ runStatus: 'completed', content: 'You said: Continue.' });
    const { items } = await history(outcome.conversationId);
    expect(items[1]).toMatchObject({ type: 'client_tool', status: 'completed', output: { answers } });
    expect(items.filter((item: { type: string }) => item.type === 'client_tool')).toHaveLength(1);
  });
});
