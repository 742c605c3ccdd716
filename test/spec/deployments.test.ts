import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { expectGraphqlError } from '../support/error-bodies.ts';
import { mutationOf, resultOf } from '../support/results.ts';
import { startService, type TestService } from '../support/service.ts';
import { makeKey, openSession } from '../support/tenants.ts';
import { publishedWorkflow, type Workflows, workflowsOf } from '../support/workflows.ts';

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
  doubleTextPolicy: 'REJECT',
  onReaderGone: 'STOP',
};

const OTHERS = {
  authRequired: false,
  allowlist: ['example.com', 'shop.example.org', 'localhost', '127.0.0.1', 'xn--bcher-kva.example'],
  hostedPage: true,
  dynamicClientTools: false,
  doubleTextPolicy: 'INTERRUPT',
  onReaderGone: 'CONTINUE',
};

const create = (input: object = {}) =>
  flows.createDeployment({ id: workflowId, input: { name: 'Site', kind: 'CHAT', ...input } });
const created = async (input: object = {}) => resultOf(await create(input));
const update = (id: string, input: object) => flows.updateDeployment({ id, input });

describe('a deployment', () => {
  it('is created unpublished, with its own settings or defaults', async () => {
    expect(await created()).toEqual({
      deploymentId: expect.any(String),
      name: 'Site',
      kind: 'CHAT',
      publishedVersion: null,
      hasUnpublishedChanges: true,
      ...DEFAULTS,
    });
    expect(await created({ kind: 'AGENT', ...OTHERS })).toMatchObject({ kind: 'AGENT', ...OTHERS });
  });

  it('is updated in part: sent fields replace, null resets, others stay', async () => {
    const { deploymentId: id } = await created(OTHERS);
    const changed = resultOf(await update(id, { name: 'Shop', doubleTextPolicy: 'ENQUEUE', allowlist: null }));
    expect(changed).toMatchObject({ ...OTHERS, name: 'Shop', doubleTextPolicy: 'ENQUEUE', allowlist: [] });
    const nulls = Object.fromEntries(Object.keys(DEFAULTS).map((key) => [key, null]));
    expect(resultOf(await update(id, nulls))).toMatchObject({ name: 'Shop', ...DEFAULTS });
  });

  it('normalizes the hosts of its allowlist and removes duplicates, on create and on update', async () => {
    const sent = [
      'Example.COM',
      'https://www.example.com:8443/shop?x=1#y',
      ' example.com. ',
      'BÜCHER.example',
      'www.com',
      'http://LOCALHOST:3000',
      '10.0.0.1:80',
    ];
    const stored = ['example.com', 'xn--bcher-kva.example', 'www.com', 'localhost', '10.0.0.1'];
    const { deploymentId, allowlist } = await created({ allowlist: sent });
    expect(allowlist).toEqual(stored);
    expect(resultOf(await update(deploymentId, { allowlist: ['HTTP://WWW.Other.example'] }))).toMatchObject({
      allowlist: ['other.example'],
    });
  });

  it.each<[object, string]>([
    [{ name: ' ' }, 'name'],
    [{ name: 'x'.repeat(101) }, 'name'],
    [{ doubleTextPolicy: 'IGNORE' }, 'doubleTextPolicy'],
    [{ onReaderGone: 'IGNORE' }, 'onReaderGone'],
    ...[
      'https://',
      'https://user@example.com',
      'javascript:alert(1)',
      '*.example.com',
      'exa mple.com',
      '-a.example.com',
      'example..com',
      '.example.com',
      'example.com..',
      '1.2.3',
      '[::1]',
      'x'.repeat(64),
      `${'x.'.repeat(127)}xx`,
      '',
    ].map((host): [object, string] => [{ allowlist: ['example.org', host] }, 'allowlist[1]']),
    [{ allowlist: Array.from({ length: 101 }, (_, index) => `h${index}.example.com`) }, 'allowlist'],
  ])('is rejected with %.60j, and the error names the field', async (input, path) => {
    const { deploymentId } = await created();
    const facts = { param: path };
    expectGraphqlError(await create(input), 'invalid_request', facts);
    expectGraphqlError(await update(deploymentId, input), 'invalid_request', facts);
    expect(resultOf(await flows.deployment({ id: deploymentId }))).toMatchObject({ name: 'Site', ...DEFAULTS });
  });

  it('is listed newest first, optionally for one workflow', async () => {
    const flow = await publishedWorkflow(flows);
    const second = resultOf(await flows.createDeployment({ id: flow.workflowId, input: { name: 'B', kind: 'CHAT' } }));
    const list = async (id: number | null, first: number, after: string | null = null) => {
      const { body } = await service.graphql(
        `query ($id: ID, $first: Int, $after: String) { deployments(filter: { workflowId: $id }, first: $first, after: $after) {
          nodes { deploymentId workflow { workflowId } } pageInfo { hasNextPage endCursor } totalCount } }`,
        { id, first, after },
      );
      return body.data.deployments;
    };
    const newest = await list(flow.workflowId, 1);
    const older = await list(flow.workflowId, 1, newest.pageInfo.endCursor);
    expect([...newest.nodes, ...older.nodes]).toEqual([
      { deploymentId: second.deploymentId, workflow: { workflowId: flow.workflowId } },
      { deploymentId: flow.deploymentId, workflow: { workflowId: flow.workflowId } },
    ]);
    expect([newest.totalCount, older.pageInfo.hasNextPage]).toEqual([2, false]);
    expect((await list(null, 100)).totalCount).toBeGreaterThan(2);
    const { deployments } = resultOf(await flows.workflow({ id: flow.workflowId }));
    expect(deployments.totalCount).toBe(2);
  });

  it('applies its settings from the next request on', async () => {
    const { deploymentId: id } = await publishedWorkflow(flows);
    const tools = { client_capabilities: [{ name: 'mine', input_schema: { type: 'object' } }] };
    const send = () =>
      service.send('POST', `/v2/runner/${id}/conversation`, {
        body: { content: [{ type: 'text', text: '/call mine {}\n/say Done.' }], ...tools },
      });
    expect((await send()).body.run_status).toBe('waiting_for_client_action');
    await update(id, { dynamicClientTools: false });
    expect((await send()).body.run_status).toBe('completed');
  });
});

