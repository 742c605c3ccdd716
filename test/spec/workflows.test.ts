import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { expectGraphqlError } from '../support/error-bodies.ts';
import { graphText } from '../support/graph-content.ts';
import { errorOf, resultOf } from '../support/results.ts';
import { DEMO_AGENT_ID, startService, type TestService } from '../support/service.ts';
import { makeWorkspace, openSession } from '../support/tenants.ts';
import { type Workflows, workflowsOf } from '../support/workflows.ts';

let service: TestService;
let flows: Workflows;
beforeAll(async () => {
  service = await startService();
  flows = workflowsOf(service);
});
afterAll(() => service.close());

const DEFAULTS = {
  instructions: '',
  model: null,
  outputSchema: null,
  clientTools: [],
  httpActions: [],
  mcpServers: [],
  resourceTools: [],
  toolApprovals: [],
  allowConversationCompletion: false,
  titleModel: false,
  timeoutSeconds: 120,
  context: 'WINDOW',
  contextTokens: null,
  summaryModel: null,
  summaryInstructions: null,
  allowFileReading: true,
  ...{ allowHandOver: false, handOverAfterFailures: null, handOverAfterBadRating: false },
  ...{ handOverWaitMinutes: 30, handOverExpiry: 'RETURN' },
  historyLimit: 5,
  maxSteps: 16,
  reasoning: 'OFF',
  reasoningEffort: null,
  ...{ maxReplyTokens: null, temperature: null, stopSequences: [], modelParameters: null },
  recovery: 'SETTLE',
  maxAttempts: 3,
  ...{ runBudget: null, conversationBudget: null },
};

const NO_DEADLINE = { expiresAfterSeconds: null, onExpiry: null };

const FULL = {
  instructions: 'Help {{NAME}}.',
  model: 'openai:gpt-x',
  outputSchema: { type: 'object', properties: { answer: { type: 'string' } }, required: ['answer'] },
  clientTools: [
    { name: 'ask_user', description: 'Asks.', availability: 'ALWAYS', inputSchema: null, ...NO_DEADLINE },
    {
      name: 'look-up',
      description: '',
      availability: 'WHEN_CONNECTED',
      inputSchema: { type: 'object' },
      expiresAfterSeconds: 3_600,
      onExpiry: { mode: 'DENY', output: null },
    },
  ],
  httpActions: [
    {
      name: 'order',
      description: 'Reads an order.',
      integration: 'Shop',
      method: 'POST',
      url: '/orders/{id}',
      headers: [{ name: 'X-Channel', value: 'chat' }],
      inputSchema: { type: 'object', properties: { id: { type: 'string' } }, required: ['id'] },
      timeoutSeconds: 5,
      retrySafe: true,
      approval: {
        mode: 'WHEN',
        when: { type: 'object', required: ['id'] },
        approver: 'MEMBER',
        allowAnonymous: null,
        expiresAfterSeconds: 60,
        onExpiry: { mode: 'DEFAULT', output: { approved: false } },
      },
    },
  ],
  mcpServers: [
    {
      name: 'crm',
      integration: 'CRM',
      tools: ['search'],
      timeoutSeconds: 15,
      retrySafe: false,
      approval: { mode: 'NEVER', when: null, approver: 'MEMBER', allowAnonymous: null, ...NO_DEADLINE },
    },
  ],
  resourceTools: ['FIND_RESOURCES', 'UPDATE_RESOURCE'],
  toolApprovals: [
    {
      ...{ tool: 'update_resource', mode: 'ALWAYS', when: null, approver: 'CLIENT', allowAnonymous: true },
      ...NO_DEADLINE,
    },
  ],
  allowConversationCompletion: true,
  titleModel: true,
  timeoutSeconds: 30,
  context: 'COMPACT',
  contextTokens: 8_000,
  summaryModel: 'demo',
  summaryInstructions: 'Keep names.',
  allowFileReading: false,
  ...{ allowHandOver: true, handOverAfterFailures: 3, handOverAfterBadRating: true },
  ...{ handOverWaitMinutes: 60, handOverExpiry: 'KEEP' },
  historyLimit: 0,
  maxSteps: 1,
  reasoning: 'SHOWN',
  reasoningEffort: 'LOW',
  maxReplyTokens: 256,
  temperature: 0.7,
  stopSequences: ['END', 'User: '],
  modelParameters: { top_p: 0.9, logit_bias: { '50256': -100 } },
  recovery: 'CONTINUE',
  maxAttempts: 10,
  runBudget: { amount: null, tokens: 50_000, warnAt: null, onReached: 'REFUSE' },
  conversationBudget: { period: 'MONTH', amount: '2.5', tokens: null, warnAt: 0.8, onReached: 'STOP' },
};

const createWorkflow = async (draft: object = {}) =>
  resultOf(await flows.createWorkflow({ input: { name: 'Support', draft } }));
const update = async (id: number, input: object) => resultOf(await flows.updateWorkflow({ id, input }));

