import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { LIMITS } from '../../src/contract/limits.ts';
import { graphText } from '../support/graph-content.ts';
import { resultOf } from '../support/results.ts';
import { startService, type TestService } from '../support/service.ts';
import { subscribe } from '../support/subscriptions.ts';
import { makeKey, makeWorkspace } from '../support/tenants.ts';
import { publishedWorkflow, type Workflows, workflowsOf } from '../support/workflows.ts';

let service: TestService;
let flows: Workflows;
beforeAll(async () => {
  service = await startService();
  flows = workflowsOf(service);
});
afterAll(() => service.close());

const DOCUMENT = `subscription ($input: DraftTurnInput!) { draftTurn(input: $input) {
  __typename
  ... on DraftTurnDelta { number text }
  ... on DraftTurnStepped { step { number text calls { callId type name arguments status output } inputTokens outputTokens responseTime } }
  ... on DraftTurnDone { content completesConversation model inputTokens outputTokens workflowLogId }
} }`;

interface Call {
  readonly callId: string;
  readonly name: string;
  readonly status: string;
  readonly output: unknown;
}

interface Step {
  readonly number: number;
  readonly text: string;
  readonly calls: readonly Call[];
  readonly inputTokens: number;
}

/** The last state of each step, the streamed text, the end and the error of a turn. */
async function runTurn(input: object, key: string | null = service.keys.live) {
  const stream = await subscribe(service, DOCUMENT, { input }, key);
  if (stream.rejection) return { error: stream.rejection.body.errors[0], steps: [], text: '', done: undefined };
  const steps = new Map<number, Step>();
  let text = '';
  let done: { content: unknown; completesConversation: boolean; workflowLogId: number; model: string } | undefined;
  for (let event = await stream.next(); event; event = await stream.next()) {
    if (event.errors) return { error: event.errors[0], steps: [...steps.values()], text, done };
    const { draftTurn } = event.data;
    if (draftTurn.__typename === 'DraftTurnDelta') text += draftTurn.text;
    if (draftTurn.__typename === 'DraftTurnStepped') steps.set(draftTurn.step.number, draftTurn.step);
    if (draftTurn.__typename === 'DraftTurnDone') done = draftTurn;
  }
  return { error: undefined, steps: [...steps.values()], text, done };
}

const stepInput = ({ text, calls }: Step) => ({ text, calls });

const workflow = async (draft: object = {}) =>
  resultOf(await flows.createWorkflow({ input: { name: 'Tested', draft } })).workflowId as number;

const turnOf = (text: string, steps?: readonly Step[]) => ({
  content: graphText(text),
  ...(steps && { steps: steps.map(stepInput) }),
});

const step = { number: 1, text: 'Yes.', calls: [], inputTokens: 0 };

/** Turns that have ended. */
const turnsOf = (count: number) => Array.from({ length: count }, () => turnOf('Hi', [step]));

