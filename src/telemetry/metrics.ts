import { ValueType } from '@opentelemetry/api';
import { emptyResource } from '@opentelemetry/resources';
import {
  AggregationTemporality,
  type CollectionResult,
  DataPointType,
  type MetricData,
  type MetricProducer,
} from '@opentelemetry/sdk-metrics';
import type { Registry } from 'prom-client';

type PrometheusMetric = Awaited<ReturnType<Registry['getMetricsAsJSON']>>[number];

interface Value {
  readonly value: number;
  readonly labels: Readonly<Record<string, string | number>>;
  /** Of a histogram: `…_bucket`, `…_sum` or `…_count`. */
  readonly metricName?: string;
}

type Time = [seconds: number, nanoseconds: number];

/** Exports the metrics of `/metrics` under the same names, so nothing is counted twice. Before it opens, it exports nothing. */
export function metricsOf(registry: () => Registry | undefined, startedMs: number): MetricProducer {
  return {
    async collect(): Promise<CollectionResult> {
      const [startTime, endTime] = [timeOf(startedMs), timeOf(Date.now())];
      const metrics = ((await registry()?.getMetricsAsJSON()) ?? []).flatMap(
        (metric) => dataOf(metric, startTime, endTime) ?? [],
      );
      const scopeMetrics = [{ scope: { name: 'parley' }, metrics }];
      return { resourceMetrics: { resource: emptyResource(), scopeMetrics }, errors: [] };
    },
  };
}

/** Returns undefined for kinds of metrics that the service does not have. */
function dataOf(metric: PrometheusMetric, startTime: Time, endTime: Time): MetricData | undefined {
  const { name, help } = metric;
  const values = metric.values as unknown as readonly Value[];
  const shared = {
    descriptor: { name, description: help, unit: name.endsWith('_seconds') ? 's' : '', valueType: ValueType.DOUBLE },
    aggregationTemporality: AggregationTemporality.CUMULATIVE,
  };
  const times = { startTime, endTime };
  const points = () => values.map(({ value, labels }) => ({ ...times, attributes: labels, value }));
  // prom-client's types say enum, its values are words.
  switch (String(metric.type)) {
    case 'counter':
      return { ...shared, dataPointType: DataPointType.SUM, isMonotonic: true, dataPoints: points() };
    case 'gauge':
      return { ...shared, dataPointType: DataPointType.GAUGE, dataPoints: points() };
    case 'histogram':
      return { ...shared, dataPointType: DataPointType.HISTOGRAM, dataPoints: histogramPoints(values, times) };
    default:
      return undefined;
  }
}

/** Prometheus counts what is below each bound, OpenTelemetry what is between two bounds. */
function histogramPoints(values: readonly Value[], times: { readonly startTime: Time; readonly endTime: Time }) {
  const groups = new Map<string, Value[]>();
  for (const value of values) {
    const { le: _, ...attributes } = value.labels;
    const key = JSON.stringify(attributes);
    groups.set(key, [...(groups.get(key) ?? []), value]);
  }
  return [...groups].map(([key, group]) => {
    const buckets = group.filter(({ metricName }) => metricName?.endsWith('_bucket'));
    const single = (suffix: string) => group.find(({ metricName }) => metricName?.endsWith(suffix))?.value ?? 0;
    return {
      ...times,
      attributes: JSON.parse(key) as Value['labels'],
      value: {
        buckets: {
          boundaries: buckets.map(({ labels }) => Number(labels.le)).filter(Number.isFinite),
          counts: buckets.map(({ value }, index) => value - (buckets[index - 1]?.value ?? 0)),
        },
        sum: single('_sum'),
        count: single('_count'),
      },
    };
  });
}

function timeOf(ms: number): Time {
  return [Math.floor(ms / 1_000), Math.floor((ms % 1_000) * 1e6)];
}
