import {
  createEndpoint,
  deleteEndpoint,
  disableEndpoint,
  type EndpointWithSecret,
  enableEndpoint,
  rotateSecret,
  updateEndpoint,
} from '../domain/webhooks/endpoints.ts';
import { findEndpoint, findEndpoints, listEndpoints, type WebhookEndpoint } from '../domain/webhooks/reads.ts';
import { builder } from './builder.ts';
import type { NodeExtensions } from './node-scope.ts';

const EndpointRef = builder.objectRef<WebhookEndpoint>('WebhookEndpoint');

export const WebhookEndpointNode = builder.node(EndpointRef, {
  id: { resolve: ({ id }) => id, description: 'The global id, for `node`.' },
  extensions: { nodeScope: 'webhooks:manage' } satisfies NodeExtensions,
  description:
    'An address that events are sent to, signed by the Standard Webhooks scheme: at least once, and in order as long as it keeps up. Each waits for the first attempt of the one before, and for no other.',
  loadMany: async (ids, { domain }) => {
    const found = await findEndpoints(domain, ids);
    return ids.map((id) => found.find((endpoint) => endpoint.id === id) ?? null);
  },
  fields: (t) => ({
    endpointId: t.exposeID('id', { description: 'What every operation names it by: whk_ and 26 characters.' }),
    url: t.exposeString('url', { description: 'Where messages are posted to.' }),
    description: t.exposeString('description', { description: "The owner's own words; may be empty." }),
    eventTypes: t.stringList({
      nullable: true,
      description: 'Only events of these types are sent. Null: of every type, those of the future too.',
      resolve: ({ eventTypes }) => (eventTypes.length > 0 ? [...eventTypes] : null),
    }),
    enabled: t.exposeBoolean('enabled', { description: 'Whether anything is sent to it.' }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'When it was created.' }),
    updatedAt: t.expose('updatedAt', { type: 'DateTime', description: 'When it was last changed.' }),
  }),
});

const WithSecret = builder.objectRef<EndpointWithSecret>('WebhookEndpointWithSecret').implement({
  description: 'An endpoint and its new secret.',
  fields: (t) => ({
    endpoint: t.expose('endpoint', { type: WebhookEndpointNode, description: 'As it is now, its secret left out.' }),
    secret: t.exposeString('secret', {
      description: 'What messages are signed with: whsec_ and base64. Keep it, for it is never shown again.',
    }),
  }),
});

const URL_RULE = 'An https address of the public internet, at most 2,048 characters.';

const CreateInput = builder.inputType('CreateWebhookEndpointInput', {
  description: 'A new endpoint.',
  fields: (t) => ({
    url: t.string({ required: true, description: URL_RULE }),
    description: t.string({ description: 'Words of your own, at most 500 characters.' }),
    eventTypes: t.stringList({ description: 'Types of events to send, like resource.created. All if left out.' }),
  }),
});

const UpdateInput = builder.inputType('UpdateWebhookEndpointInput', {
  description: 'A change of an endpoint. What is left out stays as it is.',
  fields: (t) => ({
    url: t.string({ description: `${URL_RULE} What is queued goes there too.` }),
    description: t.string({ description: 'Words of your own, at most 500 characters.' }),
    eventTypes: t.stringList({ description: 'Types of events to send from now on. Null: all.' }),
  }),
});

const SCOPE = { scope: 'webhooks:manage' } as const;

const ID_ARG = { required: true, description: 'Its public id, whk_ and 26 characters.' } as const;

builder.queryField('webhookEndpoint', (t) =>
  t.field({
    type: WebhookEndpointNode,
    nullable: true,
    authScopes: SCOPE,
    description:
      'One webhook endpoint of the environment; an error not_found where there is none. Scope: webhooks:manage.',
    args: { id: t.arg.id(ID_ARG) },
    resolve: (_root, { id }, { domain }) => findEndpoint(domain, id),
  }),
);

builder.queryField('webhookEndpoints', (t) =>
  t.connection(
    {
      type: WebhookEndpointNode,
      authScopes: SCOPE,
      description: 'Webhook endpoints of the environment, newest first. Scope: webhooks:manage.',
      resolve: (_root, args, { domain }) => listEndpoints(domain, args),
    },
    { name: 'WebhookEndpointConnection', description: 'A page of webhook endpoints.' },
    { name: 'WebhookEndpointEdge' },
  ),
);

builder.mutationFields((t) => ({
  createWebhookEndpoint: t.field({
    type: WithSecret,
    authScopes: SCOPE,
    description:
      'Creates an endpoint, 20 of them at most in an environment. It is sent what happens from now on. Scope: webhooks:manage.',
    args: { input: t.arg({ type: CreateInput, required: true, description: 'The endpoint.' }) },
    resolve: (_root, { input }, { domain }) => createEndpoint(domain, input),
  }),
  updateWebhookEndpoint: t.field({
    type: WebhookEndpointNode,
    authScopes: SCOPE,
    description: 'Changes what is given. Scope: webhooks:manage.',
    args: {
      id: t.arg.id(ID_ARG),
      input: t.arg({ type: UpdateInput, required: true, description: 'The change.' }),
    },
    resolve: (_root, { id, input }, { domain }) => updateEndpoint(domain, id, input),
  }),
  disableWebhookEndpoint: t.field({
    type: WebhookEndpointNode,
    authScopes: SCOPE,
    description:
      'Stops sending to an endpoint. What is queued waits until it is enabled; what happens meanwhile is never sent to it. Scope: webhooks:manage.',
    args: { id: t.arg.id(ID_ARG) },
    resolve: (_root, { id }, { domain }) => disableEndpoint(domain, id),
  }),
  enableWebhookEndpoint: t.field({
    type: WebhookEndpointNode,
    authScopes: SCOPE,
    description: 'Sends to an endpoint again: what is queued, and what happens from now on. Scope: webhooks:manage.',
    args: { id: t.arg.id(ID_ARG) },
    resolve: (_root, { id }, { domain }) => enableEndpoint(domain, id),
  }),
  deleteWebhookEndpoint: t.field({
    type: WebhookEndpointNode,
    authScopes: SCOPE,
    description: 'Deletes an endpoint with its deliveries, and answers it as it was. Scope: webhooks:manage.',
    args: { id: t.arg.id(ID_ARG) },
    resolve: (_root, { id }, { domain }) => deleteEndpoint(domain, id),
  }),
  rotateWebhookSecret: t.field({
    type: WithSecret,
    authScopes: SCOPE,
    description:
      'Gives an endpoint a new secret. For 24 hours its messages are signed with the one before as well. Scope: webhooks:manage.',
    args: { id: t.arg.id(ID_ARG) },
    resolve: (_root, { id }, { domain }) => rotateSecret(domain, id),
  }),
}));
