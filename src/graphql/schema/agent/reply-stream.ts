import { ServiceError } from '../../../contract/errors.ts';
import { type ReplyEvent, replyStream } from '../../../domain/agent/reply-stream.ts';
import { runnerAccess } from '../../../operation/access.ts';
import { builder } from '../builder.ts';
import { ReplyEventEnum } from '../events/event-enums.ts';
import type { DeclaredErrors } from '../mutation.ts';
import { withVariables } from '../variables.ts';
import { MESSAGE_ERRORS } from './turn-errors.ts';
import { SendMessageInput } from './turn-inputs.ts';
import { FinishedTurnObject } from './turn-results.ts';

type Event<Kind extends ReplyEvent['kind']> = Extract<ReplyEvent, { kind: Kind }>;

const ReplyEventInterface = builder.interfaceRef<ReplyEvent>('ReplyEvent').implement({
  description: 'An event of a streamed reply: one start, any number of deltas, one done.',
  resolveType: ({ kind }) => ({ start: 'ReplyStarted', delta: 'ReplyDelta', done: 'ReplyDone' })[kind],
  fields: (t) => ({ event: t.expose('kind', { type: ReplyEventEnum, description: 'The type of the event.' }) }),
});

builder.objectRef<Event<'start'>>('ReplyStarted').implement({
  extensions: { eventName: 'start' },
  description: 'The service has stored the message. The model is running.',
  interfaces: [ReplyEventInterface],
  fields: (t) => ({
    conversationId: t.expose('conversationId', { type: 'UUID', description: 'The ID for the next turn.' }),
    runId: t.expose('runId', {
      type: 'UUID',
      description: 'The ID of the run, for monitoring only. No operation takes it as input.',
    }),
    name: t.exposeString('name', { description: "The conversation's title." }),
  }),
});

builder.objectRef<Event<'delta'>>('ReplyDelta').implement({
  extensions: { eventName: 'delta' },
  description: 'The next piece of the reply.',
  interfaces: [ReplyEventInterface],
  fields: (t) => ({ text: t.exposeString('text', { description: 'Text to append to the earlier pieces.' }) }),
});

builder.objectRef<Event<'done'>>('ReplyDone').implement({
  extensions: { eventName: 'done' },
  description:
    'The reply is complete and stored. If the next message interrupted the turn, the partial reply is stored.',
  interfaces: [ReplyEventInterface],
  fields: (t) => ({ turn: t.expose('turn', { type: FinishedTurnObject, description: 'The finished turn.' }) }),
});

const NOT_IN_BACKGROUND =
  '{param} is not possible for a streamed reply. Leave it out, or send the message without a stream.';

builder.subscriptionType({ description: 'Streams. The description of each field names its scope.' });

builder.subscriptionField('replyStream', (t) =>
  t.field({
    publishing: 'acts',
    type: ReplyEventInterface,
    access: runnerAccess('conversations:write'),
    extensions: { errors: MESSAGE_ERRORS } satisfies DeclaredErrors,
    description:
      'Runs one turn of ordinary chat (v1) and streams the reply. If the client disconnects, the turn stops and the service stores the partial reply. Scope: conversations:write.',
    args: { input: t.arg({ type: SendMessageInput, required: true, description: 'The message.' }) },
    subscribe: async (_root, { input: { deploymentId, background, ...message } }, { domain }) => {
      if (background) throw new ServiceError('invalid_request', NOT_IN_BACKGROUND, { param: ['background'] });
      return replyStream(domain, deploymentId, withVariables(message));
    },
    resolve: (event) => event,
  }),
);
