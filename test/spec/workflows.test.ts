import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { expectGraphqlError } from '../support/error-bodies.ts';
import { DEMO_AGENT_ID, startService, type TestService } from '../support/service.ts';
import { makeWorkspace, openSession } from '../support/tenants.ts';
import { resultOf, type Workflows, workflowsOf } from '../support/workflows.ts';

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
  allowConversationCompletion: false,
  titleModel: false,
  timeoutSeconds: 120,
  historyLimit: 5,
  maxSteps: 16,
};

const FULL = {
  instructions: 'Help {{NAME}}.',
  model: 'openai:gpt-x',
  outputSchema: { type: 'object', properties: { answer: { type: 'string' } }, required: ['answer'] },
  clientTools: [
    { name: 'ask_user', description: 'Asks.', availability: 'always', inputSchema: null },
    { name: 'look-up', description: '', availability: 'when_connected', inputSchema: { type: 'object' } },
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
    },
  ],
  mcpServers: [{ name: 'crm', integration: 'CRM', tools: ['search'], timeoutSeconds: 15 }],
  resourceTools: ['find_resources', 'update_resource'],
  allowConversationCompletion: true,
  titleModel: true,
  timeoutSeconds: 30,
  historyLimit: 0,
  maxSteps: 1,
};

const made = async (draft: object = {}) => resultOf(await flows.createWorkflow({ input: { name: 'Support', draft } }));
const update = async (id: number, input: object) => resultOf(await flows.updateWorkflow({ id, input }));

