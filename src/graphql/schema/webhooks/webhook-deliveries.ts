import { LIMITS } from '../../../contract/limits.ts';
import { type EventType, TEST_MESSAGE_TYPE } from '../../../contract/statuses.ts';
import {
  ENDPOINT_DELIVERIES,
  findAttempts,
  findDeliveries,
  findDelivery,
  replayDelivery,
  sendTest,
  type WebhookAttempt,
  type WebhookDelivery,
  withDeliveryStatus,
} from '../../../domain/webhooks/deliveries.ts';
import { WEBHOOK_PACE } from '../../../domain/webhooks/pace.ts';
import type { NodeExtensions } from '../../../operation/node-scope.ts';
import { builder } from '../builder.ts';
import { loadConnection } from '../edges.ts';
import { DeliveryStatusEnum } from '../enums.ts';
import { WebhookMessageTypeEnum } from '../events/event-enums.ts';
import { mutation, type PayloadBuilder } from '../mutation.ts';
import { WebhookEndpointNode } from './webhooks.ts';

export const AttemptObject = builder.node(builder.objectRef<WebhookAttempt>('WebhookAttempt'), {
  id: { resolve: ({ id }) => String(id), description: 'The global ID, for `node`.' },
  extensions: { nodeScope: 'webhooks:manage' } satisfies NodeExtensions,
  loadMany: async (ids, { domain }) => {
    const attempts = await findAttempts(domain, ids);
    return ids.map((id) => attempts.find((attempt) => String(attempt.id) === id) ?? null);
  },
  description: 'One attempt to deliver a message.',
  fields: (t) => ({
    startedAt: t.expose('startedAt', { type: 'DateTime', description: 'Start time.' }),
    durationMs: t.exposeInt('durationMs', {
      description: 'Milliseconds until the response status. 0: the service blocked the address.',
    }),
    responseStatus: t.exposeInt('responseStatus', {
      nullable: true,
      description: 'The HTTP status of the response. Null: no response.',
    }),
    error: t.exposeString('error', { nullable: true, description: 'Why it failed. Null: it was delivered.' }),
  }),
});

const DeliveryRef = builder.objectRef<WebhookDelivery>('WebhookDelivery');

export const WebhookDeliveryNode = builder.node(DeliveryRef, {
  id: { resolve: ({ id }) => String(id), description: 'The global ID, for `node`.' },
  extensions: { nodeScope: 'webhooks:manage' } satisfies NodeExtensions,
  description: 'A message to an endpoint: an event or a test.',
  loadMany: async (ids, { domain }) => {
    const deliveries = await findDeliveries(domain, ids);
    return ids.map((id) => deliveries.find((delivery) => String(delivery.id) === id) ?? null);
  },
  fields: (t) => ({
    deliveryId: t.id({ description: 'The ID: a number.', resolve: ({ id }) => String(id) }),
    endpoint: t.expose('endpoint', { type: WebhookEndpointNode, description: 'The recipient.' }),
    messageId: t.exposeID('messageId', {
      description:
        'The webhook-id header, the same on each attempt: the ID of the event, or msg_ and 26 characters for a test.',
    }),
    type: t.field({
      type: WebhookMessageTypeEnum,
      description: 'The event type, or `WEBHOOK_TEST`.',
      resolve: ({ event }) => (event?.type as EventType | undefined) ?? TEST_MESSAGE_TYPE,
    }),
    status: t.expose('status', { type: DeliveryStatusEnum, description: 'The status of the delivery.' }),
    attemptCount: t.exposeInt('attempts', {
      description: `Finished attempts since it was queued or last replayed. After attempt ${WEBHOOK_PACE.retriesMs.length + 1} the service gives up.`,
    }),
    nextAttemptAt: t.expose('nextAttemptAt', {
      type: 'DateTime',
      nullable: true,
      description: 'The earliest time of the next attempt. Null: there is no further attempt.',
    }),
    responseStatus: t.exposeInt('responseStatus', {
      nullable: true,
      description: 'The HTTP status of the last response. Null: no response.',
    }),
    lastError: t.exposeString('lastError', {
      nullable: true,
      description: 'Why the last attempt failed. Null: it succeeded, or there was no attempt yet.',
    }),
    attempts: t.field({
      type: [AttemptObject],
      description: 'All attempts, oldest first, including attempts before a replay.',
      resolve: ({ history }) => [...history],
    }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'When it was queued.' }),
    finishedAt: t.expose('finishedAt', {
      type: 'DateTime',
      nullable: true,
      description: 'When it was delivered or failed. Null: it is pending.',
    }),
  }),
});

