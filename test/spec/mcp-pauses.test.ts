import type { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { publishScripted } from '../support/actions.ts';
import { callTool, connectMcp, connectModernMcp } from '../support/mcp-client.ts';
import { headersOf, lastMessage, messageOf, sendRaw } from '../support/mcp-messages.ts';
import { startService, type TestService } from '../support/service.ts';
import { makeKey } from '../support/tenants.ts';
import { workflowsOf } from '../support/workflows.ts';

let service: TestService;
let client: Client;
let deploymentId: string;
beforeAll(async () => {
  service = await startService();
  client = await connectMcp(service.url, { key: service.keys.live });
  const draft = {
    clientTools: [{ name: 'ask_user', availability: 'ALWAYS' }],
    resourceTools: ['CREATE_RESOURCE'],
    toolApprovals: [{ tool: 'create_resource', mode: 'ALWAYS', approver: 'CLIENT', allowAnonymous: false }],
  };
  ({ deploymentId } = await publishScripted(service, workflowsOf(service), draft as never));
});
afterAll(async () => {
  await client.close();
  await service.close();
});

const QUESTION = '/call ask_user {"questions":[{"id":"a","question":"A?","input_type":"text"}]}';
const ANSWER = { answers: [{ id: 'a', value: 'yes' }] };

/** Asks for something that only the client has. */
async function pause(text = QUESTION, capabilities = ['ask_user']) {
  return callTool(client, 'ask_deployment', {
    ...{ deployment_id: deploymentId, content: [{ type: 'text', text }], client_capabilities: capabilities },
  });
}

const resume = (
  paused: { conversation_id: string; pending_actions: { call_id: string }[] },
  output: object = ANSWER,
) => ({
  ...{ deployment_id: deploymentId, conversation_id: paused.conversation_id },
  tool_results: paused.pending_actions.map(({ call_id }) => ({ call_id, output })),
});

describe('ask_deployment', () => {
  it('returns the pending actions of a turn that waits for the client', async () => {
    const paused = await pause();
    expect(paused).toMatchObject({
      run_status: 'waiting_for_client_action',
      pending_actions: [{ call_id: expect.any(String), name: 'ask_user', arguments: { questions: [{ id: 'a' }] } }],
    });
    expect(paused).not.toHaveProperty('client_tool_calls');
  });

  it('has no pending actions if the turn has ended', async () => {
    expect(await pause('/say Hello')).toMatchObject({ content: 'Hello', pending_actions: [] });
  });

  it('is stored once with an idempotency key', async () => {
    const args = {
      ...{ deployment_id: deploymentId, content: [{ type: 'text', text: '/say Once' }], idempotency_key: 'once' },
    };
    const first = await callTool(client, 'ask_deployment', args);
    expect(await callTool(client, 'ask_deployment', args)).toEqual(first);
  });

  it('is rejected while the conversation waits, with the pending actions', async () => {
    const { conversation_id } = await pause();
    const { error } = await callTool(client, 'ask_deployment', {
      ...{ deployment_id: deploymentId, conversation_id, content: [{ type: 'text', text: '/say Hello' }] },
    });
    expect(error.code).toBe('client_action_required');
    expect(JSON.stringify(error)).toContain('ask_user');
  });
});

describe('resume_conversation', () => {
  it('sends the results, and returns the reply', async () => {
    const resumed = await callTool(client, 'resume_conversation', resume(await pause()));
    expect(resumed).toMatchObject({ run_status: 'completed', pending_actions: [] });
    expect(resumed.content).toContain('yes');
  });

  it('resumes for a client of 2026', async () => {
    const modern = await connectModernMcp(service.url, { key: service.keys.live });
    const resumed = await callTool(modern, 'resume_conversation', resume(await pause()));
    expect(resumed.run_status).toBe('completed');
    await modern.close();
  });

  it.each([
    [true, 1],
    [false, 0],
  ])('decides an approval: %s', async (approved, resources) => {
    const type = `approved_${approved}`;
    const paused = await pause(`/call create_resource {"type":"${type}","fields":{}}`, ['approve_action']);
    expect(paused.pending_actions).toMatchObject([{ name: 'approve_action' }]);
    await callTool(client, 'resume_conversation', resume(paused, { approved }));
    const { data } = await callTool(client, 'list_resources', { type });
    expect(data).toHaveLength(resources);
  });

  it('lets the first results win', async () => {
    const paused = await pause();
    const other = { answers: [{ id: 'a', value: 'no' }] };
    const results = await Promise.all(
      [ANSWER, other].map((output) => callTool(client, 'resume_conversation', resume(paused, output))),
    );
    const codes = results.map(({ error }) => error?.code);
    expect(codes.filter((code) => code === undefined)).toHaveLength(1);
    expect(codes.filter((code) => code !== undefined)).toEqual(['action_result_conflict']);
  });

  it.each([
    ['of another environment', () => service.keys.test],
    ['without the scope', () => makeKey(service, { scopes: ['conversations:read'] })],
  ])('has the error of REST for a key %s', async (_case, keyOf) => {
    const key = await keyOf();
    const args = resume(await pause());
    const { deployment_id, ...body } = args;
    const own = await connectMcp(service.url, { key });
    const { error } = await callTool(own, 'resume_conversation', args);
    const rest = await service.send('POST', `/v2/runner/${deployment_id}/conversation`, { key, body });
    expect([error.code, error.message]).toEqual([rest.body.error.code, rest.body.error.message]);
    expect(rest.status).toBeGreaterThanOrEqual(403);
    await own.close();
  });

  it.each([
    ['resume_conversation', { content: [] }, 'content'],
    ['ask_deployment', { tool_results: [] }, 'tool_results'],
    ['ask_deployment', { background: true }, 'background'],
    ['ask_deployment', { surprise: 1 }, 'surprise'],
  ])('%s does not take %j', async (name, args, param) => {
    const { error } = await callTool(client, name, { deployment_id: deploymentId, ...args });
    expect([error.code, error.param]).toEqual(['invalid_request', param]);
  });
});

describe('an approval at a client of 2026 that asks its person', () => {
  const approvable = (type: string) => ({
    ...{ deployment_id: deploymentId, client_capabilities: ['approve_action'] },
    content: [{ type: 'text', text: `/call create_resource {"type":"${type}","fields":{}}` }],
  });

  it.each([
    ['accept', { action: 'accept', content: { approved: true } }, 1],
    ['accept_no', { action: 'accept', content: { approved: false, reason: 'Not now' } }, 0],
    ['decline', { action: 'decline' }, 0],
  ] as const)('is decided in the same call: %s', async (type, response, resources) => {
    const questions: string[] = [];
    const asking = await connectModernMcp(service.url, {
      key: service.keys.live,
      answer: (question) => {
        questions.push(question);
        return response;
      },
    });
    const result = await callTool(asking, 'ask_deployment', approvable(type));
    expect(result).toMatchObject({ run_status: 'completed', pending_actions: [] });
    expect(questions).toEqual([`Allow create_resource? {"type":"${type}","fields":{}}`]);
    expect((await callTool(client, 'list_resources', { type })).data).toHaveLength(resources);
    await asking.close();
  });

  it('shows the person every character of what it approves, or asks nothing', async () => {
    const questions: string[] = [];
    const asking = await connectModernMcp(service.url, {
      key: service.keys.live,
      answer: (question) => {
        questions.push(question);
        return { action: 'decline' };
      },
    });
    await callTool(asking, 'ask_deployment', approvable('hidden\u202eneddih\u200b'));
    expect(questions).toEqual(['Allow create_resource? {"type":"hidden\\u{202e}neddih\\u{200b}","fields":{}}']);
    const long = await callTool(asking, 'ask_deployment', approvable('x'.repeat(2_000)));
    expect(long).toMatchObject({
      run_status: 'waiting_for_client_action',
      pending_actions: [{ name: 'approve_action' }],
    });
    expect(questions).toHaveLength(1);
    await asking.close();
  });

  it('still waits if the person closes the question', async () => {
    const asking = await connectModernMcp(service.url, {
      key: service.keys.live,
      answer: () => ({ action: 'cancel' }),
    });
    const result = await callTool(asking, 'ask_deployment', approvable('cancel'));
    expect(result).toMatchObject({
      run_status: 'waiting_for_client_action',
      pending_actions: [{ name: 'approve_action' }],
    });
    const resumed = await callTool(client, 'resume_conversation', resume(result, { approved: true }));
    expect(resumed.run_status).toBe('completed');
    await asking.close();
  });

  it('is a pending action for other clients, and so is every other pause', async () => {
    const plain = await connectModernMcp(service.url, { key: service.keys.live });
    const waiting = await callTool(plain, 'ask_deployment', approvable('plain'));
    expect(waiting.pending_actions).toMatchObject([{ name: 'approve_action' }]);
    const asking = await connectModernMcp(service.url, {
      key: service.keys.live,
      answer: () => ({ action: 'accept', content: {} }),
    });
    const args = { ...approvable('a'), client_capabilities: ['ask_user'], content: [{ type: 'text', text: QUESTION }] };
    const paused = await callTool(asking, 'ask_deployment', args);
    expect(paused.pending_actions).toMatchObject([{ name: 'ask_user' }]);
    await Promise.all([plain.close(), asking.close()]);
  });

  it.each(['{', '[]', '["a"]', '[1,2]', `["${'x'.repeat(300)}","a"]`])(
    'rejects the state %.10j',
    async (requestState) => {
      const params = { name: 'ask_deployment', arguments: approvable('state'), requestState, inputResponses: {} };
      const body = messageOf('2026', { method: 'tools/call', params });
      const { error } = await lastMessage(
        await sendRaw(service.url, service.keys.live, { body, headers: headersOf('2026', body) }),
      );
      expect([error.code, error.message]).toEqual([-32602, expect.stringContaining('requestState')]);
    },
  );

  it('cannot answer for a conversation of another environment', async () => {
    const paused = await pause('/call create_resource {"type":"foreign","fields":{}}', ['approve_action']);
    const [{ call_id }] = paused.pending_actions;
    const params = {
      ...{ name: 'ask_deployment', arguments: approvable('state') },
      requestState: JSON.stringify([deploymentId, paused.conversation_id]),
      inputResponses: { [call_id]: { action: 'accept', content: { approved: true } } },
    };
    const body = messageOf('2026', { method: 'tools/call', params });
    const { result } = await lastMessage(
      await sendRaw(service.url, service.keys.test, { body, headers: headersOf('2026', body) }),
    );
    expect(JSON.parse(result.content[0].text).error.code).toBe('not_found');
  });
});