describe('a workflow', () => {
  it('is made with a name, and a draft of defaults', async () => {
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

  it('keeps every setting of its draft', async () => expect((await made(FULL)).draft).toEqual(FULL));

  it('is changed in part: fields given replace, null resets, others stay', async () => {
    const { workflowId } = await made(FULL);
    const changed = await update(workflowId, { draft: { instructions: 'Other.', model: null, clientTools: [] } });
    expect(changed.draft).toEqual({ ...FULL, instructions: 'Other.', model: null, clientTools: [] });
    const nulls = Object.fromEntries(Object.keys(DEFAULTS).map((key) => [key, null]));
    expect((await update(workflowId, { draft: nulls })).draft).toEqual(DEFAULTS);
    expect(await update(workflowId, { name: 'Sales', draft: null })).toMatchObject({ name: 'Sales', draft: DEFAULTS });
  });

  it('moves its revision with every change of name or draft, and with nothing else', async () => {
    const { workflowId } = await made();
    expect((await update(workflowId, { draft: { maxSteps: 2 } })).revision).toBe(2);
    expect((await update(workflowId, { name: 'Sales' })).revision).toBe(3);
    expect((await update(workflowId, { name: 'Sales', draft: { maxSteps: 2 } })).revision).toBe(3);
    await service.send('POST', `/v1/workflow/${workflowId}/trigger-settings`, { body: { trigger_required: true } });
    expect(resultOf(await flows.workflow({ id: workflowId })).revision).toBe(3);
  });

  it('is not overwritten by who has seen an earlier revision: 412', async () => {
    const { workflowId: id } = await made();
    const write = (instructions: string) =>
      flows.updateWorkflow({ id, input: { draft: { instructions } }, ifRevision: 1 });
    const [one, other] = await Promise.all([write('one'), write('other')]);
    const lost = one.body.errors ? one : other;
    expectGraphqlError(lost, 'precondition_failed', { param: 'ifRevision' });
    expect(resultOf(lost === one ? other : one).revision).toBe(2);
  });

  it('lists newest first, page by page', async () => {
    const ids = [await made(), await made(), await made()].map(({ workflowId }) => workflowId).reverse();
    const page = async (after: string | null) => {
      const { body } = await service.graphql(
        'query ($after: String) { workflows(first: 2, after: $after) { nodes { workflowId } nextCursor totalCount } }',
        { after },
      );
      return body.data.workflows;
    };
    const first = await page(null);
    const second = await page(first.nextCursor);
    const seen = [...first.nodes, ...second.nodes].map(({ workflowId }: { workflowId: number }) => workflowId);
    expect(seen.slice(0, 3)).toEqual(ids);
    expect(first.totalCount).toBe(second.totalCount);
  });
});

const tool = (fields: object) => ({ draft: { clientTools: [{ name: 'tool', ...fields }] } });
const deep = (levels: number): object => (levels === 0 ? {} : { properties: { a: deep(levels - 1) } });

describe('a draft that is not in order is refused, and the field is named', () => {
  it.each<[object, string]>([
    [{ name: '' }, 'name'],
    [{ name: null }, 'name'],
    [{ name: ' \n' }, 'name'],
    [{ name: 'x'.repeat(101) }, 'name'],
    [{ draft: { instructions: 'x'.repeat(100_001) } }, 'draft.instructions'],
    [{ draft: { model: 'gpt-x' } }, 'draft.model'],
    [{ draft: { model: 'google:x' } }, 'draft.model'],
    [{ draft: { model: '' } }, 'draft.model'],
    [{ draft: { outputSchema: {} } }, 'draft.outputSchema'],
    [{ draft: { outputSchema: { type: 'array' } } }, 'draft.outputSchema'],
    [{ draft: { outputSchema: { type: 'object', required: 5 } } }, 'draft.outputSchema'],
    [{ draft: { outputSchema: { type: 'object', properties: { a: { pattern: '(a+)+$' } } } } }, 'draft.outputSchema'],
    [{ draft: { outputSchema: { type: 'object', properties: { a: { $ref: 'https://a/b' } } } } }, 'draft.outputSchema'],
    [{ draft: { outputSchema: { type: 'object', ...deep(11) } } }, 'draft.outputSchema'],
    [{ draft: { outputSchema: { type: 'object', title: 'x'.repeat(17_000) } } }, 'draft.outputSchema'],
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
  ])('%#: %.70j', async (input, path) => {
    const { workflowId, revision } = await made();
    const facts = { param: path };
    expectGraphqlError(await flows.createWorkflow({ input: { name: 'A', ...input } }), 'invalid_request', facts);
    expectGraphqlError(await flows.updateWorkflow({ id: workflowId, input }), 'invalid_request', facts);
    expect(resultOf(await flows.workflow({ id: workflowId })).revision).toBe(revision);
  });

  it('takes what is just within the limits', async () => {
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

describe('WIRE 4: who may', () => {
  it('a viewer reads, and writes nothing', async () => {
    const key = await openSession(service, 'viewer');
    const { workflowId: id } = await made();
    expect(resultOf(await flows.workflow({ id }, { key })).name).toBe('Support');
    const refused = [
      await flows.createWorkflow({ input: { name: 'A' } }, { key }),
      await flows.updateWorkflow({ id, input: { name: 'A' } }, { key }),
      await flows.publish({ id, deployments: [DEMO_AGENT_ID] }, { key }),
      await flows.createDeployment({ id, input: { name: 'A', kind: 'chat' } }, { key }),
      await flows.updateDeployment({ id: DEMO_AGENT_ID, input: { name: 'A' } }, { key }),
      await flows.rollBack({ id: DEMO_AGENT_ID, version: 1 }, { key }),
      await flows.unpublish({ id: DEMO_AGENT_ID }, { key }),
      await flows.testDraft({ id, input: { content: [{ type: 'text', text: 'Hi' }] } }, { key }),
    ];
    const facts = { required_scope: 'workflows:write' };
    for (const answer of refused) expectGraphqlError(answer, 'forbidden', { facts });
  });

  it('tells an id of another workspace as one that there is not', async () => {
    const another = await makeWorkspace(service);
    const own = await made();
    const deployments = [another.deploymentId];
    expectGraphqlError(await flows.workflow({ id: another.workflowId }), 'not_found', { param: 'workflowId' });
    expectGraphqlError(await flows.workflow({ id: 2 ** 31 - 1 }), 'not_found', { param: 'workflowId' });
    expectGraphqlError(await flows.deployment({ id: another.deploymentId }), 'not_found', { param: 'deploymentId' });
    expectGraphqlError(await flows.publish({ id: another.workflowId, deployments }), 'not_found', {
      param: 'workflowId',
    });
    expectGraphqlError(await flows.publish({ id: own.workflowId, deployments }), 'not_found', {
      param: 'deploymentIds[0]',
    });
  });

  it('tells a wrong draft of a workflow that is not there of the workflow', async () => {
    const answer = await flows.updateWorkflow({ id: 999_999, input: { draft: { maxSteps: 0 } } });
    expectGraphqlError(answer, 'not_found', { param: 'workflowId' });
  });
});
