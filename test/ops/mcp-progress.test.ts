import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { LIMITS } from '../../src/contract/limits.ts';
import { connect, publishScripted } from '../support/actions.ts';
import { type Collector, startCollector } from '../support/collector.ts';
import { type FakeMcp, startMcp } from '../support/mcp-server.ts';
import { startService, type TestService } from '../support/service.ts';
import { workflowsOf } from '../support/workflows.ts';

const REPORTS = LIMITS.mcpProgressReports + 8;

let collector: Collector;
let service: TestService;
let server: FakeMcp;
beforeAll(async () => {
  collector = await startCollector();
  server = await startMcp({
    work: {
      call:
        (_, { message }) =>
        (response) => {
          const { progressToken } = (message?.params?._meta ?? {}) as { readonly progressToken?: unknown };
          const reports = Array.from({ length: REPORTS }, (_report, index) => ({
            jsonrpc: '2.0',
            method: 'notifications/progress',
            params: { progressToken, progress: index + 1, total: REPORTS, message: 'secret words' },
          }));
          const result = { jsonrpc: '2.0', id: message?.id, result: { content: [] } };
          response.writeHead(200, { 'content-type': 'text/event-stream' });
          response.end([...reports, result].map((one) => `data: ${JSON.stringify(one)}\n\n`).join(''));
        },
    },
  });
  service = await startService({
    telemetry: {
      endpoint: collector.url,
      headers: {},
      serviceName: 'parley-test',
      ratio: 1,
      capturesContent: false,
      spanDelayMs: 20,
      metricIntervalMs: 200,
    },
  });
});
afterAll(async () => {
  await service.close();
  await Promise.all([collector.close(), server.close()]);
});

describe('the span of a call of an MCP tool', () => {
  it('has the first reports of progress, without their texts', async () => {
    await connect(service, { kind: 'mcp', name: 'Worker', url: server.url });
    const { call } = await publishScripted(service, workflowsOf(service), {
      mcpServers: [{ name: 'ext', integration: 'Worker', approval: { mode: 'NEVER' } }],
    });
    expect((await call('/call ext_work')).outputs).toEqual([{ content: '' }]);
    const { events = [] } = await collector.find(({ name }) => name === 'execute_tool ext_work');
    expect(events.map(({ name }) => name)).toEqual(Array(LIMITS.mcpProgressReports).fill('mcp.progress'));
    expect(collector.bodies.join('')).not.toContain('secret words');
  });
});
