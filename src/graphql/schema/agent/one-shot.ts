import { type OneShotEvent, type OneShotRun, oneShotStream, runOnce } from '../../../domain/agent/one-shot.ts';
import { runnerAccess } from '../../../operation/access.ts';
import { builder } from '../builder.ts';
import { FinishReasonEnum } from '../enums.ts';
import { ReplyEventEnum } from '../events/event-enums.ts';
import { type DeclaredErrors, mutation } from '../mutation.ts';
import { tokenFields } from '../usage/token-fields.ts';
import { withVariables } from '../variables.ts';
import { ONE_SHOT_ERRORS } from './turn-errors.ts';
import { RunOnceInput } from './turn-inputs.ts';

export const OneShotRunObject = builder.objectRef<OneShotRun>('OneShotRun').implement({
  description: 'A reply without a conversation. The service stores only its entry in the workflow log.',
  fields: (t) => ({
    content: t.expose('content', { type: 'ReplyContent', description: "The assistant's reply. It can be empty." }),
    model: t.exposeString('model', { description: 'The model, as provider:name.' }),
    finishReason: t.expose('finishReason', {
      type: FinishReasonEnum,
      nullable: true,
      description: 'Why the reply ended. Null: unknown.',
    }),
    ...tokenFields((count, description) => t.exposeInt(count, { description })),
    responseTime: t.float({
      description: 'Seconds from the acceptance of the request to the reply, with a precision of one millisecond.',
      resolve: ({ responseTimeMs }) => responseTimeMs / 1_000,
    }),
    requestId: t.string({
      description: 'The x-request-id of the request.',
      resolve: (_run, _args, { requestId }) => requestId,
    }),
    workflowLogId: t.expose('workflowLogId', {
      type: 'SafeInt',
      description: 'The ID of its entry in the workflow log.',
    }),
  }),
});

mutation('runOnce', {
  publishing: 'acts',
  access: { ...runnerAccess('conversations:write'), ownerless: true },
  description:
    'Replies to one message without a conversation. The model gets no client tools. Scope: conversations:write.',
  input: RunOnceInput,
  errors: ONE_SHOT_ERRORS,
  resolve: ({ deploymentId, ...message }, { domain }) => runOnce(domain, deploymentId, withVariables(message)),
  payload: (t) => ({ run: t.field({ type: OneShotRunObject, description: 'The reply.', resolve: (run) => run }) }),
});

type Event<Kind extends OneShotEvent['kind']> = Extract<OneShotEvent, { kind: Kind }>;

const OneShotEventInterface = builder.interfaceRef<OneShotEvent>('OneShotEvent').implement({
  description: 'An event of a streamed one-shot reply: one start, any number of deltas, one done.',
  resolveType: ({ kind }) => ({ start: 'OneShotStarted', delta: 'OneShotDelta', done: 'OneShotDone' })[kind],
  fields: (t) => ({ event: t.expose('kind', { type: ReplyEventEnum, description: 'The type of the event.' }) }),
});

builder.objectRef<Event<'start'>>('OneShotStarted').implement({
  extensions: { eventName: 'start' },
  description: 'The service has accepted the message. The model is running.',
  interfaces: [OneShotEventInterface],
});

builder.objectRef<Event<'delta'>>('OneShotDelta').implement({
  extensions: { eventName: 'delta' },
  description: 'The next piece of the reply.',
  interfaces: [OneShotEventInterface],
  fields: (t) => ({ text: t.exposeString('text', { description: 'Text to append to the earlier pieces.' }) }),
});

builder.objectRef<Event<'done'>>('OneShotDone').implement({
  extensions: { eventName: 'done' },
  description: 'The reply is complete.',
  interfaces: [OneShotEventInterface],
  fields: (t) => ({ run: t.expose('run', { type: OneShotRunObject, description: 'The complete result.' }) }),
});

builder.subscriptionField('oneShotStream', (t) =>
  t.field({
    type: OneShotEventInterface,
    access: { ...runnerAccess('conversations:write'), ownerless: true },
    extensions: { errors: ONE_SHOT_ERRORS } satisfies DeclaredErrors,
    description:
      'Streams a one-shot reply. If the client disconnects, the run stops and the service stores nothing. Scope: conversations:write.',
    args: { input: t.arg({ type: RunOnceInput, required: true, description: 'The message.' }) },
    subscribe: (_root, { input: { deploymentId, ...message } }, { domain }) =>
      oneShotStream(domain, deploymentId, withVariables(message)),
    resolve: (event) => event,
  }),
);
