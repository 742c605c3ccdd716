import { type ReplyEvent, replyStream } from '../domain/agent/reply-stream.ts';
import { builder } from './builder.ts';
import { runnerAccess } from './field-scope.ts';
import { MessageInput } from './turn-inputs.ts';
import { DEPLOYMENT_ARG, FinishedTurnObject } from './turns.ts';

type Event<Kind extends ReplyEvent['kind']> = Extract<ReplyEvent, { kind: Kind }>;

const ReplyEventInterface = builder.interfaceRef<ReplyEvent>('ReplyEvent').implement({
  description: 'One event of a reply that is read as it is made: start, any number of deltas, done.',
  resolveType: ({ kind }) => ({ start: 'ReplyStarted', delta: 'ReplyDelta', done: 'ReplyDone' })[kind],
  fields: (t) => ({ event: t.exposeString('kind', { description: 'start, delta or done.' }) }),
});

builder.objectRef<Event<'start'>>('ReplyStarted').implement({
  description: 'The message is stored, and the model is at work.',
  interfaces: [ReplyEventInterface],
  fields: (t) => ({
    conversationId: t.expose('conversationId', { type: 'UUID', description: 'What the next turn names.' }),
    runId: t.expose('runId', { type: 'UUID', description: 'For observing only; never an input.' }),
    name: t.exposeString('name', { description: "The conversation's title." }),
  }),
});

builder.objectRef<Event<'delta'>>('ReplyDelta').implement({
  description: 'The next piece of the reply.',
  interfaces: [ReplyEventInterface],
  fields: (t) => ({ text: t.exposeString('text', { description: 'To be put behind the pieces before it.' }) }),
});

builder.objectRef<Event<'done'>>('ReplyDone').implement({
  description:
    'The reply is whole, and stored; or what was written of it is, where the next message interrupted the turn.',
  interfaces: [ReplyEventInterface],
  fields: (t) => ({ turn: t.expose('turn', { type: FinishedTurnObject, description: 'The whole turn.' }) }),
});

builder.subscriptionType({ description: 'Pushes. Each field names the scope that it needs.' });

builder.subscriptionField('replyStream', (t) =>
  t.field({
    type: ReplyEventInterface,
    ...runnerAccess('conversations:write'),
    description:
      'One turn of ordinary chat (v1), its reply as it is made. Whoever goes away stops it; what was written is kept. Scope: conversations:write.',
    args: {
      deploymentId: t.arg(DEPLOYMENT_ARG),
      input: t.arg({ type: MessageInput, required: true, description: 'The message.' }),
    },
    subscribe: async (_root, { deploymentId, input }, context) => {
      return replyStream(context.domain, deploymentId, input);
    },
    resolve: (event) => event,
  }),
);
