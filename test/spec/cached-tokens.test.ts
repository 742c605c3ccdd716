import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { textContent } from '../support/agent-apis.ts';
import type { FakeReply } from '../support/fake-provider.ts';
import { type ProviderService, startProviderService } from '../support/provider-service.ts';
import { mutationOf } from '../support/results.ts';
import { chunksOf, userMessage } from '../support/ui-chat.ts';
import { requestsOf } from '../support/ui-requests.ts';

const TOOL = { name: 'look', description: 'Looks.', inputSchema: { type: 'object' } };

let host: ProviderService;
let agent: string;
beforeAll(async () => {
  host = await startProviderService();
  agent = await host.agent({ model: MODEL, clientTools: [TOOL] });
});
afterAll(() => host.close());

const MODEL = 'openai-compatible:cached';

/** 2,400 input tokens, of which 1,900 are from the cache and 100 are written to it. */
const USAGE = { input: 2_400, cached: 1_900, written: 100, output: 50 };
const COUNTS = { inputTokens: 2_400, cachedInputTokens: 1_900, cacheWriteTokens: 100, outputTokens: 50 };
const COLUMNS = { input_tokens: 2_400, cached_input_tokens: 1_900, cache_write_tokens: 100, output_tokens: 50 };
const FIELDS = Object.keys(COUNTS).join(' ');

const answer: FakeReply = { kind: 'answer', deltas: ['Good day.'], usage: USAGE };
const calls: FakeReply = { kind: 'answer', calls: [{ name: 'look', arguments: '{}' }], usage: USAGE };

const db = () => host.service.service.services.stores.prisma;
// biome-ignore lint/suspicious/noExplicitAny: a test asserts the shape of the response
const read = async (document: string, variables: object = {}): Promise<any> => {
  const { body } = await host.service.graphql(document, variables);
  expect(body.errors).toBeUndefined();
  return body.data;
};

const setPrice = (input: object) => read(mutationOf('setModelPrice', '{ modelPrice { model } }'), { input });

async function turn(fields: object = {}) {
  const { status, body } = await host.turn(agent, fields);
  expect(status).toBe(200);
  return body;
}

const RUN = `query ($id: ID!) { run(id: $id) { ${FIELDS} trace { cost inputSavings
  spans(first: 10) { nodes { ... on ModelStepSpan { ${FIELDS} cost inputSavings } } } } } }`;
const CONVERSATION = `query ($id: ID!) { conversation(id: $id) { usage { ${FIELDS} cost } } }`;
const LOGS = `query ($id: ID!) { workflowLogs(filter: { conversationId: $id }) { nodes { ${FIELDS} cost } } }`;
const REPORT = `query ($period: ReportPeriodInput!) { usage(period: $period, groupBy: [MODEL]) {
  model ${FIELDS} cost cacheSavings } }`;

const reportOf = async (model: string) => {
  const at = (offset: number) => new Date(Date.now() + offset).toISOString();
  const { usage } = await read(REPORT, { period: { from: at(-3_600_000), to: at(3_600_000) } });
  return usage.find((row: { model: string }) => row.model === model);
};

async function exported(path: string, type: string) {
  const { body } = await host.service.send('GET', path);
  const lines = String(body).trimEnd().split('\n');
  return lines.map((line) => JSON.parse(line)).filter((line) => line.type === type);
}

