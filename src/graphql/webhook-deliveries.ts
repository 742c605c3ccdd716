import { TEST_TYPE } from '../domain/webhooks/attempt.ts';
import {
  findDeliveries,
  findDelivery,
  listDeliveries,
  replayDelivery,
  sendTest,
  type WebhookAttempt,
  type WebhookDelivery,
} from '../domain/webhooks/deliveries.ts';
import { builder } from './builder.ts';
import { DeliveryStatusEnum } from './enums.ts';
import type { NodeExtensions } from './node-scope.ts';
import { WebhookEndpointNode } from './webhooks.ts';

const AttemptObject = builder.objectRef<WebhookAttempt>('WebhookAttempt').implement({
  description: 'What became of one attempt. Answers are not kept but for their status.',
  fields: (t) => ({
    startedAt: t.expose('startedAt', { type: 'DateTime', description: 'When it was begun.' }),
    durationMs: t.exposeInt('durationMs', { description: 'Milliseconds to the status of the answer.' }),
    responseStatus: t.exposeInt('responseStatus', {
      nullable: true,
      description: 'The HTTP status of the answer; null where there was none.',
    }),
    error: t.exposeString('error', { nullable: true, description: 'Why it failed; null where it was delivered.' }),
  }),
});

const DeliveryRef = builder.objectRef<WebhookDelivery>('WebhookDelivery');

const WebhookDeliveryNode = builder.node(DeliveryRef, {
  id: { resolve: ({ id }) => String(id), description: 'The global id, for `node`.' },
  extensions: { nodeScope: 'webhooks:manage' } satisfies NodeExtensions,
  description: 'One message to one endpoint: of an event, or a test.',
  loadMany: async (ids, { domain }) => {
    const found = await findDeliveries(domain, ids);
    return ids.map((id) => found.find((delivery) => String(delivery.id) === id) ?? null);
  },
  fields: (t) => ({
    deliveryId: t.id({ description: 'What operations name it by: a number.', resolve: ({ id }) => String(id) }),
    endpoint: t.expose('endpoint', { type: WebhookEndpointNode, description: 'Where it is sent.' }),
    messageId: t.exposeID('messageId', {
      description:
        'Its webhook-id, the same on each attempt: the id of the event, or msg_ and 26 characters for a test.',
    }),
    type: t.string({
      description: 'The type of the event, or webhook.test.',
      resolve: ({ event }) => event?.type ?? TEST_TYPE,
    }),
    status: t.expose('status', { type: DeliveryStatusEnum, description: 'Where it stands.' }),
    attemptCount: t.exposeInt('attempts', {
      description: 'Attempts that have ended since it was queued or last replayed; the seventh is the last.',
    }),
    nextAttemptAt: t.expose('nextAttemptAt', {
      type: 'DateTime',
      nullable: true,
      description: 'When it is attempted next, at the earliest; null where it is over.',
    }),
    responseStatus: t.exposeInt('responseStatus', {
      nullable: true,
      description: 'The HTTP status of the last answer; null where there was none.',
    }),
    lastError: t.exposeString('lastError', {
      nullable: true,
      description: 'Why the last attempt failed; null where it did not, or there was none.',
    }),
    attempts: t.field({
      type: [AttemptObject],
      description: 'All attempts, oldest first; those before a replay too.',
      resolve: ({ history }) => [...history],
    }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'When it was queued.' }),
    finishedAt: t.expose('finishedAt', {
      type: 'DateTime',
      nullable: true,
      description: 'When it was delivered or failed; null while it is pending.',
    }),
  }),
});

builder.objectField(WebhookEndpointNode, 'deliveries', (t) =>
  t.connection(
    {
      type: WebhookDeliveryNode,
      description: 'What was sent to it and is to be sent, newest first. Kept for 30 days after it was over.',
      args: { status: t.arg({ type: DeliveryStatusEnum, description: 'Only those that stand there.' }) },
      resolve: ({ id: endpointId }, { status, ...args }, { domain }) =>
        listDeliveries(domain, args, { endpointId, status }),
    },
    { name: 'WebhookDeliveryConnection', description: 'A page of deliveries.' },
    { name: 'WebhookDeliveryEdge' },
  ),
);

const SCOPE = { scope: 'webhooks:manage' } as const;

const ID_ARG = { required: true, description: 'The deliveryId: a number.' } as const;

builder.queryField('webhookDelivery', (t) =>
  t.field({
    type: WebhookDeliveryNode,
    nullable: true,
    authScopes: SCOPE,
    description: 'One delivery of the environment; an error not_found where there is none. Scope: webhooks:manage.',
    args: { id: t.arg.id(ID_ARG) },
    resolve: (_root, { id }, { domain }) => findDelivery(domain, id),
  }),
);

builder.mutationFields((t) => ({
  sendTestWebhook: t.field({
    type: WebhookDeliveryNode,
    authScopes: SCOPE,
    description:
      'Queues a message of the type webhook.test for an enabled endpoint. The event log does not tell of it. Scope: webhooks:manage.',
    args: { id: t.arg.id({ required: true, description: "The endpoint's public id, whk_ and 26 characters." }) },
    resolve: (_root, { id }, { domain }) => sendTest(domain, id),
  }),
  replayWebhookDelivery: t.field({
    type: WebhookDeliveryNode,
    authScopes: SCOPE,
    description:
      'Sends a message again at once, under the same webhook-id and with all its attempts before it, whether it was delivered, has failed or waits. One that is being sent stays as it is. Scope: webhooks:manage.',
    args: { id: t.arg.id(ID_ARG) },
    resolve: (_root, { id }, { domain }) => replayDelivery(domain, id),
  }),
}));