describe('a turn of a test', () => {
  it('streams the reply of the draft, and remembers earlier turns', async () => {
    const workflowId = await workflow({ instructions: 'Hello {{NAME}}.' });
    const variables = [{ name: 'NAME', value: 'Ann' }];
    const first = await runTurn({ workflowId, variables, turns: [turnOf('/instructions')] });
    expect(first.text).toBe('Hello Ann.');
    expect(first.done).toMatchObject({ content: 'Hello Ann.', model: 'demo', completesConversation: false });
    expect(first.steps).toMatchObject([{ number: 1, text: 'Hello Ann.', calls: [] }]);
    const second = await runTurn({ workflowId, turns: [turnOf('One', first.steps), turnOf('/history')] });
    expect(JSON.parse(String(second.done?.content))).toEqual(['One', '/history']);
  });

  it('stores no conversation and one entry of the workflow log without a deployment', async () => {
    const workflowId = await workflow();
    const { prisma } = service.service.services.stores;
    const conversations = await prisma.conversation.count();
    const { done } = await runTurn({ workflowId, turns: [turnOf('Hi')] });
    expect(await prisma.conversation.count()).toBe(conversations);
    const lines = await prisma.workflowLog.findMany({ where: { workflowId } });
    expect(lines).toMatchObject([
      { id: BigInt(done?.workflowLogId ?? 0), deploymentId: null, workflowVersion: null, outcome: 'completed' },
    ]);
  });

  it('applies the history limit of the draft', async () => {
    const workflowId = await workflow({ historyLimit: 1 });
    const turns = [turnOf('One', [step]), turnOf('Two', [step]), turnOf('/history')];
    const { done } = await runTurn({ workflowId, turns });
    expect(JSON.parse(String(done?.content))).toEqual(['Two', '/history']);
  });

  it('runs a published version or another model on request', async () => {
    const { workflowId } = await publishedWorkflow(flows, { instructions: 'First.' });
    await flows.updateWorkflow({ id: workflowId, input: { draft: { instructions: 'Second.' } } });
    const turns = [turnOf('/instructions')];
    expect((await runTurn({ workflowId, turns })).done?.content).toBe('Second.');
    const { done } = await runTurn({ workflowId, version: 1, turns });
    expect(done?.content).toBe('First.');
    const line = await service.service.services.stores.prisma.workflowLog.findFirstOrThrow({
      where: { id: BigInt(done?.workflowLogId ?? 0) },
    });
    expect(line).toMatchObject({ workflowVersion: 1, deploymentId: null });
    expect(await runTurn({ workflowId, version: 9, turns })).toMatchObject({
      error: { extensions: { code: 'NOT_FOUND', param: 'version' } },
    });
    expect((await runTurn({ workflowId, model: 'openai:gpt-none', turns })).error?.message).toMatch(
      /OPENAI_API_KEY|model/,
    );
  });

  it('returns the error of a failing model and logs it', async () => {
    const workflowId = await workflow();
    const { error } = await runTurn({ workflowId, turns: [turnOf('/fail')] });
    expect(error.extensions.code).toBe('MODEL_ERROR');
    const [line] = await service.service.services.stores.prisma.workflowLog.findMany({ where: { workflowId } });
    expect(line).toMatchObject({ outcome: 'failed', errorCode: 'model_error' });
  });
});

