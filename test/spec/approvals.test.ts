import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { connect, publishScripted } from '../support/actions.ts';
import type { FakeReply } from '../support/fake-provider.ts';
import { type ProviderService, startProviderService } from '../support/provider-service.ts';
import { type Receiver, startReceiver } from '../support/receiver.ts';
import { openSession } from '../support/tenants.ts';
import { workflowsOf } from '../support/workflows.ts';

const SCHEMA = {
  type: 'object',
  properties: { id: { type: 'string' }, amount: { type: 'integer', maximum: 1_000 } },
  required: ['id', 'amount'],
};
const ACTION = { integration: 'Bank', method: 'POST', url: '/charges', inputSchema: SCHEMA };
const LARGE = { type: 'object', properties: { amount: { minimum: 100 } } };

const DRAFT = {
  httpActions: [
    { ...ACTION, name: 'charge', description: 'Charges the card.', approval: { mode: 'ALWAYS', approver: 'EITHER' } },
    { ...ACTION, name: 'charge_large', approval: { mode: 'WHEN', when: LARGE, approver: 'CLIENT' } },
    { ...ACTION, name: 'charge_team', approval: { mode: 'ALWAYS', approver: 'MEMBER' } },
    { ...ACTION, name: 'charge_free' },
  ],
  clientTools: [{ name: 'ask_user', availability: 'ALWAYS' }],
  resourceTools: ['CREATE_RESOURCE'],
  toolApprovals: [{ tool: 'create_resource', mode: 'ALWAYS', approver: 'EITHER' }],
};

const call = (name: string, amount = 5) => ({ name, arguments: JSON.stringify({ id: name, amount }) });
const calls = (...all: readonly ReturnType<typeof call>[]): FakeReply => ({ kind: 'answer', calls: all });
const SAYS: FakeReply = { kind: 'answer', deltas: ['Done.'] };

let provided: ProviderService;
let bank: Receiver;
let workflow: Awaited<ReturnType<typeof publishScripted>>;
let before = 0;
beforeAll(async () => {
  [provided, bank] = await Promise.all([startProviderService(), startReceiver()]);
  bank.respondWith((response) => void response.writeHead(200).end('charged'));
  await connect(provided.service, { kind: 'http', name: 'Bank', url: bank.url });
  workflow = await publishScripted(provided.service, workflowsOf(provided.service), DRAFT);
});
afterAll(async () => {
  await Promise.all([provided.close(), bank.close()]);
});
beforeEach(() => {
  before = bank.received.length;
});

const charged = () => bank.received.slice(before).map(({ body }) => JSON.parse(body));

/** A turn whose first step makes these calls. The next step ends it. */
function turn(...all: readonly ReturnType<typeof call>[]) {
  provided.provider.reply(calls(...all), SAYS);
  return workflow.turn('Charge me');
}

type Body = Awaited<ReturnType<typeof turn>>['body'];

function decide({ conversation_id, client_tool_calls }: Body, output: object, headers: Record<string, string> = {}) {
  const results = client_tool_calls.map(({ call_id }: { call_id: string }) => ({ call_id, output }));
  const path = `/v2/runner/${workflow.deploymentId}/conversation`;
  return provided.service.send('POST', path, { body: { conversation_id, tool_results: results }, headers });
}

/** The results of tools in the last request to the model. */
const seen = () => JSON.stringify(provided.provider.requests.at(-1)?.body.messages);

