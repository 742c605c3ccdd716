import type { Client, HttpResponse, SendOptions } from './client.ts';
import { mutationOf, resultOf } from './results.ts';
import { until } from './until.ts';

/** A created endpoint and its secret. */
export interface CreatedEndpoint {
  readonly id: string;
  readonly secret: string;
}

const ENDPOINT = '{ endpointId url description eventTypes enabled createdAt updatedAt }';

const DELIVERY = `{ deliveryId endpoint { endpointId } messageId type status attemptCount nextAttemptAt responseStatus lastError
  attempts { startedAt durationMs responseStatus error } createdAt finishedAt }`;

export function createEndpoint(client: Client, input: object, options?: SendOptions): Promise<HttpResponse> {
  const document = `mutation ($input: CreateWebhookEndpointInput!) {
    createWebhookEndpoint(input: $input) { __typename ... on CreateWebhookEndpointPayload { endpoint ${ENDPOINT} secret } ... on Error { code message path } } }`;
  return client.graphql(document, { input }, options);
}

export async function makeEndpoint(client: Client, url: string, fields: object = {}): Promise<CreatedEndpoint> {
  const { endpoint, secret } = resultOf(await createEndpoint(client, { url, ...fields }));
  return { id: endpoint.endpointId, secret };
}

/** A mutation that takes an endpoint's ID and returns the endpoint. */
export function changeEndpoint(client: Client, name: string, id: string): Promise<HttpResponse> {
  return client.graphql(mutationOf(name, `{ endpoint ${ENDPOINT} }`), { input: { id } });
}

export function updateEndpoint(client: Client, id: string, input: object): Promise<HttpResponse> {
  const document = `mutation ($input: UpdateWebhookEndpointInput!) {
    it: updateWebhookEndpoint(input: $input) { __typename ... on UpdateWebhookEndpointPayload { endpoint ${ENDPOINT} } ... on Error { code message path } } }`;
  return client.graphql(document, { input: { id, ...input } });
}

export function readEndpoint(client: Client, id: string): Promise<HttpResponse> {
  return client.graphql(`query ($id: ID!) { it: webhookEndpoint(id: $id) ${ENDPOINT} }`, { id });
}

/** Returns the new secret. */
export async function rotate(client: Client, id: string): Promise<string> {
  const document =
    'mutation ($id: ID!) { it: rotateWebhookSecret(input: { id: $id }) { __typename ... on RotateWebhookSecretPayload { secret } ... on Error { code message path } } }';
  return resultOf(await client.graphql(document, { id }));
}

export function sendTest(client: Client, id: string): Promise<HttpResponse> {
  return client.graphql(
    `mutation ($id: ID!) { it: sendTestWebhook(input: { id: $id }) { __typename ... on SendTestWebhookPayload { delivery ${DELIVERY} } ... on Error { code message path } } }`,
    { id },
  );
}

export function replay(client: Client, deliveryId: string): Promise<HttpResponse> {
  return client.graphql(
    `mutation ($id: ID!) { it: replayWebhookDelivery(input: { id: $id }) { __typename ... on ReplayWebhookDeliveryPayload { delivery ${DELIVERY} } ... on Error { code message path } } }`,
    { id: deliveryId },
  );
}

/** A delivery in the log of an endpoint. */
export interface DeliveryView {
  readonly deliveryId: string;
  readonly messageId: string;
  readonly type: string;
  readonly status: 'PENDING' | 'DELIVERED' | 'FAILED';
  readonly attemptCount: number;
  readonly nextAttemptAt: string | null;
  readonly responseStatus: number | null;
  readonly lastError: string | null;
  readonly attempts: readonly {
    readonly startedAt: string;
    readonly durationMs: number;
    readonly responseStatus: number | null;
    readonly error: string | null;
  }[];
  readonly createdAt: string;
  readonly finishedAt: string | null;
}

/** All deliveries of an endpoint, oldest first. */
export async function deliveriesOf(client: Client, id: string): Promise<DeliveryView[]> {
  const document = `query ($id: ID!) { webhookEndpoint(id: $id) { deliveries(first: 100) { nodes ${DELIVERY} } } }`;
  const { body } = await client.graphql(document, { id });
  return body.data.webhookEndpoint.deliveries.nodes.reverse();
}

/** The deliveries of an endpoint, once there are this many and all are settled. */
export function settledDeliveries(client: Client, id: string, count: number): Promise<DeliveryView[]> {
  return until(async () => {
    const deliveries = await deliveriesOf(client, id);
    return deliveries.length >= count && deliveries.every(({ status }) => status !== 'PENDING') && deliveries;
  });
}

/** Creates a resource, which is one event of the log. Returns its ID. */
export async function makeEvent(client: Client, fields: object = {}): Promise<string> {
  return (await client.send('POST', '/v1/resources', { body: { type: 'a', fields } })).body.data.id;
}