describe('a write scope does not imply its read scope', () => {
  it.each([
    ['updateWorkflow', '{ workflow { versions { nodes { number } } } }', {}],
    ['updateWorkflow', '{ workflow { deployments { nodes { name } } } }', {}],
    ['createDeployment', '{ deployment { workflow { name } } }', { name: 'A', kind: 'CHAT' }],
  ])('%s %s', async (name, selection, input) => {
    const key = await makeKey(service, { scopes: ['workflows:write'] });
    const response = await service.graphql(mutationOf(name, selection), { input: { workflowId, ...input } }, { key });
    expectGraphqlError(response, 'forbidden', { facts: { required_scope: 'workflows:read' } });
  });
});

describe('the audit log', () => {
  it('records each change of workflows and deployments without their texts', async () => {
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
        `query ($subject: ID) { auditLog(first: 100, filter: { subjectId: $subject }) {
          nodes { action details } } }`,
        { subject: subjectId },
        { key },
      );
      return body.data.auditLog.nodes;
    };
    const ofWorkflow = await entries(String(id));
    expect(ofWorkflow).toEqual([
      { action: 'WORKFLOW_PUBLISHED', details: { version: 2, new_version: true, deployment_ids: [deploymentId] } },
      { action: 'WORKFLOW_UPDATED', details: { revision: 2, changed: ['name', 'draft.instructions'] } },
      { action: 'WORKFLOW_PUBLISHED', details: { version: 1, new_version: true, deployment_ids: [deploymentId] } },
      { action: 'WORKFLOW_CREATED', details: { name: 'Support' } },
    ]);
    expect(await entries(deploymentId)).toEqual([
      { action: 'DEPLOYMENT_UNPUBLISHED', details: { published_version: null } },
      { action: 'DEPLOYMENT_ROLLED_BACK', details: { published_version: 1 } },
      { action: 'DEPLOYMENT_PUBLISHED', details: { version: 2 } },
      { action: 'DEPLOYMENT_UPDATED', details: { name: 'Shop', auth_required: false } },
      { action: 'DEPLOYMENT_PUBLISHED', details: { version: 1 } },
      {
        action: 'DEPLOYMENT_CREATED',
        details: {
          workflow_id: id,
          name: 'Site',
          kind: 'chat',
          auth_required: true,
          allowlist: [],
          hosted_page: false,
          dynamic_client_tools: true,
          end_user_budget: null,
          file_types: [],
          max_file_bytes: null,
          double_text_policy: 'reject',
          on_reader_gone: 'stop',
          allow_editing: true,
          anonymous_per_minute: null,
          conversation_turns_per_minute: null,
          turns_per_minute: null,
          visitor_turns_per_hour: null,
          visitor_budget: null,
          visitor_turns_per_day: null,
          challenge: 'off',
        },
      },
    ]);
    expect(JSON.stringify(ofWorkflow)).not.toContain('secret');
  });
});
