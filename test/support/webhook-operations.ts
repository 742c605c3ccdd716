import type { SendOperation } from './all-operations.ts';
import type { Client } from './client.ts';
import { mutationOf, resultOf } from './results.ts';

/** An integration and a webhook endpoint with a delivery: their public IDs and their global IDs. */
export interface HookFixtures {
  readonly integrationId: string;
  readonly endpointId: string;
  readonly deliveryId: string;
  readonly nodes: { readonly integration: string; readonly endpoint: string; readonly delivery: string };
}

/** A URL where no server listens. */
const NOWHERE = 'https://127.0.0.1:9/';

/** An environment may have 20 endpoints. The first one is a fixture of the test file. */
const MOST_ENDPOINTS = 15;

export async function createHookFixtures(owner: Client, marker: string): Promise<HookFixtures> {
  await makeRoom(owner);
  const connectResponse = await owner.graphql(
    'mutation ($input: ConnectIntegrationInput!) { it: connectIntegration(input: $input) { __typename ... on ConnectIntegrationPayload { integration { id integrationId } } ... on Error { code message path } } }',
    { input: { kind: 'MCP', name: marker, url: NOWHERE } },
  );
  const createResponse = await owner.graphql(
    'mutation ($input: CreateWebhookEndpointInput!) { it: createWebhookEndpoint(input: $input) { __typename ... on CreateWebhookEndpointPayload { endpoint { id endpointId } } ... on Error { code message path } } }',
    { input: { url: NOWHERE, description: marker, eventTypes: ['INTEGRATION_DISCONNECTED'] } },
  );
  const endpoint = resultOf(createResponse);
  const deliveryResponse = await owner.graphql(
    'mutation ($id: ID!) { it: sendTestWebhook(input: { id: $id }) { __typename ... on SendTestWebhookPayload { delivery { id deliveryId } } ... on Error { code message path } } }',
    {
      id: endpoint.endpointId,
    },
  );
  const [integration, delivery] = [resultOf(connectResponse), resultOf(deliveryResponse)];
  return {
    integrationId: integration.integrationId,
    endpointId: endpoint.endpointId,
    deliveryId: delivery.deliveryId,
    nodes: { integration: integration.id, endpoint: endpoint.id, delivery: delivery.id },
  };
}

async function makeRoom(owner: Client): Promise<void> {
  const { body } = await owner.graphql('{ webhookEndpoints(first: 1) { nodes { endpointId } totalCount } }');
  const { nodes, totalCount } = body.data.webhookEndpoints;
  if (totalCount < MOST_ENDPOINTS) return;
  await owner.graphql(
    'mutation ($id: ID!) { deleteWebhookEndpoint(input: { id: $id }) { __typename ... on DeleteWebhookEndpointPayload { endpoint { endpointId } } ... on Error { code message path } } }',
    {
      id: nodes[0].endpointId,
    },
  );
}

export const INTEGRATION = '{ integrationId name }';
export const ENDPOINT = '{ endpointId description deliveries { nodes { deliveryId } } }';
export const DELIVERY = '{ deliveryId endpoint { description } }';
const WITH_SECRET = '{ secret endpoint { description } }';

const graphql =
  (document: string, variables: (fixtures: HookFixtures) => object): SendOperation =>
  (client, key, { hooks }) =>
    client.graphql(document, variables(hooks), { key });

const readById = (field: string, selection: string, idOf: (fixtures: HookFixtures) => string): SendOperation =>
  graphql(`query ($id: ID!) { ${field}(id: $id) ${selection} }`, (fixtures) => ({ id: idOf(fixtures) }));

const changeById = (field: string, selection: string, idOf: (fixtures: HookFixtures) => string): SendOperation =>
  graphql(mutationOf(field, selection), (fixtures) => ({ input: { id: idOf(fixtures) } }));

const endpointOf = ({ endpointId }: HookFixtures) => endpointId;