describe('a call that needs an approval', () => {
  it('waits with the pending action approve_action, and runs once it is approved', async () => {
    const { body } = await turn(call('charge'));
    expect(body.run_status).toBe('waiting_for_client_action');
    expect(body.client_tool_calls).toEqual([
      {
        call_id: expect.any(String),
        name: 'approve_action',
        arguments: {
          call_id: expect.any(String),
          tool: 'charge',
          description: 'Charges the card.',
          arguments: { id: 'charge', amount: 5 },
          input_schema: SCHEMA,
          approver: 'either',
        },
      },
    ]);
    expect(charged()).toEqual([]);
    const decided = await decide(body, { approved: true });
    expect([decided.status, decided.body.run_status, decided.body.content]).toEqual([200, 'completed', 'Done.']);
    expect(charged()).toEqual([{ id: 'charge', amount: 5 }]);
    const items = await workflow.historyOf(body.conversation_id);
    expect(items.map(({ name, status }) => [name, status])).toContainEqual(['charge', 'completed']);
    expect(items.map(({ name, status }) => [name, status])).toContainEqual(['approve_action', 'completed']);
    // The model sees its own call, and not the one that asked for the approval.
    expect(seen()).toContain('charged');
    expect(seen()).not.toContain('approve_action');
  });

  it('runs with the arguments of the approval, which must match the schema of the tool', async () => {
    const { body } = await turn(call('charge'));
    const invalid = await decide(body, { approved: true, arguments: { id: 'charge', amount: 5_000 } });
    expect([invalid.status, invalid.body.error.code, invalid.body.error.param]).toEqual([
      400,
      'invalid_tool_result',
      'tool_results[0].output.arguments',
    ]);
    expect((await decide(body, { approved: true, arguments: { id: 'other', amount: 7 } })).status).toBe(200);
    expect(charged()).toEqual([{ id: 'other', amount: 7 }]);
  });

  it('does not run if it is refused, and the model gets the reason', async () => {
    const { body } = await turn(call('charge'));
    expect((await decide(body, { approved: false, reason: 'Too much' })).body.content).toBe('Done.');
    expect(charged()).toEqual([]);
    expect(seen()).toContain('refused');
    expect(seen()).toContain('Too much');
  });

  it.each([
    [{}, 'tool_results[0].output.approved'],
    [{ approved: 'yes' }, 'tool_results[0].output.approved'],
    [{ approved: false, arguments: {} }, 'tool_results[0].output.arguments'],
    [{ approved: true, reason: 'x'.repeat(1_001) }, 'tool_results[0].output.reason'],
  ])('rejects the answer %j and names the field', async (output, param) => {
    const { body } = await turn(call('charge'));
    const { status, body: answer } = await decide(body, output);
    expect([status, answer.error.code, answer.error.param]).toEqual([400, 'invalid_tool_result', param]);
    expect(charged()).toEqual([]);
  });

  it('waits only for arguments that match the schema of its rule', async () => {
    expect((await turn(call('charge_large', 99))).body.run_status).toBe('completed');
    expect((await turn(call('charge_large', 100))).body.run_status).toBe('waiting_for_client_action');
    expect(charged()).toHaveLength(1);
  });

  it('can be a tool for resources', async () => {
    const args = JSON.stringify({ type: 'note', fields: { text: 'Hi' } });
    provided.provider.reply({ kind: 'answer', calls: [{ name: 'create_resource', arguments: args }] }, SAYS);
    const { body } = await workflow.turn('Note it');
    expect(body.client_tool_calls[0].arguments.tool).toBe('create_resource');
    const count = () => provided.service.service.services.stores.prisma.resource.count({ where: { type: 'note' } });
    expect(await count()).toBe(0);
    await decide(body, { approved: true });
    expect(await count()).toBe(1);
  });

  it('does not hold back other calls of its step, and all approvals of a step are answered together', async () => {
    const { body } = await turn(call('charge', 1), call('charge_free', 2), call('charge', 3));
    expect(charged()).toEqual([{ id: 'charge_free', amount: 2 }]);
    expect(body.client_tool_calls).toHaveLength(2);
    const [first] = body.client_tool_calls;
    const one = await decide({ ...body, client_tool_calls: [first] }, { approved: true });
    expect([one.status, one.body.error.code]).toEqual([400, 'missing_tool_results']);
    await decide(body, { approved: true });
    expect(charged().map(({ amount }) => amount)).toEqual([2, 1, 3]);
  });

  it('is cancelled with its run, and never runs', async () => {
    const { body } = await turn(call('charge'));
    await provided.service.send('POST', `/v1/runner/conversation/${body.conversation_id}/stop`, { body: {} });
    const late = await decide(body, { approved: true });
    expect([late.status, late.body.error.code]).toEqual([400, 'unknown_call_id']);
    expect(charged()).toEqual([]);
    provided.provider.reply(SAYS);
    await workflow.turn('What happened?', { conversation_id: body.conversation_id });
    expect(seen()).toContain('This call was interrupted before it had a result.');
    expect(seen()).not.toContain('Whether it did anything');
  });

  it('fails in a v1 turn and in a run without a conversation, which cannot ask', async () => {
    provided.provider.reply(calls(call('charge')), SAYS);
    const path = `/v1/runner/${workflow.deploymentId}/conversation`;
    const body = { content: [{ type: 'text', text: 'Charge me' }] };
    expect((await provided.service.send('POST', path, { body })).body.content).toBe('Done.');
    expect(seen()).toContain('needs an approval');
    expect(charged()).toEqual([]);
  });
});

