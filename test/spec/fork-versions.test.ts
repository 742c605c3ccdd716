import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { textContent } from '../support/agent-apis.ts';
import { branchesOf } from '../support/branching.ts';
import { endUserToken } from '../support/end-users.ts';
import { expectError } from '../support/error-bodies.ts';
import type { FakeRequest } from '../support/fake-provider.ts';
import { promptOf } from '../support/memory-provider.ts';
import { type ProviderService, startProviderService } from '../support/provider-service.ts';
import { replyWith } from '../support/talk.ts';
import { makeDeployment, makeKey } from '../support/tenants.ts';

let provided: ProviderService;
let branches: ReturnType<typeof branchesOf>;
beforeAll(async () => {
  provided = await startProviderService();
  branches = branchesOf(provided.service);
});
afterAll(() => provided.close());

const CHANGE = `mutation ($workflowId: ID!, $instructions: String!, $id: ID!) {
  updateWorkflow(input: { workflowId: $workflowId, draft: { instructions: $instructions } }) { __typename }
  publishWorkflow(input: { workflowId: $workflowId, deploymentIds: [$id] }) { __typename }
}`;

/** An agent whose first two versions are "One" and "Two". It runs the second one. */
async function twoVersions() {
  const clientTools = [{ name: 'ask_user' }];
  const { id, workflowId } = await makeDeployment(
    provided.service,
    { instructions: 'One.', clientTools },
    { kind: 'agent' },
  );
  await publish({ id, workflowId, instructions: 'Two.' });
  const started = await turn(id);
  return { id, workflowId, conversationId: started.conversationId, instructions: started.instructions };
}

async function publish(variables: { id: string; workflowId: number; instructions: string }) {
  const { body } = await provided.service.graphql(CHANGE, { ...variables, workflowId: String(variables.workflowId) });
  expect(body.data?.publishWorkflow.__typename, JSON.stringify(body)).toBe('PublishWorkflowPayload');
}

/** Runs a turn. Returns the instructions that the model got. */
async function turn(deploymentId: string, fields: object = {}) {
  provided.provider.reply(replyWith('Hi.'));
  const { status, body } = await provided.turn(deploymentId, fields);
  expect(status, JSON.stringify(body)).toBe(200);
  return { conversationId: String(body.conversation_id), instructions: latestInstructions() };
}

const latestInstructions = () => promptOf(provided.provider.requests.at(-1) as FakeRequest).system;

const MISSING = { code: 'forbidden', required_scope: 'workflows:write' };

const VERSION = `query ($id: ID!) { conversation(id: $id) {
  version { number } runs { nodes { version { number } } } forks { nodes { version { number } } } } }`;
const versionsOf = async (id: string) => (await provided.service.graphql(VERSION, { id })).body.data.conversation;

describe('a fork with a version', () => {
  it('runs this version in every turn, whatever its deployment runs', async () => {
    const { id, workflowId, conversationId, instructions } = await twoVersions();
    expect(instructions).toContain('Two.');
    const fork = await branches.fork(conversationId, { workflow_version: 1 });
    expect(fork.status).toBe(201);
    const own = { conversation_id: fork.body.conversation_id };
    expect((await turn(id, own)).instructions).toContain('One.');
    await publish({ id, workflowId, instructions: 'Three.' });
    expect((await turn(id, own)).instructions).toContain('One.');
    provided.provider.reply(replyWith('Again.'));
    expect((await branches.regenerate(own.conversation_id)).status).toBe(200);
    expect(latestInstructions()).toContain('One.');
    expect((await turn(id, { conversation_id: conversationId })).instructions).toContain('Three.');
    expect((await turn(id)).instructions).toContain('Three.');
    const { version, runs } = await versionsOf(own.conversation_id);
    expect(version).toEqual({ number: 1 });
    expect(runs.nodes[0].version).toEqual({ number: 1 });
    const source = await versionsOf(conversationId);
    expect([source.version, source.forks.nodes]).toEqual([null, [{ version: { number: 1 } }]]);
  });

  it('resumes a paused turn with this version', async () => {
    const { id, conversationId } = await twoVersions();
    const { conversation_id } = (await branches.fork(conversationId, { workflow_version: 1 })).body;
    const questions = [{ id: 'q', question: 'Where?', input_type: 'text' }];
    provided.provider.reply({
      kind: 'answer',
      calls: [{ name: 'ask_user', arguments: JSON.stringify({ questions }) }],
    });
    const paused = await provided.turn(id, { conversation_id, client_capabilities: ['ask_user'] });
    expect(paused.body.run_status, JSON.stringify(paused.body)).toBe('waiting_for_client_action');
    const [{ call_id }] = paused.body.client_tool_calls;
    const tool_results = [{ call_id, output: { answers: [{ id: 'q', value: 'Here' }] } }];
    expect((await turn(id, { conversation_id, tool_results })).instructions).toContain('One.');
  });

  it('gives its version to its own forks in the same deployment, but not to those in another one', async () => {
    const { id, conversationId } = await twoVersions();
    const { conversation_id } = (await branches.fork(conversationId, { workflow_version: 1 })).body;
    const other = await makeDeployment(provided.service, { instructions: 'Other.' }, { kind: 'agent' });
    await publish({ ...other, instructions: 'Newer.' });
    const old = await branches.fork(conversation_id, { deployment_id: other.id, workflow_version: 1 });
    const [same, elsewhere] = [
      (await branches.fork(conversation_id)).body.conversation_id,
      (await branches.fork(conversation_id, { deployment_id: other.id })).body.conversation_id,
    ];
    expect((await turn(id, { conversation_id: same })).instructions).toContain('One.');
    expect((await turn(other.id, { conversation_id: elsewhere })).instructions).toContain('Newer.');
    expect((await turn(other.id, { conversation_id: old.body.conversation_id })).instructions).toContain('Other.');
  });

  it('takes an existing version, and a caller who may choose the version of a deployment', async () => {
    const { id, conversationId } = await twoVersions();
    expectError(await branches.fork(conversationId, { workflow_version: 3 }), 'not_found', {
      param: 'workflow_version',
    });
    for (const workflow_version of [0, 1.5, '1', 2 ** 40]) {
      expectError(await branches.fork(conversationId, { workflow_version }), 'invalid_request', {
        param: 'workflow_version',
      });
    }
    const key = await makeKey(provided.service, { scopes: ['conversations:write', 'conversations:read'] });
    expect((await branches.fork(conversationId, { workflow_version: 1 }, { key })).body.error).toMatchObject(MISSING);
    const user = await endUserToken(provided.service, id, 'ada');
    provided.provider.reply(replyWith('Hi.'));
    const { body } = await provided.service.send('POST', `/v2/runner/${id}/conversation`, {
      body: { content: textContent('Hello') },
      key: user,
    });
    const refused = await branches.fork(body.conversation_id, { workflow_version: 1 }, { key: user });
    expect(refused.body.error).toMatchObject(MISSING);
  });
});