/** The request of each root field of integrations and webhooks for the fixtures. */
export const HOOK_FIELDS: Readonly<Record<string, SendOperation>> = {
  'Query.integration': readById('integration', INTEGRATION, ({ integrationId }) => integrationId),
  'Query.integrations': graphql(`{ integrations(first: 100) { nodes ${INTEGRATION} totalCount } }`, () => ({})),
  'Mutation.connectIntegration': graphql(
    `mutation { connectIntegration(input: { kind: HTTP, name: "own", url: "${NOWHERE}" }) { __typename ... on ConnectIntegrationPayload { integration ${INTEGRATION} } ... on Error { code message path } } }`,
    () => ({}),
  ),
  'Mutation.updateIntegration': graphql(
    `mutation ($id: ID!) { updateIntegration(input: { id: $id, url: "${NOWHERE}changed" }) { __typename ... on UpdateIntegrationPayload { integration ${INTEGRATION} } ... on Error { code message path } } }`,
    ({ integrationId }) => ({ id: integrationId }),
  ),
  'Mutation.disconnectIntegration': changeById(
    'disconnectIntegration',
    `{ integration ${INTEGRATION} }`,
    ({ integrationId }) => integrationId,
  ),
  'Mutation.signInToIntegration': changeById(
    'signInToIntegration',
    '{ authorizationUrl }',
    ({ integrationId }) => integrationId,
  ),
  'Mutation.signOutOfIntegration': changeById(
    'signOutOfIntegration',
    `{ integration ${INTEGRATION} }`,
    ({ integrationId }) => integrationId,
  ),
  'Query.webhookEndpoint': readById('webhookEndpoint', ENDPOINT, endpointOf),
  'Query.webhookEndpoints': graphql(`{ webhookEndpoints(first: 100) { nodes ${ENDPOINT} totalCount } }`, () => ({})),
  'Query.webhookDelivery': readById('webhookDelivery', DELIVERY, ({ deliveryId }) => deliveryId),
  'Mutation.createWebhookEndpoint': graphql(
    `mutation { createWebhookEndpoint(input: { url: "${NOWHERE}" }) { __typename ... on CreateWebhookEndpointPayload ${WITH_SECRET} ... on Error { code message path } } }`,
    () => ({}),
  ),
  'Mutation.updateWebhookEndpoint': graphql(
    `mutation ($id: ID!) { updateWebhookEndpoint(input: { id: $id, description: "changed" }) { __typename ... on UpdateWebhookEndpointPayload { endpoint ${ENDPOINT} } ... on Error { code message path } } }`,
    ({ endpointId }) => ({ id: endpointId }),
  ),
  'Mutation.disableWebhookEndpoint': changeById('disableWebhookEndpoint', `{ endpoint ${ENDPOINT} }`, endpointOf),
  'Mutation.enableWebhookEndpoint': changeById('enableWebhookEndpoint', `{ endpoint ${ENDPOINT} }`, endpointOf),
  'Mutation.deleteWebhookEndpoint': changeById(
    'deleteWebhookEndpoint',
    '{ endpoint { endpointId description } }',
    endpointOf,
  ),
  'Mutation.rotateWebhookSecret': changeById('rotateWebhookSecret', WITH_SECRET, endpointOf),
  'Mutation.sendTestWebhook': changeById('sendTestWebhook', `{ delivery ${DELIVERY} }`, endpointOf),
  'Mutation.replayWebhookDeliveries': graphql(
    mutationOf('replayWebhookDeliveries', '{ replay { endpoint { description } deliveryCount } }'),
    ({ endpointId }) => ({ input: { id: endpointId, from: '2026-01-01T00:00:00Z', to: '2100-01-01T00:00:00Z' } }),
  ),
  'Mutation.replayWebhookDelivery': changeById(
    'replayWebhookDelivery',
    `{ delivery ${DELIVERY} }`,
    ({ deliveryId }) => deliveryId,
  ),
};
