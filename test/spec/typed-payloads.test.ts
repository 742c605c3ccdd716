import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { connect, publishScripted } from '../support/actions.ts';
import { DEMO_AGENT_ID, DEMO_CHAT_ID, startService, type TestService } from '../support/service.ts';
import { createTrigger } from '../support/triggers.ts';
import { workflowsOf } from '../support/workflows.ts';

let service: TestService;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.close());

const PAYLOAD = `payload { __typename json
  ... on ResourceEventPayload { type fields }
  ... on ResourceChangePayload { before after }
  ... on IntegrationEventPayload { integrationId kind name }
  ... on RunEventPayload {
    runId conversationId deploymentId runStatus step finishReason errorCode startedByTriggerId calls { callId name }
  }
  ... on ConversationEventPayload { conversationId deploymentId runId }
  ... on TriggerEventPayload { triggerId conversationId deploymentId } }`;

/** The payloads of the events of an object, oldest first, and the same events over REST. */
async function payloadsOf(resourceId: string) {
  const { body } = await service.graphql(
    `query ($id: ID!) { events(filter: { resourceId: $id, include: [RUNS] }, first: 10) { nodes { id ${PAYLOAD} } } }`,
    { id: resourceId },
  );
  expect(body.errors).toBeUndefined();
  const rest = await service.send('GET', `/v1/events?resourceId=${resourceId}&include=runs`);
  const nodes: { payload: { json: object } }[] = body.data.events.nodes.toReversed();
  expect(nodes.map(({ payload }) => payload.json)).toEqual(
    rest.body.data.map(({ payload }: { payload: object }) => payload).toReversed(),
  );
  const [newest] = body.data.events.nodes;
  const node = await service.graphql(`query ($id: ID!) { node(id: $id) { ... on Event { ${PAYLOAD} } } }`, newest);
  expect(node.body.data.node.payload).toEqual(newest.payload);
  return nodes.map(({ payload: { json: _, ...payload } }) => payload);
}

describe('the payload of an event', () => {
  it('has the fields of a resource, and what a change replaced', async () => {
    const body = { type: 'ticket', fields: { open: true, n: 1 } };
    const { id } = (await service.send('POST', '/v1/resources', { body })).body.data;
    await service.send('PATCH', `/v1/resources/${id}`, { body: { fields: { open: false } } });
    await service.send('DELETE', `/v1/resources/${id}`);
    expect(await payloadsOf(id)).toEqual([
      { __typename: 'ResourceEventPayload', ...body },
      { __typename: 'ResourceChangePayload', before: { open: true }, after: { open: false } },
      { __typename: 'ResourceEventPayload', type: 'ticket', fields: { open: false, n: 1 } },
    ]);
  });

  it('names an integration', async () => {
    const integrationId = await connect(service, { kind: 'mcp', name: 'Ours', url: 'http://127.0.0.1:9' });
    expect(await payloadsOf(integrationId)).toEqual([
      { __typename: 'IntegrationEventPayload', integrationId, kind: 'MCP', name: 'Ours' },
    ]);
  });

  it('has the status of a turn, with its calls, and a completed conversation', async () => {
    const script = '/call lookup_customer {"customer_id":"c1"}';
    const paused = (await service.agentTurn(script, { client_capabilities: ['lookup_customer'] })).body;
    const ids = { runId: paused.run_id, conversationId: paused.conversation_id, deploymentId: DEMO_AGENT_ID };
    const run = {
      __typename: 'RunEventPayload',
      ...ids,
      finishReason: null,
      errorCode: null,
      startedByTriggerId: null,
    };
    expect(await payloadsOf(paused.run_id)).toEqual([
      { ...run, runStatus: 'RUNNING', step: 0, calls: [] },
      {
        ...run,
        runStatus: 'WAITING_FOR_CLIENT_ACTION',
        step: 1,
        calls: [{ callId: paused.client_tool_calls[0].call_id, name: 'lookup_customer' }],
      },
    ]);
    const { conversation_id: conversationId, run_id: runId } = (await service.agentTurn('/complete\n/say bye')).body;
    expect(await payloadsOf(conversationId)).toEqual([
      { __typename: 'ConversationEventPayload', conversationId, deploymentId: DEMO_AGENT_ID, runId },
    ]);
  });

  it('names a trigger, and the trigger of the turn that it started', async () => {
    const triggerId: string = (await createTrigger(service, {})).body.id;
    const path = `/v1/runner/${DEMO_CHAT_ID}/conversation`;
    const { body } = await service.send('POST', path, { body: { trigger_id: triggerId } });
    const ids = { triggerId, conversationId: body.conversation_id, deploymentId: DEMO_CHAT_ID };
    expect(await payloadsOf(triggerId)).toEqual([{ __typename: 'TriggerEventPayload', ...ids }]);
    const where = { conversationId: body.conversation_id };
    const { id: runId } = await service.service.services.stores.prisma.run.findFirstOrThrow({ where });
    const [started] = await payloadsOf(runId);
    expect(started).toMatchObject({
      startedByTriggerId: triggerId,
      conversationId: ids.conversationId,
      runStatus: 'RUNNING',
    });
  });
});

