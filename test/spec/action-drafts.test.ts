import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { expectGraphqlError } from '../support/error-bodies.ts';
import { errorOf, resultOf } from '../support/results.ts';
import { startService, type TestService } from '../support/service.ts';
import { publishedWorkflow, type Workflows, workflowsOf } from '../support/workflows.ts';

let service: TestService;
let flows: Workflows;
beforeAll(async () => {
  service = await startService();
  flows = workflowsOf(service);
});
afterAll(() => service.close());

const ID = { type: 'object', properties: { id: { type: 'string' } }, required: ['id'] };
const action = (fields: object = {}) => ({ name: 'act', integration: 'Shop', url: '/orders', ...fields });
const http = (fields: object) => ({ httpActions: [action(fields)] });
const mcp = (fields: object) => ({ mcpServers: [{ name: 'crm', integration: 'CRM', ...fields }] });
const client = (name: string) => ({ clientTools: [{ name }] });
const absolute = (url: string) => http({ integration: null, url, inputSchema: ID });

const REFUSED: readonly [string, object, string][] = [
  ['an invalid name', http({ name: 'look up' }), 'httpActions[0].name'],
  ['the name of a built-in tool', http({ name: 'ask_user' }), 'httpActions[0].name'],
  ['the name of a resource tool', http({ name: 'find_resources' }), 'httpActions[0].name'],
  ['the name of the completion', http({ name: 'complete_conversation' }), 'httpActions[0].name'],
  ['the name of a client tool', { ...client('act'), ...http({}) }, 'httpActions[0].name'],
  ['a name twice', { httpActions: [action(), action()] }, 'httpActions[1].name'],
  [
    'a client tool called as a resource tool',
    { ...client('read_resource'), resourceTools: ['READ_RESOURCE'] },
    'resourceTools[0]',
  ],
  ['a resource tool twice', { resourceTools: ['READ_RESOURCE', 'READ_RESOURCE'] }, 'resourceTools'],
  [
    'a server whose tools may be called as an action',
    { ...http({ name: 'crm_act' }), ...mcp({}) },
    'mcpServers[0].name',
  ],
  ['a server whose tools may be called as a client tool', { ...client('crm_x'), ...mcp({}) }, 'mcpServers[0].name'],
  ['a server whose tools may be called as a built-in tool', mcp({ name: 'find' }), 'mcpServers[0].name'],
  ['a server twice', { mcpServers: [mcp({}).mcpServers[0], mcp({}).mcpServers[0]] }, 'mcpServers[0].name'],
  [
    'a server whose name begins as that of another',
    { mcpServers: [...mcp({ name: 'crm_a' }).mcpServers, ...mcp({}).mcpServers] },
    'mcpServers[1].name',
  ],
  ['a long name of a server', mcp({ name: 'x'.repeat(33) }), 'mcpServers[0].name'],
  ['65 tools of a server', mcp({ tools: Array.from({ length: 65 }, String) }), 'mcpServers[0].tools'],
  ['a server without an integration', mcp({ integration: ' ' }), 'mcpServers[0].integration'],
  ['a placeholder in the host', absolute('https://{id}.example.com/'), 'httpActions[0].url'],
  ['a placeholder in the port', absolute('https://example.com:{id}/'), 'httpActions[0].url'],
  ['a user in the address', absolute('https://user:pass@example.com/{id}'), 'httpActions[0].url'],
  ['a path without an integration', absolute('/orders/{id}'), 'httpActions[0].url'],
  ['an address that is no https', absolute('http://example.com/{id}'), 'httpActions[0].url'],
  ['a private address', absolute('https://10.0.0.1/{id}'), 'httpActions[0].url'],
  ['a whole address with an integration', http({ url: 'https://example.com/' }), 'httpActions[0].url'],
  ['a placeholder that is not required', http({ url: '/orders/{id}' }), 'httpActions[0].url'],
  ['a brace that is open', http({ url: '/orders/{id', inputSchema: ID }), 'httpActions[0].url'],
  ['a step up in the path', http({ url: '/orders/%2E./x' }), 'httpActions[0].url'],
  ['a fragment', http({ url: '/orders#x' }), 'httpActions[0].url'],
  ['a schema that is not an object', http({ inputSchema: { type: 'string' } }), 'httpActions[0].inputSchema'],
  ['61 seconds', http({ timeoutSeconds: 61 }), 'httpActions[0].timeoutSeconds'],
  [
    'a secret among its headers',
    http({ headers: [{ name: 'authorization', value: 'x' }] }),
    'httpActions[0].headers[0].name',
  ],
  ['a header of the connection', http({ headers: [{ name: 'Host', value: 'x' }] }), 'httpActions[0].headers[0].name'],
  [
    'a line break in a header',
    http({ headers: [{ name: 'X-A', value: 'a\r\nb' }] }),
    'httpActions[0].headers[0].value',
  ],
  [
    '33 actions',
    { httpActions: Array.from({ length: 33 }, (_, index) => action({ name: `a${index}` })) },
    'httpActions',
  ],
  [
    '9 servers',
    { mcpServers: Array.from({ length: 9 }, (_, index) => ({ name: `s${index}`, integration: 'x' })) },
    'mcpServers',
  ],
];

