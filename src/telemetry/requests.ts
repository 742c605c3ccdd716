import { SpanKind } from '@opentelemetry/api';
import type { Request, RequestHandler } from 'express';
import { fail, type Spans } from './spans.ts';
import { readTraceParent } from './trace-context.ts';

/** Monitoring systems call these every few seconds. */
const UNTRACED = new Set(['/healthz', '/readyz', '/metrics']);

/** Creates a span for each request, within the trace of its header `traceparent`. It ends with the response. */
export function requestSpans(spans: Spans): RequestHandler {
  return (request, response, next) => {
    if (UNTRACED.has(request.path)) return next();
    const { method, headers, path } = request;
    const span = spans.start({
      name: method,
      kind: SpanKind.SERVER,
      parent: readTraceParent(headers.traceparent),
      attributes: { 'http.request.method': method, 'url.path': path, 'url.scheme': request.protocol },
    });
    request.traceId = span.spanContext().traceId;
    response.setHeader('x-trace-id', request.traceId);
    response.on('close', () => {
      const { statusCode } = response;
      const route = routeOf(request);
      if (route !== undefined) span.updateName(`${method} ${route}`).setAttribute('http.route', route);
      span.setAttributes({ 'http.response.status_code': statusCode, 'parley.request.id': String(request.id) });
      if (statusCode >= 500) fail(span, String(statusCode));
      span.end();
    });
    return spans.within(span, next);
  };
}

function routeOf({ route, baseUrl }: Request): string | undefined {
  return (route as { path?: string } | undefined)?.path ?? (baseUrl || undefined);
}
