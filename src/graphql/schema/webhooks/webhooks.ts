import { LIMITS } from '../../../contract/limits.ts';
import type { EventType } from '../../../contract/statuses.ts';
import { disableEndpoint, enableEndpoint } from '../../../domain/webhooks/enable.ts';
import {
  createEndpoint,
  deleteEndpoint,
  type EndpointWithSecret,
  rotateSecret,
  updateEndpoint,
} from '../../../domain/webhooks/endpoints.ts';
import { BREAKER_FAILURES, DISABLE_AFTER_DAYS, LONGEST_GAP_HOURS } from '../../../domain/webhooks/pace.ts';
import { findEndpoint, findEndpoints, listEndpoints, type WebhookEndpoint } from '../../../domain/webhooks/reads.ts';
import type { NodeExtensions } from '../../../operation/node-scope.ts';
import { CREATE_WEBHOOK_ENDPOINT, UPDATE_WEBHOOK_ENDPOINT } from '../../../shapes/webhooks.ts';
import { builder } from '../builder.ts';
import { WebhookDisabledReasonEnum } from '../enums.ts';
import { EventTypeEnum } from '../events/event-enums.ts';
import { deletedId, mutation, type PayloadBuilder } from '../mutation.ts';
import { inputType } from '../shape-fields.ts';

const EndpointRef = builder.objectRef<WebhookEndpoint>('WebhookEndpoint');

export const WebhookEndpointNode = builder.node(EndpointRef, {
  id: { resolve: ({ id }) => id, description: 'The global ID, for `node`.' },
  extensions: { nodeScope: 'webhooks:manage' } satisfies NodeExtensions,
  description:
    'A URL that receives events, signed with the Standard Webhooks scheme. Delivery is at least once. Each message waits for the first attempt of the previous one, so order is kept unless attempts fail. While attempts fail, the service makes one at a time.',
  loadMany: async (ids, { domain }) => {
    const endpoints = await findEndpoints(domain, ids);
    return ids.map((id) => endpoints.find((endpoint) => endpoint.id === id) ?? null);
  },
  fields: (t) => ({
    endpointId: t.exposeID('id', { description: 'The ID: whk_ and 26 characters.' }),
    url: t.exposeString('url', { description: 'The URL that receives messages by POST.' }),
    description: t.exposeString('description', { description: 'A free text. It can be empty.' }),
    eventTypes: t.field({
      type: [EventTypeEnum],
      nullable: true,
      description:
        'The event types that it receives. Null: all types of resources and integrations, including types that are added later. Lifecycle events are sent only to endpoints that name them.',
      resolve: ({ eventTypes }) => (eventTypes.length > 0 ? ([...eventTypes] as EventType[]) : null),
    }),
    enabled: t.exposeBoolean('enabled', { description: 'Whether the service sends messages to it.' }),
    disabledReason: t.field({
      type: WebhookDisabledReasonEnum,
      nullable: true,
      description: 'Why it is disabled. Null: it is enabled. `enableWebhookEndpoint` enables it again.',
      resolve: ({ enabled, disabledReason }) => (enabled ? null : (disabledReason ?? 'requested')),
    }),
    consecutiveFailures: t.exposeInt('failures', {
      description: `Failed attempts since the last delivered message. From 1, the service makes one attempt at a time. From ${BREAKER_FAILURES}, it pauses after each attempt.`,
    }),
    failingSince: t.expose('failingSince', {
      type: 'DateTime',
      nullable: true,
      description: `When these failures started. Null: no failures. After ${DISABLE_AFTER_DAYS} days the service disables the endpoint. The ${DISABLE_AFTER_DAYS} days restart after ${LONGEST_GAP_HOURS} hours without an attempt.`,
    }),
    pausedUntil: t.field({
      type: 'DateTime',
      nullable: true,
      resolve: ({ pausedUntil }, _args, { domain }) => (pausedUntil && pausedUntil > domain.now() ? pausedUntil : null),
      description: `The next attempt is not made before this time, because at least ${BREAKER_FAILURES} attempts in a row failed. The pause is 5 s, then 1 min, then 5 min. Null: it is not paused.`,
    }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'Creation time.' }),
    updatedAt: t.expose('updatedAt', { type: 'DateTime', description: 'When it was last changed.' }),
  }),
});

const ENDPOINT_ID = {
  required: true,
  idOf: 'WebhookEndpoint',
  description: 'The ID: whk_ and 26 characters.',
} as const;

const SCOPE = { scope: 'webhooks:manage' } as const;

