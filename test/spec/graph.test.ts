import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { textContent } from '../support/agent-apis.ts';
import { resultOf } from '../support/results.ts';
import { startService, type TestService } from '../support/service.ts';
import { makeDeployment, makeKey, makeWorkspace, openSession } from '../support/tenants.ts';
import { createTrigger } from '../support/triggers.ts';
import { makeEndpoint } from '../support/webhooks.ts';
import { publishedWorkflow, workflowsOf } from '../support/workflows.ts';

let service: TestService;
let deploymentId: string;
let triggerId: string;
let conversationId: string;
beforeAll(async () => {
  service = await startService();
  deploymentId = (await makeDeployment(service, {}, { kind: 'agent', name: 'Site' })).id;
  triggerId = (await createTrigger(service, {}, deploymentId)).body.id;
  conversationId = await turn({ trigger_id: triggerId });
});
afterAll(() => service.close());

async function turn(body: object, deployment = deploymentId): Promise<string> {
  const response = await service.send('POST', `/v2/runner/${deployment}/conversation`, { body });
  expect(response.status).toBe(200);
  return response.body.conversation_id;
}

async function read(query: string, variables: object = {}, key: string | null = service.keys.live) {
  const { body } = await service.graphql(query, variables, { key });
  expect(body.errors).toBeUndefined();
  return body.data;
}

const CONVERSATION = 'conversation(id: $id)';

