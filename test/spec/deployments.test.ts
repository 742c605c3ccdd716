import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { expectGraphqlError } from '../support/error-bodies.ts';
import { startService, type TestService } from '../support/service.ts';
import { makeKey, openSession } from '../support/tenants.ts';
import { publishedWorkflow, resultOf, type Workflows, workflowsOf } from '../support/workflows.ts';

let service: TestService;
let flows: Workflows;
let workflowId: number;
beforeAll(async () => {
  service = await startService();
  flows = workflowsOf(service);
  workflowId = resultOf(await flows.createWorkflow({ input: { name: 'Support' } })).workflowId;
});
afterAll(() => service.close());

const DEFAULTS = {
  authRequired: true,
  allowlist: [],
  hostedPage: false,
  dynamicClientTools: true,
  doubleTextPolicy: 'reject',
};

const OTHERS = {
  authRequired: false,
  allowlist: ['example.com', 'shop.example.org', 'localhost', '127.0.0.1', 'xn--bcher-kva.example'],
  hostedPage: true,
  dynamicClientTools: false,
  doubleTextPolicy: 'interrupt',
};

const create = (input: object = {}) =>
  flows.createDeployment({ id: workflowId, input: { name: 'Site', kind: 'chat', ...input } });
const made = async (input: object = {}) => resultOf(await create(input));
const update = (id: string, input: object) => flows.updateDeployment({ id, input });

describe('a deployment', () => {
  it('is made unpublished, with settings of its own or defaults', async () => {
    expect(await made()).toEqual({
      deploymentId: expect.any(String),
      name: 'Site',
      kind: 'chat',
      publishedVersion: null,
      hasUnpublishedChanges: true,
      ...DEFAULTS,
    });
    expect(await made({ kind: 'agent', ...OTHERS })).toMatchObject({ kind: 'agent', ...OTHERS });
  });

  it('is changed in part: fields given replace, null resets, others stay', async () => {
    const { deploymentId: id } = await made(OTHERS);
    const changed = resultOf(await update(id, { name: 'Shop', doubleTextPolicy: 'enqueue', allowlist: null }));
    expect(changed).toMatchObject({ ...OTHERS, name: 'Shop', doubleTextPolicy: 'enqueue', allowlist: [] });
    const nulls = Object.fromEntries(Object.keys(DEFAULTS).map((key) => [key, null]));
    expect(resultOf(await update(id, nulls))).toMatchObject({ name: 'Shop', ...DEFAULTS });
  });

  it('writes the hosts of its allowlist in lower case', async () => {
    expect(await made({ allowlist: ['Example.COM'] })).toMatchObject({ allowlist: ['example.com'] });
  });

  it.each<[object, string]>([
    [{ name: ' ' }, 'name'],
    [{ name: 'x'.repeat(101) }, 'name'],
    [{ doubleTextPolicy: 'ignore' }, 'doubleTextPolicy'],
    ...[
      'https://example.com',
      'example.com:443',
      'example.com/shop',
      '*.example.com',
      'exa mple.com',
      '-a.example.com',
      'example..com',
      '.example.com',
      'example.com.',
      'bücher.example',
      '1.2.3',
      '[::1]',
      'x'.repeat(64),
      `${'x.'.repeat(127)}xx`,
      '',
    ].map((host): [object, string] => [{ allowlist: ['example.org', host] }, 'allowlist[1]']),
    [{ allowlist: ['example.com', 'EXAMPLE.com'] }, 'allowlist'],
    [{ allowlist: Array.from({ length: 101 }, (_, index) => `h${index}.example.com`) }, 'allowlist'],
  ])('is refused with %.60j, and the field is named', async (input, path) => {
    const { deploymentId } = await made();
    const facts = { param: path };
    expectGraphqlError(await create(input), 'invalid_request', facts);
    expectGraphqlError(await update(deploymentId, input), 'invalid_request', facts);
    expect(resultOf(await flows.deployment({ id: deploymentId }))).toMatchObject({ name: 'Site', ...DEFAULTS });
  });

  it('lists newest first, those of one workflow where it is named', async () => {
    const flow = await publishedWorkflow(flows);
    const second = resultOf(await flows.createDeployment({ id: flow.workflowId, input: { name: 'B', kind: 'chat' } }));
    const list = async (id: number | null, first: number, after: string | null = null) => {
      const { body } = await service.graphql(
        `query ($id: Int, $first: Int, $after: String) { deployments(workflowId: $id, first: $first, after: $after) {
          nodes { deploymentId workflow { workflowId } } nextCursor totalCount } }`,
        { id, first, after },
      );
      return body.data.deployments;
    };
    const newest = await list(flow.workflowId, 1);
    const older = await list(flow.workflowId, 1, newest.nextCursor);
    expect([...newest.nodes, ...older.nodes]).toEqual([
      { deploymentId: second.deploymentId, workflow: { workflowId: flow.workflowId } },
      { deploymentId: flow.deploymentId, workflow: { workflowId: flow.workflowId } },
    ]);
    expect([newest.totalCount, older.nextCursor]).toEqual([2, null]);
    expect((await list(null, 100)).totalCount).toBeGreaterThan(2);
    const { deployments } = resultOf(await flows.workflow({ id: flow.workflowId }));
    expect(deployments.totalCount).toBe(2);
  });

  it('holds its settings from the next request on', async () => {
    const { deploymentId: id } = await publishedWorkflow(flows);
    const tools = { client_capabilities: [{ name: 'mine', input_schema: { type: 'object' } }] };
    const ask = () =>
      service.send('POST', `/v2/runner/${id}/conversation`, {
        body: { content: [{ type: 'text', text: '/call mine {}\n/say Done.' }], ...tools },
      });
    expect((await ask()).body.run_status).toBe('waiting_for_client_action');
    await update(id, { dynamicClientTools: false });
    expect((await ask()).body.run_status).toBe('completed');
  });
});

