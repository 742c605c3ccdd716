import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { expectGraphqlError } from '../support/error-bodies.ts';
import { mutationOf } from '../support/results.ts';
import { DEMO_AGENT_ID, DEMO_CHAT_ID, startService, type TestService } from '../support/service.ts';

let service: TestService;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.close());

/** Writes log entries like those of turns, at the times of the test. */
async function writeLogEntries(lines: readonly object[]): Promise<void> {
  const { prisma } = service.service.services.stores;
  const environment = await prisma.environment.findFirstOrThrow({ where: { kind: 'live' } });
  const line = {
    environmentId: environment.id,
    workflowId: 1,
    workflowVersion: 1,
    deploymentId: DEMO_CHAT_ID,
    requestId: 'r',
    outcome: 'completed' as const,
    model: 'openai:one',
    inputTokens: 1_000,
    outputTokens: 100,
    responseTimeMs: 1_000,
    createdAt: new Date('2026-02-01T12:00:00Z'),
  };
  await prisma.workflowLog.createMany({ data: lines.map((change) => ({ ...line, ...change })) });
}

const USAGE = `query ($period: ReportPeriodInput!, $groupBy: [UsageGroup!]!, $filter: UsageFilter) {
  usage(period: $period, groupBy: $groupBy, filter: $filter) { day deploymentId model turns failures inputTokens
    outputTokens medianResponseTime p95ResponseTime p99ResponseTime cost cacheSavings } }`;

const price = (model: string, inputPerMillion: number, outputPerMillion: number) =>
  service.graphql(
    'mutation ($input: SetModelPriceInput!) { setModelPrice(input: $input) { __typename ... on SetModelPricePayload { modelPrice { model inputPerMillion outputPerMillion } } ... on Error { code message path } } }',
    { input: { model, inputPerMillion, outputPerMillion } },
  );

describe('usage', () => {
  const day = (from: string, to: string, groupBy: string[], deploymentId?: string) =>
    service.graphql(USAGE, {
      period: { from: `${from}T00:00:00Z`, to: `${to}T00:00:00Z` },
      groupBy,
      filter: { deploymentId },
    });

  it('compares the versions of workflows, and their drafts', async () => {
    const at = { createdAt: new Date('2026-05-01T12:00:00Z') };
    await writeLogEntries([
      { ...at, workflowId: 1, workflowVersion: 1 },
      { ...at, workflowId: 1, workflowVersion: 2, outcome: 'failed' },
      { ...at, workflowId: 1, workflowVersion: 2 },
      { ...at, workflowId: 1, workflowVersion: null, deploymentId: null },
      { ...at, workflowId: 2, workflowVersion: 2, deploymentId: DEMO_AGENT_ID },
    ]);
    const query = USAGE.replace('{ day', '{ workflowId version day');
    const period = { from: '2026-05-01T00:00:00Z', to: '2026-05-02T00:00:00Z' };
    const rows = async (filter: object) => {
      const { body } = await service.graphql(query, { period, groupBy: ['VERSION'], filter });
      return body.data.usage.map((row: Readonly<Record<string, unknown>>) =>
        ['workflowId', 'version', 'turns', 'failures'].map((field) => row[field]),
      );
    };
    expect(await rows({})).toEqual([
      [1, null, 1, 0],
      [1, 2, 2, 1],
      [1, 1, 1, 0],
      [2, 2, 1, 0],
    ]);
    expect(await rows({ deploymentId: DEMO_AGENT_ID })).toEqual([[2, 2, 1, 0]]);
    const { body } = await day('2026-05-01', '2026-05-02', ['DEPLOYMENT']);
    expect(body.data.usage).toHaveLength(3);
  });

  it('returns turns, tokens, latencies, failures and cost by day, deployment and model', async () => {
    await writeLogEntries([
      ...Array.from({ length: 99 }, (_, index) => ({ responseTimeMs: (index + 1) * 10 })),
      { outcome: 'failed', responseTimeMs: 5_000, inputTokens: 0, outputTokens: 0 },
      { deploymentId: DEMO_AGENT_ID, model: 'openai:two' },
      { createdAt: new Date('2026-02-02T00:00:00Z') },
    ]);
    await price('openai:one', 2.5, 10);
    const { body } = await day('2026-02-01', '2026-02-03', ['DAY', 'DEPLOYMENT', 'MODEL']);
    expect(body.data.usage).toEqual([
      expect.objectContaining({ day: '2026-02-02', turns: 1, cost: '0.0035' }),
      {
        day: '2026-02-01',
        deploymentId: DEMO_CHAT_ID,
        model: 'openai:one',
        turns: 100,
        failures: 1,
        inputTokens: 99_000,
        outputTokens: 9_900,
        medianResponseTime: 0.505,
        p95ResponseTime: 0.951,
        p99ResponseTime: 1.03,
        cost: '0.3465',
        cacheSavings: 0,
      },
      expect.objectContaining({ day: '2026-02-01', deploymentId: DEMO_AGENT_ID, model: 'openai:two', cost: null }),
    ]);
    const all = await day('2026-02-01', '2026-02-03', []);
    expect(all.body.data.usage).toMatchObject([{ day: null, deploymentId: null, model: null, turns: 102, cost: null }]);
    const one = await day('2026-02-01', '2026-02-03', ['MODEL'], DEMO_AGENT_ID);
    expect(one.body.data.usage).toMatchObject([{ model: 'openai:two', turns: 1 }]);
    expect((await day('2026-02-03', '2026-02-04', ['DAY'])).body.data.usage).toEqual([]);
  });

  it('rejects a period that is too long or ends before it starts', async () => {
    expectGraphqlError(await day('2025-01-01', '2026-01-03', []), 'invalid_request', { param: 'period.to' });
    expectGraphqlError(await day('2026-01-02', '2026-01-01', []), 'invalid_request', { param: 'period.from' });
    expectGraphqlError(await day('0000-01-01', '0000-01-02', []), 'invalid_request', { param: 'period.from' });
  });

  it('belongs to one environment', async () => {
    await writeLogEntries([{ createdAt: new Date('2026-03-01T12:00:00Z') }]);
    const period = { from: '2026-03-01T00:00:00Z', to: '2026-03-02T00:00:00Z' };
    const variables = { period, groupBy: [] };
    expect((await service.graphql(USAGE, variables)).body.data.usage).toHaveLength(1);
    const other = await service.graphql(USAGE, variables, { key: service.keys.test });
    expect(other.body.data.usage).toEqual([]);
  });
});