describe('objects refer to each other by fields', () => {
  it('leads from a conversation to its deployment, trigger, runs, log and timeline, and back', async () => {
    const { conversation } = await read(
      `query ($id: ID!) { ${CONVERSATION} {
        deployment { name workflow { workflowId } version { number workflow { workflowId } } }
        trigger { triggerId conversation { conversationId } deployment { name } workflow { workflowId }
          workflowLog { outcome } workflowLogs { totalCount } }
        latestRun { status conversation { conversationId } version { number } history { nodes { type } } }
        runs { nodes { runId workflowLogs { nodes { run { runId } trigger { triggerId } deployment { name }
          conversation { conversationId } version { number } workflow { workflowId } } } } totalCount }
        workflowLogs { nodes { outcome } }
        history { nodes { type run { status } conversation { conversationId } } }
        environment { kind workspace { name currency environments { kind } } } } }`,
      { id: conversationId },
    );
    const { workflowId } = conversation.deployment.workflow;
    const [run] = conversation.runs.nodes;
    const at = { conversationId };
    expect(conversation).toEqual({
      deployment: { name: 'Site', workflow: { workflowId }, version: { number: 1, workflow: { workflowId } } },
      trigger: {
        triggerId,
        conversation: at,
        deployment: { name: 'Site' },
        workflow: { workflowId },
        workflowLog: { outcome: expect.stringMatching(/^completed$/i) },
        workflowLogs: { totalCount: 1 },
      },
      latestRun: {
        status: expect.stringMatching(/^completed$/i),
        conversation: at,
        version: { number: 1 },
        history: { nodes: [{ type: expect.anything() }, { type: expect.anything() }] },
      },
      runs: {
        nodes: [
          {
            runId: run.runId,
            workflowLogs: {
              nodes: [
                {
                  run: { runId: run.runId },
                  trigger: { triggerId },
                  deployment: { name: 'Site' },
                  conversation: at,
                  version: { number: 1 },
                  workflow: { workflowId },
                },
              ],
            },
          },
        ],
        totalCount: 1,
      },
      workflowLogs: { nodes: [{ outcome: expect.anything() }] },
      history: {
        nodes: [1, 2].map(() => ({ type: expect.anything(), run: { status: expect.anything() }, conversation: at })),
      },
      environment: {
        kind: expect.stringMatching(/^live$/i),
        workspace: {
          name: expect.any(String),
          currency: 'USD',
          environments: [{ kind: expect.stringMatching(/^live$/i) }, { kind: expect.stringMatching(/^test$/i) }],
        },
      },
    });
  });

  it('leads from a resource to its events and their deliveries, and back', async () => {
    const { body } = await service.send('POST', '/v1/resources', { body: { type: 'thing', fields: {} } });
    const { id } = body.data;
    const { prisma } = service.service.services.stores;
    const { id: eventId, environmentId } = await prisma.event.findFirstOrThrow({ where: { resourceId: id } });
    // The endpoint receives no earlier event, so the service queues no other delivery.
    const { id: endpointId } = await makeEndpoint(service, 'http://127.0.0.1:9/hook');
    const at = new Date();
    await prisma.webhookDelivery.create({
      data: {
        environmentId,
        endpointId,
        eventId,
        messageId: eventId,
        status: 'delivered',
        createdAt: at,
        finishedAt: at,
      },
    });
    const query = `query ($id: ID!) { resource(id: $id) { events { nodes {
      resource { resourceId } integration { name } deliveries { nodes { endpoint { endpointId } event { type } } } } } } }`;
    const deliveries = { nodes: [{ endpoint: { endpointId }, event: { type: expect.any(String) } }] };
    const { resource } = await read(query, { id });
    expect(resource.events.nodes[0]).toMatchObject({ resource: { resourceId: id }, integration: null, deliveries });
    await service.send('DELETE', `/v1/resources/${id}`);
    const { events } = await read(
      'query ($id: ID!) { events(filter: { resourceId: $id }) { nodes { resource { type } } } }',
      {
        id,
      },
    );
    expect(events.nodes).toEqual([{ resource: null }, { resource: null }]);
  });

  it('leads from a workflow to its triggers, and from a version to the deployments that run it', async () => {
    const { deployment } = await read(
      `query ($at: ID!) { deployment(id: $at) { workflowLogs { nodes { deployment { name } } totalCount }
        version { deployments { nodes { deploymentId } totalCount } }
        workflow { triggers { nodes { triggerId } totalCount } } } }`,
      { at: deploymentId },
    );
    expect(deployment).toEqual({
      workflowLogs: { nodes: [{ deployment: { name: 'Site' } }], totalCount: 1 },
      version: { deployments: { nodes: [{ deploymentId }], totalCount: 1 } },
      workflow: { triggers: { nodes: [{ triggerId }], totalCount: 1 } },
    });
  });

  it('separates the versions of a page, even if their numbers are equal', async () => {
    const flows = workflowsOf(service);
    const [one, two] = [await publishedWorkflow(flows), await publishedWorkflow(flows)];
    const update = { id: two.workflowId, input: { draft: { instructions: 'Be brief.' } } };
    resultOf(await flows.updateWorkflow(update));
    resultOf(await flows.publish({ id: two.workflowId, deployments: [two.deploymentId] }));
    const versions = '{ versions { nodes { number deployments { nodes { deploymentId } totalCount } } } }';
    const data = await read(
      `{ one: workflow(id: ${one.workflowId}) ${versions} two: workflow(id: ${two.workflowId}) ${versions} }`,
    );
    const runs = (number: number, ...ids: string[]) => ({
      number,
      deployments: { nodes: ids.map((id) => ({ deploymentId: id })), totalCount: ids.length },
    });
    expect(data.one.versions.nodes).toEqual([runs(1, one.deploymentId)]);
    expect(data.two.versions.nodes).toEqual([runs(2, two.deploymentId), runs(1)]);
  });

  it('leads from a deployment to its own usage', async () => {
    const other = (await makeDeployment(service, {}, { kind: 'agent' })).id;
    await turn({ content: textContent('Hello') }, other);
    const period = `period: { from: "${new Date(Date.now() - 3_600_000).toISOString()}", to: "${new Date(Date.now() + 3_600_000).toISOString()}" }`;
    const query = `query ($one: ID!, $other: ID!) {
      one: deployment(id: $one) { usage(${period}, groupBy: [MODEL]) { turns model deployment { deploymentId } } }
      other: deployment(id: $other) { usage(${period}, groupBy: []) { turns model deployment { deploymentId } } } }`;
    const { one, other: second } = await read(query, { one: deploymentId, other });
    expect(one.usage).toEqual([{ turns: 1, model: expect.any(String), deployment: { deploymentId } }]);
    expect(second.usage).toEqual([{ turns: 1, model: null, deployment: { deploymentId: other } }]);
  });

  it('leads from a finished turn to its run', async () => {
    const { body } = await service.graphql(
      `mutation ($input: RunAgentTurnInput!) { runAgentTurn(input: $input) { __typename
        ... on RunAgentTurnPayload { turn { ... on FinishedTurn { runId run { runId } } } } } }`,
      { input: { deploymentId, content: [{ text: 'Hello' }] } },
    );
    const { runId, run } = body.data.runAgentTurn.turn;
    expect(run).toEqual({ runId });
  });

  it('leads from an audit entry to its actor and its subject', async () => {
    const key = await openSession(service, 'owner');
    await read(
      'mutation { createApiKey(input: { name: "audited", scopes: [] }) { __typename ... on CreateApiKeyPayload { secret } ... on Error { code message path } } }',
      {},
      key,
    );
    const { auditLog, me } = await read(
      `{ auditLog(first: 1, filter: { actorId: null }) { nodes { workspace { name }
          actor { ... on User { userId } ... on ApiKey { name } } subject { id ... on ApiKey { name } } } }
        me { user { userId } workspace { name } } }`,
      {},
      key,
    );
    expect(auditLog.nodes).toEqual([
      { workspace: me.workspace, actor: me.user, subject: { id: expect.any(String), name: 'audited' } },
    ]);
  });
});

