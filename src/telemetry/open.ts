import { randomUUID } from 'node:crypto';
import { OTLPMetricExporter } from '@opentelemetry/exporter-metrics-otlp-http';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { resourceFromAttributes } from '@opentelemetry/resources';
import { MeterProvider, PeriodicExportingMetricReader } from '@opentelemetry/sdk-metrics';
import {
  BasicTracerProvider,
  BatchSpanProcessor,
  ParentBasedSampler,
  TraceIdRatioBasedSampler,
} from '@opentelemetry/sdk-trace-base';
import type { RequestHandler } from 'express';
import type pg from 'pg';
import type { Registry } from 'prom-client';
import type { Tracing } from '../domain/tracing.ts';
import { traceStatements } from './database.ts';
import { metricsOf } from './metrics.ts';
import { modelMetrics } from './model-metrics.ts';
import { requestSpans } from './requests.ts';
import { Spans } from './spans.ts';
import { createTracing, SCHEMA_URL } from './tracing.ts';

/** Where and what to export. */
export interface TelemetrySettings {
  /** The base URL of an OTLP/HTTP receiver, without `/v1/traces`. */
  readonly endpoint: string;
  /** Sent with each export. They can contain credentials. */
  readonly headers: Readonly<Record<string, string>>;
  readonly serviceName: string;
  /** The share of traces that this service begins and exports. */
  readonly ratio: number;
  readonly capturesContent: boolean;
  readonly spanDelayMs: number;
  readonly metricIntervalMs: number;
}

/** The telemetry of a process. */
export interface Telemetry {
  readonly tracing: Tracing;
  readonly requestSpans: RequestHandler;
  /** From now on exports the metrics of `/metrics` too. */
  exportMetrics(registry: Registry): void;
  /** Sends what is left, within some seconds. Never throws. */
  close(): Promise<void>;
}

/** Spans that wait for export. More are dropped. */
const MAX_QUEUED_SPANS = 2_048;

const EXPORT_TIMEOUT_MS = 5_000;

/** Attribute values are cut at this length. */
const MAX_ATTRIBUTE_LENGTH = 16_384;

/** Starts to export traces and metrics. Opened before the first statement, because it traces only later connections of the pool. */
export function openTelemetry(
  { endpoint, headers, serviceName, ratio, capturesContent, ...times }: TelemetrySettings,
  { pool, version }: { readonly pool: pg.Pool; readonly version: string },
): Telemetry {
  const resource = resourceFromAttributes({
    'service.name': serviceName,
    'service.version': version,
    'service.instance.id': randomUUID(),
  });
  const shared = { headers, timeoutMillis: EXPORT_TIMEOUT_MS };
  const tracers = new BasicTracerProvider({
    resource,
    sampler: new ParentBasedSampler({ root: new TraceIdRatioBasedSampler(ratio) }),
    generalLimits: { attributeValueLengthLimit: MAX_ATTRIBUTE_LENGTH },
    spanProcessors: [
      new BatchSpanProcessor(new OTLPTraceExporter({ ...shared, url: `${endpoint}/v1/traces` }), {
        maxQueueSize: MAX_QUEUED_SPANS,
        scheduledDelayMillis: times.spanDelayMs,
        exportTimeoutMillis: EXPORT_TIMEOUT_MS,
      }),
    ],
  });
  let registry: Registry | undefined;
  const reader = new PeriodicExportingMetricReader({
    exporter: new OTLPMetricExporter({ ...shared, url: `${endpoint}/v1/metrics` }),
    exportIntervalMillis: times.metricIntervalMs,
    exportTimeoutMillis: Math.min(EXPORT_TIMEOUT_MS, times.metricIntervalMs),
    metricProducers: [metricsOf(() => registry, Date.now())],
  });
  const meters = new MeterProvider({ resource, readers: [reader] });
  const conventions = { schemaUrl: SCHEMA_URL };
  const spans = new Spans(tracers.getTracer('parley', version, conventions));
  const measureStep = modelMetrics(meters.getMeter('parley', version, conventions));
  const tracing = createTracing(spans, measureStep, capturesContent);
  traceStatements(pool, spans);
  return {
    tracing,
    requestSpans: requestSpans(spans),
    exportMetrics(ofProcess) {
      registry = ofProcess;
    },
    async close() {
      await Promise.allSettled([tracers.shutdown(), meters.shutdown()]);
    },
  };
}
