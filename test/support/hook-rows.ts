import type { Client } from './client.ts';
import type { Ask } from './every-field.ts';

/** An integration, and a webhook endpoint with a delivery: their public ids, and the global ids that `node` takes. */
export interface PlantedHooks {
  readonly integrationId: string;
  readonly endpointId: string;
  readonly deliveryId: string;
  readonly nodes: { readonly integration: string; readonly endpoint: string; readonly delivery: string };
}

/** Nobody listens there. */
const NOWHERE = 'https://127.0.0.1:9/';

/** An environment may have 20; the first of them is what a test file has planted for itself. */
const MOST_ENDPOINTS = 15;

export async function plantHooks(owner: Client, marker: string): Promise<PlantedHooks> {
  await makeRoom(owner);
  const connected = await owner.graphql(
    'mutation ($input: ConnectIntegrationInput!) { it: connectIntegration(input: $input) { id integrationId } }',
    { input: { kind: 'mcp', name: marker, url: NOWHERE } },
  );
  const created = await owner.graphql(
    'mutation ($input: CreateWebhookEndpointInput!) { it: createWebhookEndpoint(input: $input) { endpoint { id endpointId } } }',
    { input: { url: NOWHERE, description: marker, eventTypes: ['integration.disconnected'] } },
  );
  const { endpoint } = created.body.data.it;
  const tested = await owner.graphql('mutation ($id: ID!) { it: sendTestWebhook(id: $id) { id deliveryId } }', {
    id: endpoint.endpointId,
  });
  const [integration, delivery] = [connected.body.data.it, tested.body.data.it];
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
  await owner.graphql('mutation ($id: ID!) { deleteWebhookEndpoint(id: $id) { endpointId } }', {
    id: nodes[0].endpointId,
  });
}

export const INTEGRATION = '{ integrationId name }';
export const ENDPOINT = '{ endpointId description deliveries { nodes { deliveryId } } }';
export const DELIVERY = '{ deliveryId endpoint { description } }';
const WITH_SECRET = '{ secret endpoint { description } }';

const ask =
  (document: string, variables: (planted: PlantedHooks) => object): Ask =>
  (client, key, { hooks }) =>
    client.graphql(document, variables(hooks), { key });

const byId = (operation: string, field: string, selection: string, idOf: (planted: PlantedHooks) => string): Ask =>
  ask(`${operation} ($id: ID!) { ${field}(id: $id) ${selection} }`, (planted) => ({ id: idOf(planted) }));

const endpointOf = ({ endpointId }: PlantedHooks) => endpointId;

/** How each root field of integrations and webhooks is asked for what was planted. */
export const HOOK_FIELDS: Readonly<Record<string, Ask>> = {
  'Query.integration': byId('query', 'integration', INTEGRATION, ({ integrationId }) => integrationId),
  'Query.integrations': ask(`{ integrations(first: 100) { nodes ${INTEGRATION} totalCount } }`, () => ({})),
  'Mutation.connectIntegration': ask(
    `mutation { connectIntegration(input: { kind: http, name: "own", url: "${NOWHERE}" }) ${INTEGRATION} }`,
    () => ({}),
  ),
  'Mutation.updateIntegration': ask(
    `mutation ($id: ID!) { updateIntegration(id: $id, input: { url: "${NOWHERE}changed" }) ${INTEGRATION} }`,
    ({ integrationId }) => ({ id: integrationId }),
  ),
  'Mutation.disconnectIntegration': byId(
    'mutation',
    'disconnectIntegration',
    INTEGRATION,
    ({ integrationId }) => integrationId,
  ),
  'Query.webhookEndpoint': byId('query', 'webhookEndpoint', ENDPOINT, endpointOf),
  'Query.webhookEndpoints': ask(`{ webhookEndpoints(first: 100) { nodes ${ENDPOINT} totalCount } }`, () => ({})),
  'Query.webhookDelivery': byId('query', 'webhookDelivery', DELIVERY, ({ deliveryId }) => deliveryId),
  'Mutation.createWebhookEndpoint': ask(
    `mutation { createWebhookEndpoint(input: { url: "${NOWHERE}" }) ${WITH_SECRET} }`,
    () => ({}),
  ),
  'Mutation.updateWebhookEndpoint': ask(
    `mutation ($id: ID!) { updateWebhookEndpoint(id: $id, input: { description: "changed" }) ${ENDPOINT} }`,
    ({ endpointId }) => ({ id: endpointId }),
  ),
  'Mutation.disableWebhookEndpoint': byId('mutation', 'disableWebhookEndpoint', ENDPOINT, endpointOf),
  'Mutation.enableWebhookEndpoint': byId('mutation', 'enableWebhookEndpoint', ENDPOINT, endpointOf),
  'Mutation.deleteWebhookEndpoint': byId('mutation', 'deleteWebhookEndpoint', '{ endpointId description }', endpointOf),
  'Mutation.rotateWebhookSecret': byId('mutation', 'rotateWebhookSecret', WITH_SECRET, endpointOf),
  'Mutation.sendTestWebhook': byId('mutation', 'sendTestWebhook', DELIVERY, endpointOf),
  'Mutation.replayWebhookDelivery': byId('mutation', 'replayWebhookDelivery', DELIVERY, ({ deliveryId }) => deliveryId),
};