describe('who can approve', () => {
  it('is decided by the rule: a member, for members', async () => {
    const { body } = await turn(call('charge_team'));
    const byKey = await decide(body, { approved: true });
    expect([byKey.status, byKey.body.error.code]).toEqual([403, 'forbidden']);
    expect(charged()).toEqual([]);
    const session = await openSession(provided.service, 'developer');
    const byMember = await decide(body, { approved: true }, { authorization: `Bearer ${session}` });
    expect([byMember.status, byMember.body.run_status]).toEqual([200, 'completed']);
    expect(charged()).toHaveLength(1);
  });

  it('is decided by the rule: the client, for clients', async () => {
    const { body } = await turn(call('charge_large', 500));
    const session = await openSession(provided.service, 'developer');
    const byMember = await decide(body, { approved: true }, { authorization: `Bearer ${session}` });
    expect([byMember.status, byMember.body.error.code]).toEqual([403, 'forbidden']);
    expect((await decide(body, { approved: true })).status).toBe(200);
  });

  it('is one side for a step: calls that wait for the other side fail, and the model repeats them', async () => {
    const questions = [{ id: 'name', question: 'Name?', input_type: 'text' }];
    const ask = { name: 'ask_user', arguments: JSON.stringify({ questions }) };
    provided.provider.reply({ kind: 'answer', calls: [call('charge_team'), ask, call('charge_large', 500)] }, SAYS);
    const { body } = await workflow.turn('Charge me');
    expect(body.client_tool_calls.map(({ name }: { name: string }) => name)).toEqual(['approve_action']);
    const items = await workflow.historyOf(body.conversation_id);
    expect(items.flatMap(({ name, status }) => (name ? [[name, status]] : []))).toEqual([
      ['charge_team', 'pending'],
      ['approve_action', 'pending'],
      ['ask_user', 'failed'],
      ['charge_large', 'failed'],
    ]);
  });
});

describe('racing decisions', () => {
  it('run the call once, with the arguments of the first, or not at all', async () => {
    for (let round = 0; round < 5; round += 1) {
      const { body } = await turn(call('charge', round));
      const outputs = [1, 2, 3, 4].map((number) => ({
        approved: number !== 4,
        ...(number < 3 && { arguments: { id: `race-${number}`, amount: number } }),
      }));
      provided.provider.reply(SAYS);
      const count = bank.received.length;
      const responses = await Promise.all(outputs.map((output) => decide(body, output)));
      const accepted = responses.filter(({ status }) => status === 200);
      const rejected = responses.filter(({ status }) => status !== 200);
      expect(accepted).toHaveLength(1);
      expect(rejected.map(({ body: answer }) => answer.error.code)).toEqual(Array(3).fill('action_result_conflict'));
      expect(bank.received.length - count).toBe(responses.indexOf(accepted[0] as never) === 3 ? 0 : 1);
    }
  });
});

describe('the configuration of approvals', () => {
  const flows = () => workflowsOf(provided.service);
  const update = (draft: object) => flows().updateWorkflow({ id: workflow.workflowId, input: { draft } });

  it.each([
    [{ httpActions: [{ ...ACTION, name: 'x', approval: { mode: 'WHEN' } }] }, 'draft.httpActions.0.approval.when'],
    [
      { httpActions: [{ ...ACTION, name: 'x', approval: { mode: 'NEVER', when: LARGE } }] },
      'draft.httpActions.0.approval.when',
    ],
    [
      { toolApprovals: [{ tool: 'crm_search', mode: 'WHEN', when: { type: 'nothing' } }] },
      'draft.toolApprovals.0.when',
    ],
    [{ toolApprovals: Array(2).fill({ tool: 'crm_search', mode: 'ALWAYS' }) }, 'draft.toolApprovals'],
    [{ clientTools: [{ name: 'approve_action' }] }, 'draft.clientTools.0.name'],
  ])('rejects %j', async (draft, path) => {
    const { updateWorkflow } = (await update(draft)).body.data;
    expect([updateWorkflow.code, updateWorkflow.path.join('.')]).toEqual(['INVALID_REQUEST', path]);
  });

  it('is ALWAYS for a new MCP server, unless the draft says otherwise', async () => {
    const server = { name: 'crm', integration: 'CRM' };
    const approvalOf = async (draft: object) =>
      (await update(draft)).body.data.updateWorkflow.workflow.draft.mcpServers[0].approval;
    expect(await approvalOf({ mcpServers: [server] })).toMatchObject({
      mode: 'ALWAYS',
      when: null,
      approver: 'MEMBER',
    });
    expect(await approvalOf({ mcpServers: [{ ...server, approval: { mode: 'NEVER' } }] })).toMatchObject({
      mode: 'NEVER',
    });
  });

  it('does not let a request define a tool approve_action', async () => {
    const tool = { name: 'approve_action', input_schema: { type: 'object' } };
    const { status, body } = await workflow.turn('Hi', { client_capabilities: [{ type: 'function', ...tool }] });
    expect([status, body.error?.code]).toEqual([400, 'invalid_request']);
  });
});
