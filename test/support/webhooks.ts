import type { Answer, Client, SendOptions } from './client.ts';
import { until } from './until.ts';

/** An endpoint that was made, and its secret. */
export interface MadeEndpoint {
  readonly id: string;
  readonly secret: string;
}

const ENDPOINT = '{ endpointId url description eventTypes enabled createdAt updatedAt }';

const DELIVERY = `{ deliveryId endpoint { endpointId } messageId type status attemptCount nextAttemptAt responseStatus lastError
  attempts { startedAt durationMs responseStatus error } createdAt finishedAt }`;

export function createEndpoint(client: Client, input: object, options?: SendOptions): Promise<Answer> {
  const document = `mutation ($input: CreateWebhookEndpointInput!) {
    createWebhookEndpoint(input: $input) { endpoint ${ENDPOINT} secret } }`;
  return client.graphql(document, { input }, options);
}

export async function makeEndpoint(client: Client, url: string, fields: object = {}): Promise<MadeEndpoint> {
  const { body } = await createEndpoint(client, { url, ...fields });
  if (body.errors) throw new Error(JSON.stringify(body.errors));
  const { endpoint, secret } = body.data.createWebhookEndpoint;
  return { id: endpoint.endpointId, secret };
}

/** A mutation that takes an endpoint's id and answers it. */
export function changeEndpoint(client: Client, name: string, id: string): Promise<Answer> {
  return client.graphql(`mutation ($id: ID!) { it: ${name}(id: $id) ${ENDPOINT} }`, { id });
}

export function updateEndpoint(client: Client, id: string, input: object): Promise<Answer> {
  const document = `mutation ($id: ID!, $input: UpdateWebhookEndpointInput!) {
    it: updateWebhookEndpoint(id: $id, input: $input) ${ENDPOINT} }`;
  return client.graphql(document, { id, input });
}

export function readEndpoint(client: Client, id: string): Promise<Answer> {
  return client.graphql(`query ($id: ID!) { it: webhookEndpoint(id: $id) ${ENDPOINT} }`, { id });
}

/** The new secret. */
export async function rotate(client: Client, id: string): Promise<string> {
  const document = 'mutation ($id: ID!) { it: rotateWebhookSecret(id: $id) { secret } }';
  return (await client.graphql(document, { id })).body.data.it.secret;
}

export function sendTest(client: Client, id: string): Promise<Answer> {
  return client.graphql(`mutation ($id: ID!) { it: sendTestWebhook(id: $id) ${DELIVERY} }`, { id });
}

export function replay(client: Client, deliveryId: string): Promise<Answer> {
  return client.graphql(`mutation ($id: ID!) { it: replayWebhookDelivery(id: $id) ${DELIVERY} }`, { id: deliveryId });
}

/** A delivery as the log of an endpoint tells it. */
export interface DeliveryView {
  readonly deliveryId: string;
  readonly messageId: string;
  readonly type: string;
  readonly status: 'pending' | 'delivered' | 'failed';
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

/** The deliveries of an endpoint, once there are so many and none of them is pending. */
export function settledDeliveries(client: Client, id: string, count: number): Promise<DeliveryView[]> {
  return until(async () => {
    const found = await deliveriesOf(client, id);
    return found.length >= count && found.every(({ status }) => status !== 'pending') && found;
  });
}

/** Makes a resource, and answers its id: one event of the log. */
export async function makeEvent(client: Client, fields: object = {}): Promise<string> {
  return (await client.send('POST', '/v1/resources', { body: { type: 'a', fields } })).body.data.id;
}
