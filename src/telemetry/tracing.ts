import { type Attributes, SpanKind } from '@opentelemetry/api';
import type { Usage } from '../contract/token-usage.ts';
import type { Tracing } from '../domain/tracing.ts';
import type { MeasureStep } from './model-metrics.ts';
import { fail, type Spans } from './spans.ts';
import { readTraceParent, traceParentOf } from './trace-context.ts';

/** The version of the semantic conventions that the names of spans and attributes follow. */
export const SCHEMA_URL = 'https://opentelemetry.io/schemas/1.37.0';

const MAX_NAME = 100;

/**
 * Creates the spans of the domain, and measures model steps whether their trace is recorded or not. With
 * `capturesContent` spans contain prompts, replies, arguments and results.
 */
export function createTracing(spans: Spans, measureStep: MeasureStep, capturesContent: boolean): Tracing {
  const content = (attributes: Record<string, unknown>): Attributes =>
    capturesContent ? Object.fromEntries(Object.entries(attributes).map(([name, value]) => [name, textOf(value)])) : {};
  const headers = () => {
    const { current } = spans;
    return current ? { traceparent: traceParentOf(current.spanContext()) } : {};
  };
  return {
    headers,
    operation: ({ kind, name: given }, work) => {
      const name = given?.slice(0, MAX_NAME);
      const attributes = { 'graphql.operation.type': kind, ...(name && { 'graphql.operation.name': name }) };
      return spans.run({ name: name ? `${kind} ${name}` : kind, kind: SpanKind.INTERNAL, attributes }, work);
    },
    turn: ({ runId, conversationId, deploymentId, requestId }, work) =>
      spans.run(
        {
          name: 'invoke_agent',
          kind: SpanKind.INTERNAL,
          conversationId,
          attributes: {
            'gen_ai.operation.name': 'invoke_agent',
            'gen_ai.provider.name': 'parley',
            'gen_ai.agent.id': deploymentId,
            'gen_ai.conversation.id': conversationId,
            'parley.run.id': runId,
            'parley.request.id': requestId,
          },
        },
        work,
      ),
    modelStep({ model, instructions, messages }, work) {
      const request = {
        'gen_ai.operation.name': 'chat',
        'gen_ai.provider.name': providerName(model),
        'gen_ai.request.model': modelName(model),
      };
      return spans.run(
        {
          name: `chat ${modelName(model)}`,
          kind: SpanKind.CLIENT,
          attributes: {
            ...request,
            ...conversationOf(spans),
            ...content({ 'gen_ai.system_instructions': instructions, 'gen_ai.input.messages': messages }),
          },
        },
        () => measureStep(request, work),
        ({ finishReason, calls, text, ...usage }, span) =>
          span.setAttributes({
            'gen_ai.response.finish_reasons': [finishReason ?? (calls.length > 0 ? 'tool_calls' : 'stop')],
            ...usageAttributes(usage),
            ...content({ 'gen_ai.output.messages': { text, calls } }),
          }),
      );
    },
    action: ({ callId, name, source, arguments: args }, work) =>
      spans.run(
        {
          name: `execute_tool ${name}`,
          kind: SpanKind.INTERNAL,
          attributes: {
            'gen_ai.operation.name': 'execute_tool',
            'gen_ai.tool.name': name,
            'gen_ai.tool.call.id': callId,
            'gen_ai.tool.type': source === 'resource' ? 'datastore' : 'extension',
            'parley.action.source': source,
            ...conversationOf(spans),
            ...content({ 'gen_ai.tool.call.arguments': args }),
          },
        },
        work,
        ({ status, output }, span) => {
          if (status === 'failed') fail(span, 'tool_failed');
          span.setAttributes(content({ 'gen_ai.tool.call.result': output }));
        },
      ),
    progress: ({ progress, total }) => {
      spans.current?.addEvent('mcp.progress', {
        'mcp.progress': progress,
        ...(total !== undefined && { 'mcp.progress.total': total }),
      });
    },
    delivery: ({ messageId, endpointId, type, traceparent }, work) =>
      spans.run(
        {
          name: 'send webhook',
          kind: SpanKind.CLIENT,
          parent: readTraceParent(traceparent),
          attributes: {
            'messaging.operation.name': 'send',
            'messaging.message.id': messageId,
            'parley.webhook.endpoint.id': endpointId,
            ...(type !== undefined && { 'parley.event.type': type }),
          },
        },
        work,
        ({ delivered, responseStatus }, span) => {
          if (responseStatus !== null) span.setAttribute('http.response.status_code', responseStatus);
          if (!delivered) fail(span, responseStatus === null ? 'no_response' : String(responseStatus));
        },
      ),
  };
}

/** The total of the input includes the tokens of the cache, as the conventions demand. */
function usageAttributes(usage: Usage): Attributes {
  return {
    'gen_ai.usage.input_tokens': usage.inputTokens,
    'gen_ai.usage.cache_read.input_tokens': usage.cachedInputTokens,
    'gen_ai.usage.cache_creation.input_tokens': usage.cacheWriteTokens,
    'gen_ai.usage.output_tokens': usage.outputTokens,
  };
}

function conversationOf({ conversationId }: Spans): Attributes {
  return conversationId === undefined ? {} : { 'gen_ai.conversation.id': conversationId };
}

/** `provider:NAME` → NAME. */
function modelName(model: string): string {
  return model.slice(model.indexOf(':') + 1);
}

function providerName(model: string): string {
  return model.includes(':') ? model.slice(0, model.indexOf(':')) : 'parley';
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value));
