import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { readHistory } from '../support/agent-turns.ts';
import { POSTGRES_URL } from '../support/database.ts';
import { startService, type TestService } from '../support/service.ts';
import { until } from '../support/until.ts';

const HOUR_MS = 3_600_000;

/** More milliseconds than a signed 32-bit number can hold. */
const MONTH_MS = 30 * 24 * HOUR_MS;

describe.each([
  ['forward by an hour', HOUR_MS],
  ['back by an hour', -HOUR_MS],
  ['forward by a month', MONTH_MS],
])('a jump of the wall clock %s', (_name, jumpMs) => {
  let service: TestService;
  beforeAll(async () => {
    service = await startService();
  });
  afterAll(() => service.close());
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now(), shouldAdvanceTime: false });
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  async function jumpDuring(turn: () => Promise<{ status: number; body: Record<string, unknown> }>) {
    const response = turn();
    await until(async () => /parley_active_runs [1-9]/.test((await service.send('GET', '/metrics')).body));
    vi.setSystemTime(Date.now() + jumpMs);
    return response;
  }

  it('does not end a run or change its response_time', async () => {
    const { body: first } = await service.agentTurn('Hello');
    const conversation_id = first.conversation_id;
    const response = await jumpDuring(() => service.agentTurn('/slow 6\n/say done', { conversation_id }));
    expect(response).toMatchObject({ status: 200, body: { content: 'done', run_status: 'completed' } });
    expect(response.body.response_time).toBeGreaterThanOrEqual(5.9);
    expect(response.body.response_time).toBeLessThan(30);
    expect((await readHistory(service, conversation_id)).run_status).toBe('completed');
    const { body } = await service.graphql('{ workflowLogs(first: 20) { nodes { runId responseTime } } }');
    const { run_id: runId, response_time: responseTime } = response.body;
    expect(body.data.workflowLogs.nodes).toContainEqual({ runId, responseTime });
  });

  it('does not change the response time of a one-shot run', async () => {
    const body = { content: [{ type: 'text', text: '/slow 1\n/say done' }] };
    const path = '/v2/runner/00000000-0000-4000-8000-000000000002';
    const response = await jumpDuring(() => service.send('POST', path, { body }));
    expect(response).toMatchObject({ status: 200 });
    expect(response.body.response_time).toBeGreaterThanOrEqual(0.9);
    expect(response.body.response_time).toBeLessThan(30);
  });

  it('does not change durations in the log and the metrics', async () => {
    const before = service.logLines.length;
    await jumpDuring(() => service.agentTurn('/slow 1\n/say done'));
    const lines = service.logLines.slice(before).map((line) => JSON.parse(line));
    for (const { duration_ms } of lines.filter((line) => 'duration_ms' in line)) {
      expect(duration_ms).toBeGreaterThanOrEqual(0);
      expect(duration_ms).toBeLessThan(30_000);
    }
    const { body } = await service.send('GET', '/metrics');
    const [, sum] = /parley_model_step_duration_seconds_sum\{model="demo",outcome="ok"\} (\S+)/.exec(body) ?? [];
    expect(Number(sum)).toBeGreaterThan(0);
    expect(Number(sum)).toBeLessThan(60);
  });
});

describe.skipIf(Boolean(POSTGRES_URL))('the clock of an embedded database', () => {
  it('is the clock of its process', async () => {
    const service = await startService();
    const { prisma } = service.service.services.stores;
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + HOUR_MS });
    const [{ at } = { at: 0 }] = await prisma.$queryRaw<
      { at: number }[]
    >`SELECT extract(epoch FROM now())::float8 AS at`;
    const jumped = Date.now();
    vi.useRealTimers();
    expect(Math.abs(at * 1_000 - jumped)).toBeLessThan(60_000);
    await service.close();
  });
});