builder.queryField('webhookEndpoint', (t) =>
  t.field({
    publishing: 'reads',
    type: WebhookEndpointNode,
    nullable: true,
    access: SCOPE,
    description:
      'A webhook endpoint of the environment. Null: it does not exist, or it is not visible to the caller. Scope: webhooks:manage.',
    args: { id: t.arg.id(ENDPOINT_ID) },
    resolve: (_root, { id }, { domain }) => findEndpoint(domain, id),
  }),
);

builder.queryField('webhookEndpoints', (t) =>
  t.connection(
    {
      publishing: 'reads',
      type: WebhookEndpointNode,
      access: SCOPE,
      description: 'Webhook endpoints of the environment, newest first. Scope: webhooks:manage.',
      resolve: (_root, args, { domain }) => listEndpoints(domain, args),
    },
    { name: 'WebhookEndpointConnection', description: 'A page of webhook endpoints.' },
    { name: 'WebhookEndpointEdge' },
  ),
);

const inputOf = (name: string, description: string) =>
  builder.inputType(name, { description, fields: (t) => ({ id: t.id(ENDPOINT_ID) }) });

const endpointField = (t: PayloadBuilder<WebhookEndpoint>, description: string) => ({
  endpoint: t.field({ type: WebhookEndpointNode, description, resolve: (endpoint) => endpoint }),
});

const secretFields = (t: PayloadBuilder<EndpointWithSecret>) => ({
  endpoint: t.expose('endpoint', { type: WebhookEndpointNode, description: 'The endpoint, without its secret.' }),
  secret: t.exposeString('secret', {
    description: 'The signing secret: whsec_ and base64. It is shown only once.',
  }),
});

mutation('createWebhookEndpoint', {
  publishing: 'never',
  access: SCOPE,
  description: `Creates an endpoint. It receives events from now on. Limit: ${LIMITS.webhookEndpoints} endpoints per environment. Scope: webhooks:manage.`,
  input: inputType(CREATE_WEBHOOK_ENDPOINT),
  errors: ['invalid_request'],
  resolve: (input, { domain }) => createEndpoint(domain, input),
  payload: secretFields,
});

mutation('updateWebhookEndpoint', {
  publishing: 'changes',
  access: SCOPE,
  description: 'Changes an endpoint. Scope: webhooks:manage.',
  input: inputType(UPDATE_WEBHOOK_ENDPOINT),
  errors: ['invalid_request', 'not_found'],
  resolve: ({ id, ...changes }, { domain }) => updateEndpoint(domain, id, changes),
  payload: (t) => endpointField(t, 'The changed endpoint.'),
});

mutation('disableWebhookEndpoint', {
  publishing: 'sets',
  access: SCOPE,
  description:
    'Stops sending to an endpoint. Queued messages wait until it is enabled. It never receives events that happen in the meantime. Scope: webhooks:manage.',
  input: inputOf('DisableWebhookEndpointInput', 'The endpoint to disable.'),
  errors: ['not_found'],
  resolve: ({ id }, { domain }) => disableEndpoint(domain, id),
  payload: (t) => endpointField(t, 'The disabled endpoint.'),
});

mutation('enableWebhookEndpoint', {
  publishing: 'sets',
  access: SCOPE,
  description: 'Enables an endpoint. It receives its queued messages and new events. Scope: webhooks:manage.',
  input: inputOf('EnableWebhookEndpointInput', 'The endpoint to enable.'),
  errors: ['not_found'],
  resolve: ({ id }, { domain }) => enableEndpoint(domain, id),
  payload: (t) => endpointField(t, 'The enabled endpoint.'),
});

mutation('deleteWebhookEndpoint', {
  publishing: 'removes',
  access: SCOPE,
  description: 'Deletes an endpoint with its deliveries. Scope: webhooks:manage.',
  input: inputOf('DeleteWebhookEndpointInput', 'The endpoint to delete.'),
  errors: ['not_found'],
  resolve: ({ id }, { domain }) => deleteEndpoint(domain, id),
  payload: (t) => ({
    deletedId: deletedId(t, 'WebhookEndpoint', ({ id }) => id),
    ...endpointField(t, 'Its last state.'),
  }),
});

mutation('rotateWebhookSecret', {
  publishing: 'never',
  access: SCOPE,
  description: `Creates a new secret for an endpoint. For ${LIMITS.webhookSecretHours} hours, messages are signed with both secrets. Scope: webhooks:manage.`,
  input: inputOf('RotateWebhookSecretInput', 'The endpoint whose secret is replaced.'),
  errors: ['not_found'],
  resolve: ({ id }, { domain }) => rotateSecret(domain, id),
  payload: secretFields,
});