export const WebhookDeliveryConnection = builder.connectionObject(
  { type: WebhookDeliveryNode, name: 'WebhookDeliveryConnection', description: 'A page of deliveries.' },
  { name: 'WebhookDeliveryEdge' },
);

const DeliveryFilter = builder.inputType('WebhookDeliveryFilter', {
  description: 'Filters deliveries.',
  fields: (t) => ({ status: t.field({ type: DeliveryStatusEnum, description: 'Only deliveries with this status.' }) }),
});

builder.objectField(WebhookEndpointNode, 'deliveries', (t) =>
  t.connection(
    {
      type: WebhookDeliveryNode,
      description: `Sent and queued messages, newest first. The service deletes them ${LIMITS.webhookDeliveryDays} days after they finished, or earlier with the event if the operator limits the log.`,
      args: { filter: t.arg({ type: DeliveryFilter, description: 'Omit it for all deliveries.' }) },
      resolve: ({ id }, { filter, ...args }, context, info) =>
        loadConnection(ENDPOINT_DELIVERIES, id, args, context, info, withDeliveryStatus(filter?.status)),
    },
    WebhookDeliveryConnection,
  ),
);

const SCOPE = { scope: 'webhooks:manage' } as const;

const DELIVERY_ID = { required: true, idOf: 'WebhookDelivery', description: 'The deliveryId: a number.' } as const;

builder.queryField('webhookDelivery', (t) =>
  t.field({
    publishing: 'reads',
    type: WebhookDeliveryNode,
    nullable: true,
    access: SCOPE,
    description:
      'A delivery of the environment. Null: it does not exist, or it is not visible to the caller. Scope: webhooks:manage.',
    args: { id: t.arg.id(DELIVERY_ID) },
    resolve: (_root, { id }, { domain }) => findDelivery(domain, id),
  }),
);

const SendTestInput = builder.inputType('SendTestWebhookInput', {
  description: 'The endpoint to test.',
  fields: (t) => ({
    id: t.id({
      required: true,
      idOf: 'WebhookEndpoint',
      description: 'The ID of the endpoint: whk_ and 26 characters.',
    }),
  }),
});

const ReplayInput = builder.inputType('ReplayWebhookDeliveryInput', {
  description: 'The message to send again.',
  fields: (t) => ({ id: t.id(DELIVERY_ID) }),
});

const deliveryField = (t: PayloadBuilder<WebhookDelivery>, description: string) => ({
  delivery: t.field({ type: WebhookDeliveryNode, description, resolve: (delivery) => delivery }),
});

mutation('sendTestWebhook', {
  publishing: 'acts',
  access: SCOPE,
  description: 'Queues a message of type WEBHOOK_TEST for an enabled endpoint. Logs no event. Scope: webhooks:manage.',
  input: SendTestInput,
  errors: ['invalid_request', 'not_found'],
  resolve: ({ id }, { domain }) => sendTest(domain, id),
  payload: (t) => deliveryField(t, 'The queued message.'),
});

mutation('replayWebhookDelivery', {
  publishing: 'acts',
  access: SCOPE,
  description:
    'Sends a message again immediately, with the same webhook-id. It works for delivered, failed and waiting messages. Earlier attempts stay in `attempts`. Nothing changes if an attempt is in progress. Scope: webhooks:manage.',
  input: ReplayInput,
  errors: ['not_found'],
  resolve: ({ id }, { domain }) => replayDelivery(domain, id),
  payload: (t) => deliveryField(t, 'The queued message.'),
});