describe('WIRE 4: a write scope does not imply its read scope', () => {
  it.each([
    ['updateWorkflow(workflowId: $id, input: {}) { versions { nodes { number } } }'],
    ['updateWorkflow(workflowId: $id, input: {}) { deployments { nodes { name } } }'],
    ['createDeployment(workflowId: $id, input: { name: "A", kind: chat }) { workflow { name } }'],
  ])('%s', async (field) => {
    const key = await makeKey(service, { scopes: ['workflows:write'] });
    const answer = await service.graphql(`mutation ($id: Int!) { ${field} }`, { id: workflowId }, { key });
    expectGraphqlError(answer, 'forbidden', { facts: { required_scope: 'workflows:read' } });
  });
});

describe('the audit log', () => {
  it('tells of each change of workflows and deployments, and of no text in them', async () => {
    const { workflowId: id, deploymentId } = await publishedWorkflow(flows, { instructions: 'a secret' });
    await flows.updateWorkflow({ id, input: { name: 'Sales', draft: { instructions: 'another secret' } } });
    await flows.updateWorkflow({ id, input: { name: 'Sales' } });
    await flows.updateDeployment({ id: deploymentId, input: { name: 'Shop', authRequired: false } });
    await flows.updateDeployment({ id: deploymentId, input: { name: 'Shop' } });
    await flows.publish({ id, deployments: [deploymentId] });
    await flows.rollBack({ id: deploymentId, version: 1 });
    await flows.unpublish({ id: deploymentId });
    await flows.unpublish({ id: deploymentId });
    const key = await openSession(service, 'admin');
    const entries = async (subjectId: string) => {
      const { body } = await service.graphql(
        `query ($subject: String) { auditLog(first: 100, filter: { subjectId: $subject }) {
          nodes { action details } } }`,
        { subject: subjectId },
        { key },
      );
      return body.data.auditLog.nodes;
    };
    const ofWorkflow = await entries(String(id));
    expect(ofWorkflow).toEqual([
      { action: 'workflow.published', details: { version: 2, new_version: true, deployment_ids: [deploymentId] } },
      { action: 'workflow.updated', details: { revision: 2, changed: ['name', 'draft.instructions'] } },
      { action: 'workflow.published', details: { version: 1, new_version: true, deployment_ids: [deploymentId] } },
      { action: 'workflow.created', details: { name: 'Support' } },
    ]);
    expect(await entries(deploymentId)).toEqual([
      { action: 'deployment.unpublished', details: { published_version: null } },
      { action: 'deployment.rolled_back', details: { published_version: 1 } },
      { action: 'deployment.published', details: { version: 2 } },
      { action: 'deployment.updated', details: { name: 'Shop', auth_required: false } },
      { action: 'deployment.published', details: { version: 1 } },
      {
        action: 'deployment.created',
        details: {
          workflow_id: id,
          name: 'Site',
          kind: 'chat',
          auth_required: true,
          allowlist: [],
          hosted_page: false,
          dynamic_client_tools: true,
          double_text_policy: 'reject',
          anonymous_per_minute: null,
          conversation_turns_per_minute: null,
          turns_per_minute: null,
        },
      },
    ]);
    expect(JSON.stringify(ofWorkflow)).not.toContain('secret');
  });
});
