import type { DraftStep, DraftTurnEvent, DraftTurnResult } from '../../../domain/agent/draft/draft-events.ts';
import { draftTurnStream } from '../../../domain/agent/draft/draft-turn.ts';
import type { NewCall } from '../../../domain/agent/tools/calls.ts';
import { DRAFT_TURN } from '../../../shapes/draft-turns.ts';
import { builder, type JsonObject } from '../builder.ts';
import { CallStatusEnum, CallTypeEnum, FinishReasonEnum } from '../enums.ts';
import type { DeclaredErrors } from '../mutation.ts';
import { inputType } from '../shape-fields.ts';
import { tokenFields } from '../usage/token-fields.ts';
import { withVariables } from '../variables.ts';

const DraftCall = builder.objectRef<NewCall>('DraftCall').implement({
  description: 'A tool call of a test.',
  fields: (t) => ({
    callId: t.exposeString('callId', { description: 'The ID of the call.' }),
    type: t.field({ type: CallTypeEnum, description: 'The type of the call.', resolve: ({ kind }) => kind }),
    name: t.exposeString('name', { description: 'The name of the tool.' }),
    arguments: t.field({
      type: 'JSONObject',
      description: 'The arguments of the call.',
      resolve: (call) => call.arguments as JsonObject,
    }),
    status: t.expose('status', { type: CallStatusEnum, description: 'The status of the call.' }),
    output: t.field({
      type: 'JSON',
      nullable: true,
      description: 'The result. Null: no result yet.',
      resolve: ({ output }) => output ?? null,
    }),
  }),
});

const seconds = ({ responseTimeMs }: { readonly responseTimeMs: number }) => responseTimeMs / 1_000;

const DraftStepObject = builder.objectRef<DraftStep>('DraftStep').implement({
  description: 'A model step of a test. It replaces an earlier one with the same number in the same turn.',
  fields: (t) => ({
    number: t.exposeInt('number', { description: 'The number of the step. Each turn counts from 1.' }),
    text: t.exposeString('text', { description: 'The text of the assistant. It can be empty.' }),
    calls: t.field({
      type: [DraftCall],
      description: 'The tool calls. A step without calls is the reply.',
      resolve: ({ calls }) => [...calls],
    }),
    ...tokenFields((count, description) => t.exposeInt(count, { description })),
    responseTime: t.float({ description: 'Seconds that the model took.', resolve: seconds }),
  }),
});

type Event<Kind extends DraftTurnEvent['kind']> = Extract<DraftTurnEvent, { kind: Kind }>;

const Started = builder.objectRef<Event<'start'>>('DraftTurnStarted').implement({
  description: 'The service has accepted the turn. The model is running.',
  fields: (t) => ({
    startedAt: t.field({
      type: 'DateTime',
      description: 'When it started.',
      resolve: (_event, _args, { domain }) => domain.now(),
    }),
  }),
});

const Delta = builder.objectRef<Event<'delta'>>('DraftTurnDelta').implement({
  description: 'Text that the model wrote. The step replaces it when it ends.',
  fields: (t) => ({
    number: t.exposeInt('number', { description: 'The number of the step.' }),
    text: t.exposeString('text', { description: 'Text to append to the earlier pieces.' }),
  }),
});

const Stepped = builder.objectRef<Event<'step'>>('DraftTurnStepped').implement({
  description: 'A model step ended, or a call of it has a result.',
  fields: (t) => ({ step: t.expose('step', { type: DraftStepObject, description: 'The step in its current state.' }) }),
});

const result =
  <Value>(read: (result: DraftTurnResult) => Value) =>
  (event: Event<'done'>) =>
    read(event.result);

const Done = builder.objectRef<Event<'done'>>('DraftTurnDone').implement({
  description: 'The turn ended, or waits for the outputs of its client tools.',
  fields: (t) => ({
    content: t.field({
      type: 'ReplyContent',
      nullable: true,
      description: "The assistant's reply. Null: calls of the last step wait for their outputs.",
      resolve: result(({ content }) => content),
    }),
    finishReason: t.field({
      type: FinishReasonEnum,
      nullable: true,
      description: 'Why the reply ended. Null: there is no reply, or the provider gave no known reason.',
      resolve: result(({ finishReason }) => finishReason),
    }),
    completesConversation: t.boolean({
      description: 'Whether a deployment would complete the conversation now.',
      resolve: result(({ completesConversation }) => completesConversation),
    }),
    model: t.string({ description: 'The model, as provider:name.', resolve: result(({ model }) => model) }),
    ...tokenFields((count, description) => t.int({ description, resolve: result((usage) => usage[count]) })),
    responseTime: t.float({ description: 'Seconds from the request to the end.', resolve: result(seconds) }),
    workflowLogId: t.field({
      type: 'SafeInt',
      description: 'The ID of its entry in the workflow log.',
      resolve: result(({ workflowLogId }) => workflowLogId),
    }),
  }),
});

const TYPES = { start: Started, delta: Delta, step: Stepped, done: Done } as const;

const DraftTurnEventUnion = builder.unionType('DraftTurnEvent', {
  description: 'An event of a turn of a test: one start, deltas and steps, one done.',
  types: Object.values(TYPES),
  resolveType: ({ kind }) => TYPES[kind],
});

builder.subscriptionField('draftTurn', (t) =>
  t.field({
    type: DraftTurnEventUnion,
    access: { scope: 'workflows:write' },
    extensions: {
      errors: ['invalid_request', 'not_found', 'missing_tool_results', 'invalid_tool_result'],
    } satisfies DeclaredErrors,
    description:
      "Runs a turn of a test with a workflow's draft or version, and streams it. Server actions run, but calls that need an approval fail. The service stores only an entry in the workflow log, which has no deployment. If the caller disconnects, the turn stops. Scope: workflows:write.",
    args: { input: t.arg({ type: inputType(DRAFT_TURN), required: true, description: 'The test.' }) },
    subscribe: (_root, { input: { workflowId, ...test } }, context) => {
      if (test.source) context.requireScope('conversations:read');
      return draftTurnStream(context.domain, workflowId, withVariables(test));
    },
    resolve: (event) => event,
  }),
);