const ARGUMENTS = `name builtInArguments { __typename
  ... on AskUserArguments { questions { questionId text inputType options } }
  ... on UploadDocumentArguments { prompt accept multiple }
  ... on ApproveActionArguments { callId tool description arguments inputSchema approver } }`;

/** Pauses a turn. Returns the arguments of its call, which the result and the history have alike. */
async function argumentsOf(deploymentId: string, text: string, key: string = service.keys.live) {
  const { body } = await service.graphql(
    `mutation ($input: RunAgentTurnInput!) { runAgentTurn(input: $input) { ... on RunAgentTurnPayload { turn {
      ... on PausedTurn { conversationId pendingActions { ${ARGUMENTS} } } } } } }`,
    {
      input: {
        deploymentId,
        content: [{ text }],
        clientCapabilities: [{ name: 'ask_user' }, { name: 'upload_document' }],
      },
    },
    { key },
  );
  const { conversationId, pendingActions } = body.data.runAgentTurn.turn;
  const history = await service.graphql(
    `query ($id: ID!) { conversation(id: $id) { history(last: 1) { nodes { ... on ClientToolCall { ${ARGUMENTS} } } } } }`,
    { id: conversationId },
  );
  expect(history.body.data.conversation.history.nodes).toEqual(pendingActions);
  return pendingActions[0];
}

describe('the arguments of a call', () => {
  it('have types if Parley defines the tool', async () => {
    const clientTools = ['ask_user', 'upload_document'].map((name) => ({ name, availability: 'ALWAYS' }));
    const { deploymentId } = await publishScripted(service, workflowsOf(service), { clientTools });
    const questions = [
      { id: 'size', question: 'Which size?', input_type: 'single_select', options: ['S', 'M'] },
      { id: 'why', question: 'Why?', input_type: 'text' },
    ];
    expect(await argumentsOf(deploymentId, `/call ask_user ${JSON.stringify({ questions })}`)).toEqual({
      name: 'ask_user',
      builtInArguments: {
        __typename: 'AskUserArguments',
        questions: [
          { questionId: 'size', text: 'Which size?', inputType: 'SINGLE_SELECT', options: ['S', 'M'] },
          { questionId: 'why', text: 'Why?', inputType: 'TEXT', options: [] },
        ],
      },
    });
    expect(await argumentsOf(deploymentId, '/call upload_document {"prompt":"Your passport"}')).toEqual({
      name: 'upload_document',
      builtInArguments: {
        __typename: 'UploadDocumentArguments',
        prompt: 'Your passport',
        accept: [],
        multiple: false,
      },
    });
  });

  it('show the call of an approval to who can answer it', async () => {
    await connect(service, { kind: 'http', name: 'Bank', url: 'http://127.0.0.1:9' });
    const inputSchema = { type: 'object', properties: { amount: { type: 'number' } } };
    const action = {
      name: 'charge',
      integration: 'Bank',
      url: '/charges',
      inputSchema,
      description: 'Charges a card.',
    };
    const draft = (approver: string) => ({ httpActions: [{ ...action, approval: { mode: 'ALWAYS', approver } }] });
    const byClient = await publishScripted(service, workflowsOf(service), draft('CLIENT'));
    expect(await argumentsOf(byClient.deploymentId, '/call charge {"amount":5}')).toEqual({
      name: 'approve_action',
      builtInArguments: {
        __typename: 'ApproveActionArguments',
        callId: expect.any(String),
        tool: 'charge',
        description: 'Charges a card.',
        arguments: { amount: 5 },
        inputSchema,
        approver: 'CLIENT',
      },
    });
    const byMember = await publishScripted(service, workflowsOf(service), draft('MEMBER'));
    const hidden = { name: 'approve_action', builtInArguments: null };
    expect(await argumentsOf(byMember.deploymentId, '/call charge {"amount":5}')).toEqual(hidden);
  });

  it('have no type if the workflow defines the tool', async () => {
    const { deploymentId } = await publishScripted(service, workflowsOf(service), {
      clientTools: [{ name: 'pick_date', availability: 'ALWAYS' }],
    });
    expect(await argumentsOf(deploymentId, '/call pick_date {}')).toEqual({
      name: 'pick_date',
      builtInArguments: null,
    });
  });
});