describe('tools of a test', () => {
  const questions = [{ id: 'size', question: 'Which size?', input_type: 'single_select', options: ['S', 'M'] }];
  const ask = `/call ask_user ${JSON.stringify({ questions })}\n/say Thanks.`;

  it('pauses for a client tool and continues with its output', async () => {
    const workflowId = await workflow({ clientTools: [{ name: 'ask_user' }] });
    const paused = await runTurn({ workflowId, turns: [turnOf(ask)] });
    expect(paused.done?.content).toBeNull();
    expect(paused.steps).toMatchObject([{ number: 1, calls: [{ name: 'ask_user', status: 'PENDING', output: null }] }]);
    const answered = (output: unknown) =>
      paused.steps.map((step) => ({
        ...step,
        calls: step.calls.map((call) => ({ ...call, status: 'COMPLETED', output })),
      }));
    const steps = answered({ answers: [{ id: 'size', value: 'M' }] });
    const done = await runTurn({ workflowId, turns: [turnOf(ask, steps)] });
    expect(done.done?.content).toBe('Thanks.');
    expect(done.steps).toMatchObject([{ number: 2, text: 'Thanks.' }]);
    const wrong = await runTurn({ workflowId, turns: [turnOf(ask, answered({ answers: [] }))] });
    expect(wrong.error.extensions).toMatchObject({
      code: 'INVALID_TOOL_RESULT',
      param: 'turns[0].steps[0].calls[0].output.answers',
    });
    const missing = await runTurn({ workflowId, turns: [turnOf(ask, paused.steps)] });
    expect(missing.error.extensions.code).toBe('MISSING_TOOL_RESULTS');
  });

  it('runs server actions, except those that need an approval', async () => {
    const workflowId = await workflow({ resourceTools: ['CREATE_RESOURCE'] });
    const script = '/call create_resource {"type":"note","fields":{"made":"by a test"}}\n/say Done.';
    const stored = () => service.service.services.stores.prisma.resource.count();
    const before = await stored();
    const ran = await runTurn({ workflowId, turns: [turnOf(script)] });
    expect(ran.steps[0]?.calls).toMatchObject([{ name: 'create_resource', status: 'COMPLETED' }]);
    expect(await stored()).toBe(before + 1);
    const toolApprovals = [{ tool: 'create_resource', mode: 'ALWAYS' }];
    await flows.updateWorkflow({ id: workflowId, input: { draft: { toolApprovals } } });
    const refused = await runTurn({ workflowId, turns: [turnOf(script)] });
    expect(refused.steps[0]?.calls).toMatchObject([
      { status: 'FAILED', output: { error: expect.stringContaining('needs an approval') } },
    ]);
    expect(await stored()).toBe(before + 1);
    expect(refused.done?.content).toBe('Done.');
  });

  it('says that the conversation would be completed', async () => {
    const workflowId = await workflow({ allowConversationCompletion: true });
    const { done, steps } = await runTurn({ workflowId, turns: [turnOf('/complete\n/say Bye.')] });
    expect(done).toMatchObject({ completesConversation: true, content: 'Bye.' });
    expect(steps[0]?.calls).toMatchObject([{ name: 'complete_conversation', status: 'COMPLETED' }]);
    const failed = await runTurn({ workflowId, turns: [turnOf('/complete\n/call a {}\n/say Bye.')] });
    expect(failed.done).toMatchObject({ completesConversation: true });
    const open = await workflow({ allowConversationCompletion: true, resourceTools: ['FIND_RESOURCES'] });
    const script = '/complete\n/call find_resources {"type":"note"}\n/say Bye.';
    const undone = await runTurn({ workflowId: open, turns: [turnOf(script)] });
    expect(undone.done).toMatchObject({ completesConversation: false });
    expect(undone.steps[0]?.calls).toMatchObject([{ status: 'NOT_COMPLETED' }]);
  });
});

describe('a test that continues a stored conversation', () => {
  const messages = `query ($id: ID!) { conversation(id: $id) { history(first: 100) { nodes { itemId ... on Message { role } } } } }`;

  it('starts from its history, up to an item, and leaves it unchanged', async () => {
    const { workflowId, deploymentId } = await publishedWorkflow(flows);
    const send = (text: string, conversationId?: string) =>
      service.send('POST', `/v1/runner/${deploymentId}/conversation`, {
        body: { content: [{ type: 'text', text }], conversation_id: conversationId },
      });
    const { conversation_id: conversationId } = (await send('One')).body;
    await send('Two', conversationId);
    const history = async () =>
      (await service.graphql(messages, { id: conversationId })).body.data.conversation.history.nodes;
    const items = await history();
    const turns = [turnOf('/history')];
    const whole = await runTurn({ workflowId, source: { conversationId }, turns });
    expect(JSON.parse(String(whole.done?.content))).toEqual(['One', 'Two', '/history']);
    const part = await runTurn({ workflowId, source: { conversationId, lastItemId: items[1].itemId }, turns });
    expect(JSON.parse(String(part.done?.content))).toEqual(['One', '/history']);
    await flows.updateWorkflow({ id: workflowId, input: { draft: { historyLimit: 1 } } });
    const limited = await runTurn({ workflowId, source: { conversationId }, turns });
    expect(JSON.parse(String(limited.done?.content))).toEqual(['Two', '/history']);
    expect(await history()).toEqual(items);
  });

  it('needs the scope conversations:read, and finds no conversation of another workspace', async () => {
    const workflowId = await workflow();
    const conversationId = (await service.agentTurn('Secret')).body.conversation_id;
    const turns = [turnOf('/history')];
    const developer = await makeKey(service, { scopes: ['workflows:write'] });
    const forbidden = await runTurn({ workflowId, source: { conversationId }, turns }, developer);
    expect(forbidden.error.extensions.code).toBe('FORBIDDEN');
    expect((await runTurn({ workflowId, turns }, developer)).done).toBeDefined();
    const other = await makeWorkspace(service);
    const theirs = { workflowId: other.workflowId, source: { conversationId }, turns };
    for (const test of [theirs, { ...theirs, turns: [...turnsOf(10), ...turns] }]) {
      const { error } = await runTurn(test, other.keys.live);
      expect(error.extensions).toMatchObject({ code: 'NOT_FOUND', param: 'source.conversationId' });
    }
    expect((await runTurn({ ...theirs, workflowId }, service.keys.test)).error.extensions.code).toBe('NOT_FOUND');
  });
});

