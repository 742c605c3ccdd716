import {
  AggregationTemporality,
  InMemoryMetricExporter,
  MeterProvider,
  PeriodicExportingMetricReader,
} from '@opentelemetry/sdk-metrics';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { NO_USAGE } from '../../src/contract/token-usage.ts';
import { type MeasureStep, modelMetrics } from '../../src/telemetry/model-metrics.ts';

const REQUEST = { 'gen_ai.operation.name': 'chat', 'gen_ai.request.model': 'm' };

describe('the metrics of a model step', () => {
  let exporter: InMemoryMetricExporter;
  let meters: MeterProvider;
  let measureStep: MeasureStep;
  beforeEach(() => {
    exporter = new InMemoryMetricExporter(AggregationTemporality.CUMULATIVE);
    meters = new MeterProvider({ readers: [new PeriodicExportingMetricReader({ exporter })] });
    measureStep = modelMetrics(meters.getMeter('test'));
  });
  afterEach(() => meters.shutdown());

  async function exported(): Promise<Record<string, object[]>> {
    await meters.forceFlush();
    const scopes = exporter.getMetrics().at(-1)?.scopeMetrics ?? [];
    return Object.fromEntries(
      scopes.flatMap(({ metrics }) =>
        metrics.map(({ descriptor, dataPoints }) => [
          descriptor.name,
          dataPoints.map(({ attributes, value }) => ({ attributes, value })),
        ]),
      ),
    );
  }

  it('have the tokens that the provider reports, and the step is returned unchanged', async () => {
    const step = { inputTokens: 12, cachedInputTokens: 8, cacheWriteTokens: 3, outputTokens: 0 };
    expect(await measureStep(REQUEST, async () => step)).toBe(step);
    const metrics = await exported();
    expect(metrics['gen_ai.client.token.usage']).toMatchObject([
      { attributes: { ...REQUEST, 'gen_ai.token.type': 'input' }, value: { sum: 12, count: 1 } },
      { attributes: { ...REQUEST, 'gen_ai.token.type': 'output' }, value: { sum: 0, count: 1 } },
    ]);
    expect(metrics['parley.model.cache.tokens']).toMatchObject([
      { attributes: { ...REQUEST, 'parley.cache.access': 'read' }, value: 8 },
      { attributes: { ...REQUEST, 'parley.cache.access': 'write' }, value: 3 },
    ]);
  });

  it('have no tokens if the provider does not report them', async () => {
    await measureStep(REQUEST, async () => NO_USAGE);
    const metrics = await exported();
    expect(metrics['gen_ai.client.operation.duration']).toHaveLength(1);
    expect(metrics['gen_ai.client.token.usage'] ?? []).toEqual([]);
  });

  it('have the class of an error, never its message, and the error is passed on', async () => {
    const error = new RangeError('what the user wrote');
    await expect(measureStep(REQUEST, () => Promise.reject(error))).rejects.toBe(error);
    expect((await exported())['gen_ai.client.operation.duration']).toMatchObject([
      { attributes: { ...REQUEST, 'error.type': 'RangeError' } },
    ]);
  });
});
