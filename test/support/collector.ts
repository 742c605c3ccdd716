import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { until } from './until.ts';

type Value = { readonly stringValue?: string; readonly intValue?: number; readonly arrayValue?: unknown };

/** A span as OTLP/JSON sends it. */
interface WireSpan {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly name: string;
  readonly kind: number;
  readonly status: { readonly code?: number };
  readonly attributes: readonly { readonly key: string; readonly value: Value }[];
  readonly events?: readonly { readonly name: string }[];
}

export interface CollectedSpan extends Omit<WireSpan, 'attributes'> {
  readonly attributes: Readonly<Record<string, unknown>>;
}

/** An OTLP/HTTP receiver on this machine. */
export interface Collector {
  readonly url: string;
  readonly spans: CollectedSpan[];
  /** Names of metrics, with their points. */
  readonly metrics: Map<string, readonly unknown[]>;
  /** Every body as text. */
  readonly bodies: string[];
  readonly headers: IncomingHttpHeaders[];
  /** Waits for a span. */
  find(matches: (span: CollectedSpan) => boolean): Promise<CollectedSpan>;
  close(): Promise<void>;
}

export async function startCollector(): Promise<Collector> {
  const spans: CollectedSpan[] = [];
  const metrics = new Map<string, readonly unknown[]>();
  const bodies: string[] = [];
  const headers: IncomingHttpHeaders[] = [];
  const server = createServer(async (request, response) => {
    const body = await text(request);
    bodies.push(body);
    headers.push(request.headers);
    const { resourceSpans = [], resourceMetrics = [] } = JSON.parse(body);
    for (const { scopeSpans } of resourceSpans)
      for (const { spans: found } of scopeSpans) spans.push(...found.map(collected));
    for (const { scopeMetrics } of resourceMetrics)
      for (const scope of scopeMetrics)
        for (const { name, sum, gauge, histogram } of scope.metrics)
          metrics.set(name, (sum ?? gauge ?? histogram).dataPoints);
    response.writeHead(200, { 'content-type': 'application/json' }).end('{}');
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    spans,
    metrics,
    bodies,
    headers,
    find: (matches) => until(async () => spans.find(matches)),
    async close() {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
}

function collected({ attributes, ...span }: WireSpan): CollectedSpan {
  const values = attributes.map(({ key, value }) => [key, value.stringValue ?? value.intValue ?? value.arrayValue]);
  return { ...span, attributes: Object.fromEntries(values) };
}