describe('a workflow', () => {
  it('is created with a name and a default draft', async () => {
    const workflow = resultOf(await flows.createWorkflow({ input: { name: 'Support' } }));
    expect(workflow).toEqual({
      workflowId: expect.any(Number),
      name: 'Support',
      revision: 1,
      triggerRequired: false,
      draft: DEFAULTS,
    });
    const read = resultOf(await flows.workflow({ id: workflow.workflowId }));
    expect(read).toMatchObject({ draft: DEFAULTS, versions: { totalCount: 0 }, deployments: { totalCount: 0 } });
  });

  it('keeps every setting of its draft', async () => expect((await createWorkflow(FULL)).draft).toEqual(FULL));

  it('is updated in part: sent fields replace, null resets, others stay', async () => {
    const { workflowId } = await createWorkflow(FULL);
    const changed = await update(workflowId, { draft: { instructions: 'Other.', model: null, clientTools: [] } });
    expect(changed.draft).toEqual({ ...FULL, instructions: 'Other.', model: null, clientTools: [] });
    const nulls = Object.fromEntries(Object.keys(DEFAULTS).map((key) => [key, null]));
    expect((await update(workflowId, { draft: nulls })).draft).toEqual(DEFAULTS);
    expect(await update(workflowId, { name: 'Sales', draft: null })).toMatchObject({ name: 'Sales', draft: DEFAULTS });
  });

  it('increments its revision with every change of name or draft, and with nothing else', async () => {
    const { workflowId } = await createWorkflow();
    expect((await update(workflowId, { draft: { maxSteps: 2 } })).revision).toBe(2);
    expect((await update(workflowId, { name: 'Sales' })).revision).toBe(3);
    expect((await update(workflowId, { name: 'Sales', draft: { maxSteps: 2 } })).revision).toBe(3);
    await service.send('POST', `/v1/workflow/${workflowId}/trigger-settings`, { body: { trigger_required: true } });
    expect(resultOf(await flows.workflow({ id: workflowId })).revision).toBe(3);
  });

  it('returns 412 to an update of an earlier revision', async () => {
    const { workflowId: id } = await createWorkflow();
    const write = (instructions: string) =>
      flows.updateWorkflow({ id, input: { draft: { instructions } }, ifRevision: 1 });
    const [one, other] = await Promise.all([write('one'), write('other')]);
    const lost = errorOf(one) ? one : other;
    expectGraphqlError(lost, 'precondition_failed', { param: 'ifRevision' });
    expect(resultOf(lost === one ? other : one).revision).toBe(2);
  });

  it('is listed newest first, page by page', async () => {
    const ids = [await createWorkflow(), await createWorkflow(), await createWorkflow()]
      .map(({ workflowId }) => workflowId)
      .reverse();
    const page = async (after: string | null) => {
      const { body } = await service.graphql(
        `query ($after: String) {
          workflows(first: 2, after: $after) { nodes { workflowId } pageInfo { endCursor } totalCount } }`,
        { after },
      );
      return body.data.workflows;
    };
    const first = await page(null);
    const second = await page(first.pageInfo.endCursor);
    const received = [...first.nodes, ...second.nodes].map(({ workflowId }: { workflowId: number }) => workflowId);
    expect(received.slice(0, 3)).toEqual(ids);
    expect(first.totalCount).toBe(second.totalCount);
  });
});

const tool = (fields: object) => ({ draft: { clientTools: [{ name: 'tool', ...fields }] } });
const deep = (levels: number): object => (levels === 0 ? {} : { properties: { a: deep(levels - 1) } });

