import { LIMITS } from '../../../contract/limits.ts';
import { formatCount } from '../../../contract/quantities.ts';
import type { RunFailureReason } from '../../../contract/run-failures.ts';
import type { FinishReason } from '../../../contract/statuses.ts';
import type { TraceSpan } from '../../../db/generated/client.ts';
import type { ProviderFailure } from '../../../domain/agent/model-port.ts';
import { callContentOf, contentOf, costOfStep, stepContentOf } from '../../../domain/agent/trace/reads.ts';
import type { Answer, Prompt } from '../../../domain/agent/trace/span.ts';
import { builder, type JsonObject } from '../builder.ts';
import { RunFailureReasonEnum } from '../conversations/run-failures.ts';
import { CallStatusEnum, FinishReasonEnum } from '../enums.ts';
import { tokenFields } from '../usage/token-fields.ts';

const CONTENT_NULL = 'Null: the service no longer has the key that sealed it.';

export const INPUT_SAVINGS =
  'The share of the cost of the input that the cache of the provider saved: 0.62 means 62 % cheaper. Negative if writing to the cache cost more than it saved.';

export const Attempt = builder.objectRef<ProviderFailure>('FailedAttempt').implement({
  description: 'An attempt of a model step that failed, with the response of the model provider.',
  fields: (t) => ({
    message: t.exposeString('message', { description: 'What happened.' }),
    status: t.exposeInt('status', {
      nullable: true,
      description: 'The HTTP status. Null: there was no response, or the error was in a streamed reply.',
    }),
    body: t.exposeString('body', {
      nullable: true,
      description: `The first ${formatCount(LIMITS.traceErrorLength)} characters of the response, without API keys. Null: there was no response.`,
    }),
  }),
});

const PromptObject = builder.objectRef<Prompt>('TracePrompt').implement({
  description: 'What a model step was asked.',
  fields: (t) => ({
    instructions: t.exposeString('instructions', { description: 'The instructions, with their variables filled in.' }),
    messages: t.field({
      type: ['JSONObject'],
      description: 'The latest messages with `role` and `content`, oldest first. Files are described, not contained.',
      resolve: ({ messages }) => messages as unknown as JsonObject[],
    }),
    messagesLeftOut: t.exposeInt('messagesLeftOut', {
      description: 'Number of earlier messages that the trace leaves out because of its limit.',
    }),
    tools: t.exposeStringList('tools', { description: 'The names of the offered tools.' }),
  }),
});

const AnswerObject = builder.objectRef<Answer>('TraceAnswer').implement({
  description: 'What a model answered. If the step failed: the part before the error.',
  fields: (t) => ({
    text: t.exposeString('text', { description: 'What it wrote, as one string. Empty: it only requested calls.' }),
    calls: t.field({
      type: ['JSONObject'],
      description: 'The requested calls, with `name` and `arguments`.',
      resolve: ({ calls }) => calls as unknown as JsonObject[],
    }),
  }),
});

export const Span = builder.interfaceRef<TraceSpan>('TraceSpan').implement({
  description: 'A model step, or a call of a server tool, of a turn.',
  resolveType: ({ kind }) => (kind === 'model_step' ? 'ModelStepSpan' : 'ToolCallSpan'),
  fields: (t) => ({
    spanId: t.expose('id', { type: 'UUID', description: 'The ID.' }),
    step: t.exposeInt('step', {
      description: 'The model step of the run, from 1. A call has the step that requested it.',
    }),
    startedAt: t.expose('startedAt', { type: 'DateTime', description: 'Start time.' }),
    durationMs: t.exposeInt('durationMs', { description: 'Milliseconds until the end.' }),
    requestId: t.exposeString('requestId', { description: 'The x-request-id of the request that ran it.' }),
    isTruncated: t.boolean({
      description: `Whether content is cut off: a prompt, an answer, arguments or a result of more than ${formatCount(LIMITS.traceContentLength)} characters.`,
      resolve: (span, _args, { domain }) => contentOf(domain, span)?.isTruncated ?? false,
    }),
  }),
});