describe('the workflow log', () => {
  const list = async (filter: object) => {
    const query = `query ($filter: WorkflowLogFilter) { workflowLogs(first: 100, filter: $filter) {
      nodes { outcome errorCode model responseTime conversationId runId requestId } totalCount } }`;
    return (await service.graphql(query, { filter })).body;
  };

  it('lists each turn, newest first, with filters', async () => {
    const turn = await service.agentTurn('Hello');
    const failed = await service.agentTurn('/fail', { conversation_id: turn.body.conversation_id });
    const { conversation_id: conversationId, run_id: runId } = turn.body;
    const all = await list({ conversationId });
    expect(all.data.workflowLogs).toMatchObject({
      totalCount: 2,
      nodes: [
        { outcome: 'FAILED', errorCode: 'MODEL_ERROR', requestId: failed.body.request_id },
        { outcome: 'COMPLETED', errorCode: null, model: 'demo', conversationId, runId },
      ],
    });
    const failures = await list({ conversationId, outcomes: ['FAILED'] });
    expect(failures.data.workflowLogs.totalCount).toBe(1);
    const later = await list({ conversationId, createdAt: { from: new Date(Date.now() + 60_000).toISOString() } });
    expect(later.data.workflowLogs.nodes).toEqual([]);
    const createdAt = { from: '2026-01-02T00:00:00Z', to: '2026-01-01T00:00:00Z' };
    const rejection = { code: 'INVALID_REQUEST', param: 'createdAt.from' };
    expect((await list({ createdAt })).errors[0].extensions).toMatchObject(rejection);
  });
});

describe('prices', () => {
  it('are set, changed and removed', async () => {
    expect((await price('openai:p', 1, 2)).body.data.setModelPrice.modelPrice).toMatchObject({ inputPerMillion: 1 });
    await price('openai:p', 0.15, 0.6);
    const list = async () => (await service.graphql('{ modelPrices { model inputPerMillion } }')).body.data.modelPrices;
    expect(await list()).toContainEqual({ model: 'openai:p', inputPerMillion: 0.15 });
    const remove = () =>
      service.graphql(
        'mutation { removeModelPrice(input: { model: "openai:p" }) { __typename ... on RemoveModelPricePayload { model } ... on Error { code message path } } }',
      );
    await remove();
    expect(await list()).not.toContainEqual(expect.objectContaining({ model: 'openai:p' }));
    expectGraphqlError(await remove(), 'not_found', { param: 'model' });
  });

  it('of the cache are optional, and omitting them again removes them', async () => {
    const set = async (cache: object) => {
      const input = { model: 'openai:cache', inputPerMillion: 1, outputPerMillion: 2, ...cache };
      const document = mutationOf('setModelPrice', '{ modelPrice { cachedInputPerMillion cacheWritePerMillion } }');
      return (await service.graphql(document, { input })).body.data.setModelPrice.modelPrice;
    };
    const [neither, both] = [
      { cachedInputPerMillion: null, cacheWritePerMillion: null },
      { cachedInputPerMillion: 0, cacheWritePerMillion: 1_000_000 },
    ];
    expect(await set({})).toEqual(neither);
    expect(await set(both)).toEqual(both);
    expect(await set({ cachedInputPerMillion: 0.5 })).toEqual({ ...neither, cachedInputPerMillion: 0.5 });
    expect(await set({})).toEqual(neither);
    expect(await set(both)).toEqual(both);
    expect(await set(neither)).toEqual(neither);
  });

  it.each([
    ['cachedInputPerMillion', -0.01],
    ['cachedInputPerMillion', 1_000_000.01],
    ['cacheWritePerMillion', -0.01],
    ['cacheWritePerMillion', 1_000_000.01],
  ])('have no %s of %d', async (param, value) => {
    const input = { model: 'a', inputPerMillion: 1, outputPerMillion: 1, [param]: value };
    const response = await service.graphql(mutationOf('setModelPrice', '{ modelPrice { model } }'), { input });
    expectGraphqlError(response, 'invalid_request', { param });
  });

  it.each([
    ['', 1, 1, 'model'],
    ['x'.repeat(301), 1, 1, 'model'],
    ['a', -1, 1, 'inputPerMillion'],
    ['a', 1, 1_000_001, 'outputPerMillion'],
  ])('are not set to %j, %d and %d', async (model, input, output, param) => {
    expectGraphqlError(await price(model, input, output), 'invalid_request', { param });
  });
});