describe('an invalid draft is rejected, and the error names the field', () => {
  it.each<[object, string]>([
    [{ name: '' }, 'name'],
    [{ name: null }, 'name'],
    [{ name: ' \n' }, 'name'],
    [{ name: 'x'.repeat(101) }, 'name'],
    [{ draft: { instructions: 'x'.repeat(100_001) } }, 'draft.instructions'],
    [{ draft: { model: 'gpt-x' } }, 'draft.model'],
    [{ draft: { model: 'google:x' } }, 'draft.model'],
    [{ draft: { model: '' } }, 'draft.model'],
    [{ draft: { maxReplyTokens: 255 } }, 'draft.maxReplyTokens'],
    [{ draft: { maxReplyTokens: 128_001 } }, 'draft.maxReplyTokens'],
    [{ draft: { temperature: -0.1 } }, 'draft.temperature'],
    [{ draft: { temperature: 2.1 } }, 'draft.temperature'],
    [{ draft: { stopSequences: ['a', 'b', 'c', 'd', 'e'] } }, 'draft.stopSequences'],
    [{ draft: { stopSequences: ['a', ' '] } }, 'draft.stopSequences[1]'],
    [{ draft: { stopSequences: ['x'.repeat(101)] } }, 'draft.stopSequences[0]'],
    [{ draft: { outputSchema: { type: 'array' } } }, 'draft.outputSchema'],
    [{ draft: { outputSchema: { type: 'object', required: 5 } } }, 'draft.outputSchema'],
    [{ draft: { outputSchema: { type: 'object', $async: true } } }, 'draft.outputSchema'],
    [{ draft: { outputSchema: 'object' } }, 'draft.outputSchema'],
    [{ draft: { outputSchema: { type: 'object', properties: { a: { $ref: 'https://a/b' } } } } }, 'draft.outputSchema'],
    [{ draft: { outputSchema: { type: 'object', ...deep(16) } } }, 'draft.outputSchema'],
    [{ draft: { outputSchema: { type: 'object', title: 'x'.repeat(66_000) } } }, 'draft.outputSchema'],
    [tool({ name: '1st' }), 'draft.clientTools[0].name'],
    [tool({ name: 'a b' }), 'draft.clientTools[0].name'],
    [tool({ name: 'x'.repeat(65) }), 'draft.clientTools[0].name'],
    [tool({ name: 'complete_conversation' }), 'draft.clientTools[0].name'],
    [tool({ description: 'x'.repeat(2_001) }), 'draft.clientTools[0].description'],
    [tool({ availability: 'never' }), 'draft.clientTools[0].availability'],
    [tool({ inputSchema: { type: 'string' } }), 'draft.clientTools[0].inputSchema'],
    [{ draft: { clientTools: [{ name: 'a' }, { name: 'a' }] } }, 'draft.clientTools'],
    [
      { draft: { clientTools: Array.from({ length: 65 }, (_, index) => ({ name: `t${index}` })) } },
      'draft.clientTools',
    ],
    [{ draft: { timeoutSeconds: 0 } }, 'draft.timeoutSeconds'],
    [{ draft: { timeoutSeconds: 601 } }, 'draft.timeoutSeconds'],
    [{ draft: { historyLimit: -1 } }, 'draft.historyLimit'],
    [{ draft: { historyLimit: 101 } }, 'draft.historyLimit'],
    [{ draft: { maxSteps: 0 } }, 'draft.maxSteps'],
    [{ draft: { maxSteps: 17 } }, 'draft.maxSteps'],
    [{ draft: { maxAttempts: 1 } }, 'draft.maxAttempts'],
    [{ draft: { maxAttempts: 11 } }, 'draft.maxAttempts'],
  ])('%#: %.70j', async (input, path) => {
    const { workflowId, revision } = await createWorkflow();
    const facts = { param: path };
    expectGraphqlError(await flows.createWorkflow({ input: { name: 'A', ...input } }), 'invalid_request', facts);
    expectGraphqlError(await flows.updateWorkflow({ id: workflowId, input }), 'invalid_request', facts);
    expect(resultOf(await flows.workflow({ id: workflowId })).revision).toBe(revision);
  });

  it('accepts values exactly at the limits', async () => {
    const draft = {
      instructions: 'x'.repeat(100_000),
      clientTools: Array.from({ length: 64 }, (_, index) => ({ name: `t${index}`, description: 'x'.repeat(2_000) })),
      timeoutSeconds: 600,
      historyLimit: 100,
      maxSteps: 16,
    };
    const input = { name: 'x'.repeat(100), draft };
    expect(resultOf(await flows.createWorkflow({ input })).draft.clientTools).toHaveLength(64);
  });
});

describe('permissions on workflows', () => {
  it('lets a viewer only read', async () => {
    const key = await openSession(service, 'viewer');
    const { workflowId: id } = await createWorkflow();
    expect(resultOf(await flows.workflow({ id }, { key })).name).toBe('Support');
    const rejected = [
      await flows.createWorkflow({ input: { name: 'A' } }, { key }),
      await flows.updateWorkflow({ id, input: { name: 'A' } }, { key }),
      await flows.publish({ id, deployments: [DEMO_AGENT_ID] }, { key }),
      await flows.createDeployment({ id, input: { name: 'A', kind: 'CHAT' } }, { key }),
      await flows.updateDeployment({ id: DEMO_AGENT_ID, input: { name: 'A' } }, { key }),
      await flows.rollBack({ id: DEMO_AGENT_ID, version: 1 }, { key }),
      await flows.unpublish({ id: DEMO_AGENT_ID }, { key }),
      await flows.testDraft({ id, input: { content: graphText('Hi') } }, { key }),
    ];
    const facts = { required_scope: 'workflows:write' };
    for (const response of rejected) expectGraphqlError(response, 'forbidden', { facts });
  });

  it('returns not_found for an ID of another workspace, and null for its look-up', async () => {
    const another = await makeWorkspace(service);
    const own = await createWorkflow();
    const deployments = [another.deploymentId];
    for (const id of [another.workflowId, 2 ** 31 - 1]) {
      expect((await flows.workflow({ id })).body.data).toEqual({ workflow: null });
    }
    expect((await flows.deployment({ id: another.deploymentId })).body.data).toEqual({ deployment: null });
    expectGraphqlError(await flows.publish({ id: another.workflowId, deployments }), 'not_found', {
      param: 'workflowId',
    });
    expectGraphqlError(await flows.publish({ id: own.workflowId, deployments }), 'not_found', {
      param: 'deploymentIds[0]',
    });
  });

  it('returns not_found for an unknown workflow before it checks the draft', async () => {
    const response = await flows.updateWorkflow({ id: 999_999, input: { draft: { maxSteps: 0 } } });
    expectGraphqlError(response, 'not_found', { param: 'workflowId' });
  });
});
