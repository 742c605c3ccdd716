import { type OneShotEvent, type OneShotRun, oneShotStream, runOnce } from '../domain/agent/one-shot.ts';
import { builder } from './builder.ts';
import { runnerAccess } from './field-scope.ts';
import { OneShotInput } from './turn-inputs.ts';
import { DEPLOYMENT_ARG } from './turns.ts';

export const OneShotRunObject = builder.objectRef<OneShotRun>('OneShotRun').implement({
  description: 'A reply outside of any conversation. Nothing is kept of it but its line in the workflow log.',
  fields: (t) => ({
    content: t.expose('content', { type: 'ReplyContent', description: "The assistant's reply; may be empty." }),
    model: t.exposeString('model', { description: 'The model that answered, as provider:name.' }),
    inputTokens: t.exposeInt('inputTokens', { description: 'Tokens read by the model.' }),
    outputTokens: t.exposeInt('outputTokens', { description: 'Tokens written by the model.' }),
    responseTime: t.float({
      description: 'Seconds from acceptance to the reply, to the millisecond.',
      resolve: ({ responseTimeMs }) => responseTimeMs / 1_000,
    }),
    requestId: t.string({
      description: 'The x-request-id of this request.',
      resolve: (_run, _args, { requestId }) => requestId,
    }),
    workflowLogId: t.expose('workflowLogId', { type: 'SafeInt', description: 'Its line in the workflow log.' }),
  }),
});

const INPUT_ARG = { type: OneShotInput, required: true, description: 'The message.' } as const;

builder.mutationField('runOnce', (t) =>
  t.field({
    type: OneShotRunObject,
    ...runnerAccess('conversations:write'),
    description:
      'Answers one message outside of any conversation. Client tools are not offered. Scope: conversations:write.',
    args: { deploymentId: t.arg(DEPLOYMENT_ARG), input: t.arg(INPUT_ARG) },
    resolve: (_root, { deploymentId, input }, { domain }) => runOnce(domain, deploymentId, input),
  }),
);

type Event<Kind extends OneShotEvent['kind']> = Extract<OneShotEvent, { kind: Kind }>;

const OneShotEventInterface = builder.interfaceRef<OneShotEvent>('OneShotEvent').implement({
  description: 'One event of a one-shot reply that is read as it is made: start, any number of deltas, done.',
  resolveType: ({ kind }) => ({ start: 'OneShotStarted', delta: 'OneShotDelta', done: 'OneShotDone' })[kind],
  fields: (t) => ({ event: t.exposeString('kind', { description: 'start, delta or done.' }) }),
});

builder.objectRef<Event<'start'>>('OneShotStarted').implement({
  description: 'The message is accepted, and the model is at work.',
  interfaces: [OneShotEventInterface],
});

builder.objectRef<Event<'delta'>>('OneShotDelta').implement({
  description: 'The next piece of the reply.',
  interfaces: [OneShotEventInterface],
  fields: (t) => ({ text: t.exposeString('text', { description: 'To be put behind the pieces before it.' }) }),
});

builder.objectRef<Event<'done'>>('OneShotDone').implement({
  description: 'The reply is whole.',
  interfaces: [OneShotEventInterface],
  fields: (t) => ({ run: t.expose('run', { type: OneShotRunObject, description: 'The whole answer.' }) }),
});

builder.subscriptionField('oneShotStream', (t) =>
  t.field({
    type: OneShotEventInterface,
    ...runnerAccess('conversations:write'),
    description:
      'A one-shot reply as it is made. Whoever goes away stops it, and nothing is kept. Scope: conversations:write.',
    args: { deploymentId: t.arg(DEPLOYMENT_ARG), input: t.arg(INPUT_ARG) },
    subscribe: (_root, { deploymentId, input }, { domain }) => oneShotStream(domain, deploymentId, input),
    resolve: (event) => event,
  }),
);