builder.objectType(builder.objectRef<TraceSpan>('ModelStepSpan'), {
  name: 'ModelStepSpan',
  interfaces: [Span],
  description: 'A model step of a turn.',
  fields: (t) => ({
    model: t.exposeString('name', { description: 'The model, as provider:name.' }),
    isSummary: t.boolean({
      description:
        'Whether it wrote a summary of the conversation. If that failed, the next step got the latest message pairs.',
      resolve: (span, _args, { domain }) => stepContentOf(domain, span)?.isSummary ?? false,
    }),
    attempts: t.exposeInt('attempts', { description: 'How many times the service sent the request.' }),
    ...tokenFields((count, description) =>
      t.exposeInt(count, { nullable: true, description: `${description} Null: the step failed.` }),
    ),
    cost: t.string({
      nullable: true,
      access: { scope: 'workflows:read' },
      description:
        'The cost as a decimal number, in the currency of the workspace. Null: the step failed, the model has no price, or the caller lacks the scope. Scope: workflows:read.',
      resolve: async (span, _args, { domain }) => (await costOfStep(domain, span)).cost,
    }),
    inputSavings: t.float({
      nullable: true,
      access: { scope: 'workflows:read' },
      description: `${INPUT_SAVINGS} Null: the step failed, the model has no price, its input is free, or the caller lacks the scope. Scope: workflows:read.`,
      resolve: async (span, _args, { domain }) => (await costOfStep(domain, span)).inputSavings,
    }),
    finishReason: t.field({
      type: FinishReasonEnum,
      nullable: true,
      description: 'Why the answer ended. Null: the step failed, or the provider gave no known reason.',
      resolve: ({ finishReason }) => finishReason as FinishReason | null,
    }),
    failureReason: t.field({
      type: RunFailureReasonEnum,
      nullable: true,
      description: 'Why the step failed. Null: it did not fail, or the service stopped it.',
      resolve: ({ failureReason }) => failureReason as RunFailureReason | null,
    }),
    error: t.string({
      nullable: true,
      description: 'Why the step has no result, as a sentence. Null: it has one.',
      resolve: (span, _args, { domain }) => stepContentOf(domain, span)?.error ?? null,
    }),
    failedAttempts: t.field({
      type: [Attempt],
      description: 'The attempts that failed, in order, also those that the service repeated.',
      resolve: (span, _args, { domain }) => [...(stepContentOf(domain, span)?.failures ?? [])],
    }),
    prompt: t.field({
      type: PromptObject,
      nullable: true,
      description: `What the model was asked. ${CONTENT_NULL}`,
      resolve: (span, _args, { domain }) => stepContentOf(domain, span)?.prompt ?? null,
    }),
    answer: t.field({
      type: AnswerObject,
      nullable: true,
      description: `What the model answered. ${CONTENT_NULL}`,
      resolve: (span, _args, { domain }) => stepContentOf(domain, span)?.answer ?? null,
    }),
  }),
});

builder.objectType(builder.objectRef<TraceSpan>('ToolCallSpan'), {
  name: 'ToolCallSpan',
  interfaces: [Span],
  description: 'A call of a server tool. The service runs each call once.',
  fields: (t) => ({
    tool: t.exposeString('name', { description: 'The name of the tool.' }),
    callId: t.string({ description: 'The ID of the call in the timeline.', resolve: ({ callId }) => callId ?? '' }),
    status: t.field({
      type: CallStatusEnum,
      description: 'COMPLETED or FAILED.',
      // A call always has a status.
      resolve: ({ status }) => status ?? 'failed',
    }),
    arguments: t.field({
      type: 'JSONObject',
      nullable: true,
      description: `The arguments. If they are cut off: an object with the beginning of their JSON in \`truncated\`. ${CONTENT_NULL}`,
      resolve: (span, _args, { domain }) => (callContentOf(domain, span)?.arguments ?? null) as JsonObject | null,
    }),
    result: t.field({
      type: 'JSONObject',
      nullable: true,
      description: `The result as the model received it, or an error. If it is cut off: an object with the beginning of its JSON in \`truncated\`. ${CONTENT_NULL}`,
      resolve: (span, _args, { domain }) => (callContentOf(domain, span)?.result ?? null) as JsonObject | null,
    }),
  }),
});
