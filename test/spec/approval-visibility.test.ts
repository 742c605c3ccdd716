import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { connect, publishScripted } from '../support/actions.ts';
import { endUserToken } from '../support/end-users.ts';
import { errorOf } from '../support/results.ts';
import { startService, type TestService } from '../support/service.ts';
import { makeKey, openSession } from '../support/tenants.ts';
import { workflowsOf } from '../support/workflows.ts';

/** It is in the request of every approval, and nowhere else. */
const MARK = 'Charges a hidden account.';
const ACTION = { integration: 'Bank', url: '/charges', inputSchema: { type: 'object' }, description: MARK };
const rule = (approver: string, allowAnonymous?: boolean) => ({ mode: 'ALWAYS', approver, allowAnonymous });
const DRAFT = {
  httpActions: [
    { ...ACTION, name: 'of_member', approval: { mode: 'ALWAYS' } },
    { ...ACTION, name: 'of_client', approval: rule('CLIENT', false) },
    { ...ACTION, name: 'of_either', approval: rule('EITHER', false) },
    { ...ACTION, name: 'of_anyone', approval: rule('EITHER', true) },
  ],
};

type Rule = 'of_member' | 'of_client' | 'of_either' | 'of_anyone';

/** What each kind of caller can answer. */
const CALLERS: readonly { readonly name: string; readonly answers: readonly Rule[] }[] = [
  { name: 'key', answers: ['of_client', 'of_either', 'of_anyone'] },
  { name: 'reading key', answers: [] },
  { name: 'end user', answers: ['of_client', 'of_either', 'of_anyone'] },
  { name: 'anonymous', answers: ['of_anyone'] },
  { name: 'developer', answers: ['of_member', 'of_either', 'of_anyone'] },
  { name: 'viewer', answers: [] },
];

let service: TestService;
let workflow: Awaited<ReturnType<typeof publishScripted>>;
const keys: Record<string, string | null> = { anonymous: null };
beforeAll(async () => {
  service = await startService();
  await connect(service, { kind: 'http', name: 'Bank', url: 'http://127.0.0.1:9' });
  workflow = await publishScripted(service, workflowsOf(service), DRAFT);
  const { deploymentId: id } = workflow;
  await service.service.services.stores.prisma.deployment.update({ where: { id }, data: { authRequired: false } });
  keys.key = service.keys.live;
  keys['reading key'] = await makeKey(service, { scopes: ['conversations:read'] });
  keys['end user'] = await endUserToken(service, id, 'ada');
  keys.developer = await openSession(service, 'developer');
  keys.viewer = await openSession(service, 'viewer');
});
afterAll(() => service.close());

interface Waiting {
  readonly id: string;
  readonly callId: string;
  readonly turn: string;
}

/** A turn that waits for an approval. It is started by the caller, if the caller can start one. */
async function waiting(name: string, action: Rule): Promise<Waiting> {
  const key = ['end user', 'anonymous'].includes(name) ? (keys[name] ?? null) : service.keys.live;
  const { body } = await workflow.turn(`/call ${action} {}`, {}, { key });
  expect(body.client_tool_calls[0].name).toBe('approve_action');
  return { id: body.conversation_id, callId: body.client_tool_calls[0].call_id, turn: JSON.stringify(body) };
}

/** Reads a stream until an event names the call. */
async function streamed(path: string, key: string | null, callId: string): Promise<string> {
  const headers = { accept: 'text/event-stream', ...(key && { authorization: `Bearer ${key}` }) };
  const { body } = await fetch(`${service.url}${path}`, { headers, signal: AbortSignal.timeout(5_000) });
  let text = '';
  for await (const chunk of (body ?? []) as AsyncIterable<Uint8Array>) {
    text += Buffer.from(chunk).toString();
    if (text.includes(callId) && text.endsWith('\n\n')) break;
  }
  return text;
}

const HISTORY = `query ($id: ID!) { conversation(id: $id) { history(first: 50) { nodes {
  ... on ClientToolCall { callId name arguments output expiresAt } } } } }`;
const PENDING = `query ($id: ID!) { pendingActions(filter: { conversationId: $id }) { nodes { callId name arguments call { arguments output } expiresAt } } }`;

/** How a caller reads a conversation that waits. Undefined: this kind of caller cannot. */
const READS: Readonly<Record<string, (name: string, waits: Waiting) => Promise<string> | undefined>> = {
  history: async (name, { id }) => JSON.stringify(await workflow.historyOf(id, { key: keys[name] ?? null })),
  graphql: async (name, { id }) =>
    JSON.stringify((await service.graphql(HISTORY, { id }, { key: keys[name] ?? null })).body),
  feed: (name, { id, callId }) => streamed(`/v1/runner/conversation/${id}/stream`, keys[name] ?? null, callId),
  ui: (name, { id, callId }) => {
    if (name === 'end user') return undefined;
    return streamed(`/v1/runner/${workflow.deploymentId}/ui/${id}/stream`, keys[name] ?? null, callId);
  },
  pendingActions: (name, { id }) => {
    if (name === 'anonymous') return undefined;
    return service.graphql(PENDING, { id }, { key: keys[name] ?? null }).then(({ body }) => JSON.stringify(body));
  },
  export: (name, { id }) => {
    if (['anonymous', 'end user'].includes(name)) return undefined;
    return service
      .send('GET', `/v1/conversations/${id}/export`, { key: keys[name] ?? null })
      .then(({ body }) => (typeof body === 'string' ? body : JSON.stringify(body)));
  },
};