describe('the actions of a draft', () => {
  it.each(REFUSED)('are rejected with %s, and the error names the field', async (_description, draft, param) => {
    const response = await flows.createWorkflow({ input: { name: 'Support', draft } });
    expectGraphqlError(response, 'invalid_request', { param: `draft.${param}` });
  });

  it('are checked against the existing tools of the draft', async () => {
    const { workflowId: id } = resultOf(await flows.createWorkflow({ input: { name: 'Support', draft: http({}) } }));
    const response = await flows.updateWorkflow({ id, input: { draft: client('act') } });
    expectGraphqlError(response, 'invalid_request', { param: 'draft.httpActions[0].name' });
    expect(errorOf(response)?.message).toContain('another tool has the name act');
  });

  it('appear in versions and in the difference between two versions', async () => {
    const { workflowId: id, deploymentId } = await publishedWorkflow(flows, { ...http({}), ...mcp({ tools: ['a'] }) });
    const draft = { httpActions: [action({ timeoutSeconds: 3 })], mcpServers: null, resourceTools: ['FIND_RESOURCES'] };
    resultOf(await flows.updateWorkflow({ id, input: { draft } }));
    const { version } = resultOf(await flows.publish({ id, deployments: [deploymentId] }));
    expect(version.config).toMatchObject({
      httpActions: [{ name: 'act', method: 'GET', headers: [], inputSchema: null, timeoutSeconds: 3 }],
      mcpServers: [],
      resourceTools: ['FIND_RESOURCES'],
    });
    expect(resultOf(await flows.diff({ id, from: 1, to: 2 }))).toEqual([
      { path: 'httpActions[0].timeoutSeconds', before: 15, after: 3 },
      {
        path: 'mcpServers[0]',
        before: {
          name: 'crm',
          integration: 'CRM',
          tools: ['a'],
          timeoutSeconds: 15,
          retrySafe: false,
          approval: { mode: 'always', approver: 'member' },
        },
        after: null,
      },
      { path: 'resourceTools[0]', before: null, after: 'find_resources' },
    ]);
  });

  it('reject tools of a request that use their names', async () => {
    const draft = { ...http({}), ...mcp({}), resourceTools: ['FIND_RESOURCES'] };
    const { deploymentId } = await publishedWorkflow(flows, draft);
    const turn = (name: string, own: object) =>
      service.send('POST', `/v2/runner/${deploymentId}/conversation`, {
        body: { content: [{ type: 'text', text: '/say hello' }], client_capabilities: [{ name, ...own }] },
      });
    for (const name of ['act', 'crm_anything', 'find_resources']) {
      const { status, body } = await turn(name, { input_schema: { type: 'object' } });
      expect([status, body.error.param, body.error.message]).toEqual([
        400,
        'client_capabilities[0]',
        `client_capabilities[0] must not be ${name}, which the server runs.`,
      ]);
      // A bare name that is not a configured client tool is ignored, like any other unknown name.
      expect(await turn(name, {})).toMatchObject({ status: 200 });
    }
  });
});
