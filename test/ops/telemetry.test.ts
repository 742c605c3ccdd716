import type { IncomingHttpHeaders } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { connect, publishScripted } from '../support/actions.ts';
import { type CollectedSpan, type Collector, startCollector } from '../support/collector.ts';
import { busyMs } from '../support/event-loop.ts';
import { type FileServer, startFileServer } from '../support/file-server.ts';
import { type Receiver, startReceiver } from '../support/receiver.ts';
import { startService, type TestService } from '../support/service.ts';
import { until } from '../support/until.ts';
import { makeEndpoint } from '../support/webhooks.ts';
import { workflowsOf } from '../support/workflows.ts';

const SECRET = 'token-of-the-integration';
const WORDS = 'unmistakable-words';
const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';
const TRACEPARENT = `00-${TRACE}-00f067aa0ba902b7-01`;

const settings = (endpoint: string, capturesContent = false) => ({
  endpoint,
  headers: { 'x-collector-key': 'of the operator' },
  serviceName: 'parley-test',
  ratio: 1,
  capturesContent,
  spanDelayMs: 20,
  metricIntervalMs: 200,
});

describe('a service that exports telemetry', () => {
  let collector: Collector;
  let service: TestService;
  let shop: FileServer;
  let receiver: Receiver;
  const actionHeaders: IncomingHttpHeaders[] = [];
  let turn: Awaited<ReturnType<typeof publishScripted>>['turn'];
  beforeAll(async () => {
    collector = await startCollector();
    receiver = await startReceiver();
    shop = await startFileServer({
      '/orders': (request, response) => {
        actionHeaders.push(request.headers);
        response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ found: WORDS }));
      },
    });
    service = await startService({ telemetry: settings(collector.url) });
    const headers = [{ name: 'Authorization', value: `Bearer ${SECRET}` }];
    await connect(service, { kind: 'http', name: 'Shop', url: `${shop.url}/`, headers });
    const httpActions = [{ name: 'find', integration: 'Shop', url: '/orders', inputSchema: { type: 'object' } }];
    ({ turn } = await publishScripted(service, workflowsOf(service), { httpActions }));
    await makeEndpoint(service, receiver.url, { eventTypes: ['RUN_COMPLETED'] });
    const { status } = await turn(`/call find {"word":"${WORDS}"}`, {}, { headers: { traceparent: TRACEPARENT } });
    expect(status).toBe(200);
  });
  afterAll(async () => {
    await service.close();
    await Promise.all([collector.close(), shop.close(), receiver.close()]);
  });

  const named = (name: string) =>
    collector.find((span) => span.traceId === TRACE && (span.name === name || span.name.startsWith(`${name} `)));

  const isWithin = (child: CollectedSpan, parent: CollectedSpan): boolean => {
    const next = collector.spans.find(({ spanId }) => spanId === child.parentSpanId);
    return next !== undefined && (next.spanId === parent.spanId || isWithin(next, parent));
  };

  const pointsOf = (metric: string) =>
    ((collector.metrics.get(metric) ?? []) as (Omit<Point, 'facts'> & { attributes: Attribute[] })[]).map(
      ({ attributes, ...point }): Point => ({
        ...point,
        facts: Object.fromEntries(attributes.map(({ key, value }) => [key, value.stringValue])),
      }),
    );

  it('continues the trace of the caller from the request to the webhook', async () => {
    const request = await named('POST');
    expect(request).toMatchObject({ parentSpanId: '00f067aa0ba902b7', kind: 2 });
    const operation = await named('mutation');
    const agent = await named('invoke_agent');
    const [chat, tool, webhook] = await Promise.all([named('chat'), named('execute_tool'), named('send webhook')]);
    const statement = await collector.find((span) => span.traceId === TRACE && 'db.system.name' in span.attributes);
    for (const [child, parent] of [
      [operation, request],
      [agent, operation],
      [chat, agent],
      [tool, agent],
      [statement, request],
    ] as const)
      expect(isWithin(child, parent), `${child.name} in ${parent.name}`).toBe(true);
    expect(collector.spans.some((span) => 'db.system.name' in span.attributes && isWithin(span, agent))).toBe(true);
    expect(isWithin(webhook, request)).toBe(true);
  });

  it('names model steps and tools as the GenAI conventions do', async () => {
    const [agent, chat, tool] = await Promise.all(['invoke_agent', 'chat', 'execute_tool'].map(named));
    expect(chat).toMatchObject({
      name: 'chat demo',
      attributes: {
        'gen_ai.operation.name': 'chat',
        'gen_ai.request.model': 'demo',
        'gen_ai.usage.input_tokens': expect.any(Number),
        'gen_ai.usage.cache_read.input_tokens': 0,
        'gen_ai.usage.cache_creation.input_tokens': 0,
        'gen_ai.usage.output_tokens': expect.any(Number),
        'gen_ai.conversation.id': agent?.attributes['gen_ai.conversation.id'],
      },
    });
    expect(tool).toMatchObject({
      name: 'execute_tool find',
      attributes: { 'gen_ai.tool.name': 'find', 'gen_ai.tool.call.id': expect.stringMatching(/^call_/) },
    });
  });

  it('passes the trace to the receivers of actions and webhooks, within the span that sends', async () => {
    const [tool, webhook] = await Promise.all([named('execute_tool'), named('send webhook')]);
    expect(actionHeaders[0]?.traceparent).toBe(`00-${TRACE}-${tool.spanId}-01`);
    const [message] = await receiver.waitForCount(1);
    expect(message?.headers.traceparent).toBe(`00-${TRACE}-${webhook.spanId}-01`);
  });

  it('returns the trace ID with errors, and logs it', async () => {
    const { status, headers } = await service.send('GET', '/v1/resources/res_unknown');
    expect(status).toBe(404);
    const traceId = headers.get('x-trace-id');
    expect(traceId).toMatch(/^[\da-f]{32}$/);
    await until(async () => service.logLines.some((line) => JSON.parse(line).trace_id === traceId));
    await collector.find((span) => span.traceId === traceId && span.attributes['http.response.status_code'] === 404);
  });

  it('begins a trace of its own for an invalid traceparent', async () => {
    const headers = { traceparent: `00-${'0'.repeat(32)}-00f067aa0ba902b7-01` };
    const response = await service.send('GET', '/v1/resources', { headers });
    expect(response.headers.get('x-trace-id')).not.toBe('0'.repeat(32));
  });

  it('exports the metrics of /metrics, and sends the headers of the operator', async () => {
    const turns = await until(async () => {
      const points = collector.metrics.get('parley_turns_total') ?? [];
      return points.length > 0 && points;
    });
    expect(turns).toMatchObject([
      { asDouble: 1, attributes: [{ key: 'outcome', value: { stringValue: 'completed' } }] },
    ]);
    const [steps] = (collector.metrics.get('parley_model_step_duration_seconds') ?? []) as Histogram[];
    expect(steps?.bucketCounts.reduce((sum, count) => sum + Number(count), 0)).toBe(Number(steps?.count));
    expect(collector.headers[0]?.['x-collector-key']).toBe('of the operator');
  });

  it('counts the time and the tokens of model steps as the GenAI conventions do', async () => {
    const steps = await until(async () => {
      const points = pointsOf('gen_ai.client.operation.duration');
      return points.length > 0 && points;
    });
    const facts = {
      'gen_ai.operation.name': 'chat',
      'gen_ai.provider.name': 'parley',
      'gen_ai.request.model': 'demo',
    };
    // The turn that calls an action has two steps.
    expect(steps).toMatchObject([{ facts, count: 2 }]);
    expect(steps[0]?.explicitBounds).toHaveLength(14);
    expect(steps[0]?.explicitBounds.at(-1)).toBeCloseTo(81.92);
    const tokens = pointsOf('gen_ai.client.token.usage');
    expect(tokens.map((point) => point.facts['gen_ai.token.type']).toSorted()).toEqual(['input', 'output']);
    for (const point of tokens) {
      expect(point).toMatchObject({ facts, count: 2 });
      expect(point.sum).toBeGreaterThan(0);
      expect(point.explicitBounds.at(-1)).toBe(67_108_864);
    }
  });

  it('exports no message, argument, result, key or secret', async () => {
    await named('send webhook');
    for (const text of [WORDS, SECRET, service.key, service.owner.password])
      expect(collector.bodies.filter((body) => body.includes(text))).toEqual([]);
  });
});

interface Attribute {
  readonly key: string;
  readonly value: { readonly stringValue: string };
}

/** A point of a histogram, with its attributes by name. */
interface Point {
  readonly facts: Readonly<Record<string, string>>;
  readonly count: number;
  readonly sum: number;
  readonly explicitBounds: readonly number[];
}

interface Histogram {
  readonly bucketCounts: readonly number[];
  readonly count: number;
}

it('exports content only with the explicit setting', async () => {
  const collector = await startCollector();
  const service = await startService({ telemetry: settings(collector.url, true) });
  await service.agentTurn(WORDS);
  const { attributes } = await collector.find(({ name }) => name === 'chat demo');
  expect(attributes['gen_ai.input.messages']).toContain(WORDS);
  expect(attributes['gen_ai.output.messages']).toContain(WORDS);
  await service.close();
  await collector.close();
});

it('serves as before while the receiver is down, and stops without waiting for it', async () => {
  const service = await startService({ telemetry: settings('http://127.0.0.1:9') });
  expect((await service.agentTurn('Hello')).status).toBe(200);
  const startedMs = performance.now();
  await service.close();
  expect(performance.now() - startedMs).toBeLessThan(busyMs(20_000));
});