describe.each(CALLERS)('a caller of the kind $name', ({ name, answers }) => {
  it.each(['of_member', 'of_client', 'of_either', 'of_anyone'] as const)(
    'sees the request of an approval only if the caller can answer it: %s',
    async (action) => {
      const waits = await waiting(name, action);
      const canAnswer = answers.includes(action);
      for (const [transport, read] of Object.entries(READS)) {
        const text = await read(name, waits);
        if (text === undefined) continue;
        // The chunks of the UI have the tool and its arguments, and no schema.
        const mark = transport === 'ui' ? `"toolName":"${action}"` : MARK;
        const seen = { transport, call: text.includes(waits.callId), mark: text.includes(mark) };
        expect(seen, text).toEqual({ transport, call: true, mark: canAnswer });
      }
      if (['key', 'end user', 'anonymous'].includes(name)) {
        expect({ turn: waits.turn.includes(MARK) }).toEqual({ turn: canAnswer });
        const again = await workflow.turn('Hello', { conversation_id: waits.id }, { key: keys[name] ?? null });
        expect(again.status).toBe(409);
        expect(JSON.stringify(again.body)).toContain(waits.callId);
        expect(JSON.stringify(again.body).includes(MARK)).toBe(canAnswer);
      }
      const results = [{ call_id: waits.callId, output: { approved: false, reason: 'A hidden reason.' } }];
      const path = `/v2/runner/${workflow.deploymentId}/conversation`;
      const answer = await service.send('POST', path, {
        key: keys[name] ?? null,
        body: { conversation_id: waits.id, tool_results: results },
      });
      expect(answer.status === 200).toBe(canAnswer);
      if (!canAnswer) expect(errorOf(answer)?.code).toBe('forbidden');
    },
  );
});

describe('a decided approval', () => {
  it('shows a caller who could not answer it the decision, without arguments and reason', async () => {
    const { id, callId } = await waiting('anonymous', 'of_member');
    const path = `/v2/runner/${workflow.deploymentId}/conversation`;
    const output = { approved: true, arguments: { amount: 1 }, reason: 'A hidden reason.' };
    const body = { conversation_id: id, tool_results: [{ call_id: callId, output }] };
    expect((await service.send('POST', path, { key: keys.developer ?? null, body })).status).toBe(200);
    const call = (await workflow.historyOf(id, { key: null })).find((item) => item.call_id === callId);
    expect(call).toMatchObject({ name: 'approve_action', arguments: {}, output: { approved: true } });
    expect(JSON.stringify(call)).not.toMatch(/hidden|amount/);
  });
});

describe('a public deployment', () => {
  const undecided = {
    httpActions: [{ ...ACTION, name: 'undecided', approval: { mode: 'ALWAYS', approver: 'EITHER' } }],
  };
  const PUBLISH = `mutation ($input: PublishWorkflowInput!) { publishWorkflow(input: $input) { __typename ... on Error { code path message } } }`;
  const UPDATE = `mutation ($input: UpdateDeploymentInput!) { updateDeployment(input: $input) { __typename ... on Error { code path message } } }`;

  it.each(['authRequired', 'hostedPage'])(
    'runs no version that leaves open whether strangers approve: %s',
    async (setting) => {
      const flows = workflowsOf(service);
      const { workflowId, deploymentId } = await publishScripted(service, flows, undecided);
      const opens = { deploymentId, [setting]: setting === 'hostedPage' };
      const update = async () => (await service.graphql(UPDATE, { input: opens })).body.data.updateDeployment;
      const refused = { code: 'INVALID_REQUEST', path: ['httpActions', '0', 'approval', 'allowAnonymous'] };
      expect(await update()).toMatchObject(refused);
      await service.service.services.stores.prisma.deployment.update({
        where: { id: deploymentId },
        data: { [setting]: setting === 'hostedPage' },
      });
      const publish = async () =>
        (await service.graphql(PUBLISH, { input: { workflowId, deploymentIds: [deploymentId] } })).body.data
          .publishWorkflow;
      expect(await publish()).toMatchObject(refused);
      const [action] = undecided.httpActions;
      const decided = { httpActions: [{ ...action, approval: rule('EITHER', false) }] };
      await flows.updateWorkflow({ id: workflowId, input: { draft: decided } });
      expect(await publish()).toMatchObject({ __typename: 'PublishWorkflowPayload' });
    },
  );

  it('needs no decision about members, who are never anonymous', async () => {
    const flows = workflowsOf(service);
    const draft = { httpActions: [{ ...ACTION, name: 'decided', approval: { mode: 'ALWAYS', allowAnonymous: true } }] };
    const { body } = await flows.updateWorkflow({ id: workflow.workflowId, input: { draft } });
    expect(body.data.updateWorkflow).toMatchObject({ code: 'INVALID_REQUEST' });
    expect(body.data.updateWorkflow.path.at(-1)).toBe('allowAnonymous');
  });
});