const EDGES = `query ($id: ID!) { ${CONVERSATION} { name deployment { name } trigger { triggerId }
  workflowLogs { totalCount } runs { nodes { version { number } workflowLogs { totalCount } } }
  environment { kind } } }`;

describe('an edge to an object that the caller may not read', () => {
  it('is null without the scope of the object, and the rest of the result stays', async () => {
    const key = await makeKey(service, { scopes: ['conversations:read'] });
    const { conversation } = await read(EDGES, { id: conversationId }, key);
    expect(conversation).toMatchObject({ deployment: null, trigger: null, workflowLogs: null });
    expect(conversation.runs.nodes).toEqual([{ version: null, workflowLogs: null }]);
    expect(conversation.name).toEqual(expect.any(String));
  });

  it('is null without credentials', async () => {
    const open = (await makeDeployment(service, {}, { kind: 'agent', authRequired: false })).id;
    const id = await turn({ content: textContent('Hello') }, open);
    const query = EDGES.replace(CONVERSATION, 'conversation(id: $id, deploymentId: $at)').replace(
      '$id: ID!',
      '$id: ID!, $at: ID!',
    );
    const { conversation } = await read(query, { id, at: open }, null);
    expect(conversation).toMatchObject({ deployment: null, trigger: null, workflowLogs: null, environment: null });
    expect(conversation.runs.nodes).toEqual([{ version: null, workflowLogs: null }]);
  });

  it('is null for the triggers of a workflow without the scope of triggers', async () => {
    const key = await makeKey(service, { scopes: ['workflows:read'] });
    const query = 'query ($at: ID!) { deployment(id: $at) { workflow { name triggers { totalCount } } } }';
    const { deployment } = await read(query, { at: deploymentId }, key);
    expect(deployment.workflow).toEqual({ name: expect.any(String), triggers: null });
  });

  it('is null for a trigger of another workspace, which everyone can read who knows its ID', async () => {
    const another = await makeWorkspace(service);
    const query = `query ($at: ID!, $id: ID!) { trigger(deploymentId: $at, id: $id) {
      triggerId deployment { name } workflow { name } conversation { name } workflowLog { outcome } environment { kind }
      workflowLogs { totalCount } } }`;
    for (const key of [another.keys.live, null]) {
      const { trigger } = await read(query, { at: deploymentId, id: triggerId }, key);
      expect(trigger).toEqual({
        triggerId,
        deployment: null,
        workflow: null,
        conversation: null,
        workflowLog: null,
        environment: null,
        workflowLogs: null,
      });
    }
  });

  it('shows nothing of the other environment to a deployment that both share', async () => {
    const query = `query ($at: ID!) { deployment(id: $at) { conversations { nodes { name } totalCount }
      workflowLogs { nodes { outcome } totalCount } workflow { triggers { nodes { triggerId } totalCount } } } }`;
    const { deployment } = await read(query, { at: deploymentId }, service.keys.test);
    const empty = { nodes: [], totalCount: 0 };
    expect(deployment).toEqual({ conversations: empty, workflowLogs: empty, workflow: { triggers: empty } });
  });
});