describe('the tokens of the cache', () => {
  it('are in the run, the log, the conversation, the report, the trace and the exports, with their cost', async () => {
    await setPrice({
      model: MODEL,
      ...{ inputPerMillion: 10, cachedInputPerMillion: 1, cacheWritePerMillion: 12.5, outputPerMillion: 50 },
    });
    host.provider.reply(answer);
    const { run_id: id, conversation_id: conversationId, input_tokens } = await turn();
    expect(input_tokens).toBe(2_400);
    // 400 × 10 + 1,900 × 1 + 100 × 12.5 + 50 × 50, of a million.
    const cost = '0.00965';
    const { run } = await read(RUN, { id });
    // The cache saves 1,900 × 9 - 100 × 2.5 of 2,400 × 10.
    const step = { ...COUNTS, cost, inputSavings: expect.closeTo(0.702_083, 5) };
    expect(run).toEqual({
      ...COUNTS,
      trace: { cost, inputSavings: step.inputSavings, spans: { nodes: [step] } },
    });
    expect((await read(LOGS, { id: conversationId })).workflowLogs.nodes).toEqual([{ ...COUNTS, cost }]);
    const { conversation } = await read(CONVERSATION, { id: conversationId });
    expect(conversation.usage).toEqual({ ...COUNTS, cost });
    const report = await reportOf(MODEL);
    expect(report).toEqual({ model: MODEL, ...COUNTS, cost, cacheSavings: expect.closeTo(0.635_849, 5) });
    const [line] = await exported(`/v1/conversations/${conversationId}/export`, 'run');
    expect(line.data).toMatchObject(COLUMNS);
    const logs = await exported('/v1/export', 'workflow_log');
    expect(logs.find(({ data }) => data.run_id === id).data).toMatchObject(COLUMNS);
  });

  it('are in the message metadata of the AI SDK', async () => {
    host.provider.reply(answer);
    const body = { id: randomUUID(), messages: [userMessage('Hello')], trigger: 'submit-message' };
    const chunks = await chunksOf(await requestsOf(host.service).post(body, { deploymentId: agent }));
    expect(JSON.stringify(chunks)).toContain(
      JSON.stringify({
        inputTokens: 2_400,
        inputTokenDetails: { noCacheTokens: 400, cacheReadTokens: 1_900, cacheWriteTokens: 100 },
        cachedInputTokens: 1_900,
        outputTokens: 50,
        totalTokens: 2_450,
      }),
    );
  });

  it('are those of its part of a run for a turn that resumes, and of all parts for the run', async () => {
    host.provider.reply(calls, answer);
    const paused = await turn({ client_capabilities: ['look'] });
    const [call] = paused.client_tool_calls;
    const tool_results = [{ call_id: call.call_id, output: {} }];
    const resumed = await turn({ conversation_id: paused.conversation_id, tool_results });
    expect(resumed.input_tokens).toBe(2_400);
    const { run } = await read(RUN, { id: paused.run_id });
    expect(run).toMatchObject({ inputTokens: 4_800, cachedInputTokens: 3_800, cacheWriteTokens: 200 });
    expect((await read(LOGS, { id: paused.conversation_id })).workflowLogs.nodes).toMatchObject([COUNTS, COUNTS]);
  });

  it('are in the results of turns and one-shot runs over GraphQL', async () => {
    host.provider.reply(answer);
    const content = [{ text: 'Hello' }];
    const document = `mutation ($input: RunAgentTurnInput!) { runAgentTurn(input: $input) {
      ... on RunAgentTurnPayload { turn { ... on FinishedTurn { ${FIELDS} } } } } }`;
    const { runAgentTurn } = await read(document, { input: { deploymentId: agent, content } });
    expect(runAgentTurn.turn).toEqual(COUNTS);
    const { runOnce } = await read(mutationOf('runOnce', `{ run { ${FIELDS} } }`), {
      input: { deploymentId: agent, content },
    });
    expect(runOnce.run).toEqual(COUNTS);
  });

  it.each([
    ['more than the input', { input: 10, cached: 50, written: 5 }, [10, 0]],
    ['more than the rest of the input', { input: 10, cached: 8, written: 5 }, [8, 2]],
    ['negative', { input: 10, cached: -5, written: -5 }, [0, 0]],
    ['fractions', { input: 10, cached: 1.5, written: 0.5 }, [2, 1]],
    ['texts', { input: 10, cached: 'raw:"7"', written: 'raw:"7"' }, [0, 0]],
    ['more than a double', { input: 10, cached: 'raw:1e999', written: 0 }, [10, 0]],
  ] as const)('are a part of the input if the provider sends %s', async (_form, counts, [cached, written]) => {
    host.provider.reply({ kind: 'answer', deltas: ['Good day.'], usage: { ...counts, output: 1 } });
    const { run_id: id } = await turn();
    const { run } = await read(RUN, { id });
    expect(run).toMatchObject({ inputTokens: 10, cachedInputTokens: cached, cacheWriteTokens: written });
  });

  it('are 0 in lines that an earlier release writes', async () => {
    host.provider.reply(answer);
    const { run_id: runId, conversation_id: id } = await turn();
    await db().$executeRaw`
      INSERT INTO workflow_log (environment_id, workflow_id, conversation_id, run_id, request_id, outcome, model,
                                input_tokens, output_tokens, response_time_ms, counted, created_at)
      SELECT environment_id, workflow_id, conversation_id, run_id, request_id, outcome, model, 7, 1, 1, true, now()
      FROM workflow_log WHERE run_id = ${runId}::uuid`;
    const { workflowLogs } = await read(LOGS, { id });
    expect(workflowLogs.nodes).toMatchObject([{ inputTokens: 7, cachedInputTokens: 0, cacheWriteTokens: 0 }, COUNTS]);
  });
});

describe('the price of the cache', () => {
  const model = 'openai-compatible:priced';
  const steps = [
    { cached: 1_000, written: 0 },
    { cached: 0, written: 2_000 },
    { cached: 1, written: 1 },
  ];

  it('is that of the input without a price of its own', async () => {
    const deployment = await host.agent({ model });
    for (const usage of steps) {
      host.provider.reply({ kind: 'answer', usage: { input: 3_000, output: 0, ...usage } });
      await host.turn(deployment, { content: textContent('Yes?') });
    }
    expect(await reportOf(model)).toMatchObject({ cost: null, cacheSavings: null });
    await setPrice({ model, inputPerMillion: 1, outputPerMillion: 1 });
    expect(await reportOf(model)).toMatchObject({ cost: '0.009', cacheSavings: 0 });
  });

  it('applies to earlier usage too, and the cost of all turns is the sum of their costs', async () => {
    const price = { model, inputPerMillion: 0.3, outputPerMillion: 1 };
    await setPrice({ ...price, cachedInputPerMillion: 0.000_007, cacheWritePerMillion: 0.375 });
    const { cost, cacheSavings } = await reportOf(model);
    const logs = `{ workflowLogs(first: 3, filter: { model: "${model}" }) { nodes { cost } } }`;
    const costs = (await read(logs)).workflowLogs.nodes.map((line: { cost: string }) => line.cost);
    expect(costs).toHaveLength(3);
    const units = (amount: string) => BigInt(Math.round(Number(amount) * 1e12));
    expect(units(cost)).toBe(costs.map(units).reduce((sum: bigint, one: bigint) => sum + one));
    // 1,001 tokens cost almost nothing, and 2,001 cost 25 % more.
    expect(cost).toBe('0.002549782007');
    expect(cacheSavings).toBeCloseTo(1 - 0.002_549_782 / 0.002_7, 6);
  });

  it('is a loss if only writing to the cache has a price of its own', async () => {
    await setPrice({ model, inputPerMillion: 1, cacheWritePerMillion: 2, outputPerMillion: 1 });
    expect(await reportOf(model)).toMatchObject({ cost: '0.011001', cacheSavings: expect.closeTo(-0.222_333, 5) });
  });
});