describe('the limits of a test', () => {
  it('rejects more turns, steps and calls than allowed', async () => {
    const workflowId = await workflow();
    expect(
      (await runTurn({ workflowId, turns: [...turnsOf(LIMITS.draftTurns - 1), turnOf('Hi')] })).done,
    ).toBeDefined();
    const many = await runTurn({ workflowId, turns: [...turnsOf(LIMITS.draftTurns), turnOf('Hi')] });
    expect(many.error.extensions).toMatchObject({ code: 'INVALID_REQUEST', param: 'turns' });
    expect(many.error.message).toContain(String(LIMITS.draftTurns));
    const call = { callId: 'c', type: 'TOOL', name: 'a', arguments: {}, status: 'FAILED', output: { error: 'No.' } };
    const withCalls = (steps: number, calls: number) => [
      { content: graphText('Hi'), steps: Array.from({ length: steps }, () => ({ calls: Array(calls).fill(call) })) },
    ];
    expect((await runTurn({ workflowId, turns: withCalls(LIMITS.draftSteps, 1) })).done).toBeDefined();
    expect((await runTurn({ workflowId, turns: withCalls(LIMITS.draftSteps + 1, 1) })).error.extensions.param).toBe(
      'turns[0].steps',
    );
    expect((await runTurn({ workflowId, turns: withCalls(1, LIMITS.draftCalls) })).done).toBeDefined();
    expect((await runTurn({ workflowId, turns: withCalls(1, LIMITS.draftCalls + 1) })).error.extensions.param).toBe(
      'turns[0].steps[0].calls',
    );
    const named = (length: number) => [
      { content: graphText('Hi'), steps: [{ calls: [{ ...call, name: 'n'.repeat(length) }] }] },
    ];
    expect((await runTurn({ workflowId, turns: named(LIMITS.draftToolNameLength) })).done).toBeDefined();
    expect((await runTurn({ workflowId, turns: named(LIMITS.draftToolNameLength + 1) })).error).toBeDefined();
    expect((await runTurn({ workflowId, turns: [turnOf('Hi', [step])] })).error.message).toContain('already a reply');
    expect((await runTurn({ workflowId, turns: [] })).error.extensions.param).toBe('turns');
  });
});

describe('access to tests', () => {
  it('is refused without workflows:write, and finds no workflow of another workspace', async () => {
    const workflowId = await workflow();
    const turns = [turnOf('Hi')];
    const reader = await makeKey(service, { scopes: ['workflows:read', 'conversations:write'] });
    expect((await runTurn({ workflowId, turns }, reader)).error.extensions.code).toBe('FORBIDDEN');
    const other = await runTurn({ workflowId, turns }, (await makeWorkspace(service)).keys.live);
    expect(other.error.extensions).toMatchObject({ code: 'NOT_FOUND', param: 'workflowId' });
  });
});
