import type { Client } from './client.ts';
import type { Ask } from './every-field.ts';
import { subscribe } from './subscriptions.ts';

/** A resource, and the event of its creation: their public ids, and the global ids that `node` takes. */
export interface PlantedResource {
  readonly resourceId: string;
  readonly eventId: string;
  readonly nodes: { readonly resource: string; readonly event: string };
}

export async function plantResource(owner: Client, marker: string): Promise<PlantedResource> {
  const { body } = await owner.send('POST', '/v1/resources', { body: { type: 'planted', fields: { marker } } });
  const resourceId: string = body.data.id;
  const read = await owner.graphql(
    'query ($id: ID!) { resource(id: $id) { id } events(resourceId: $id) { nodes { id eventId } } }',
    { id: resourceId },
  );
  const { resource, events } = read.body.data;
  const [event] = events.nodes;
  return { resourceId, eventId: event.eventId, nodes: { resource: resource.id, event: event.id } };
}

const RESOURCE = '{ resourceId type fields }';
const EVENT = '{ eventId resourceId payload }';

const byGraphql =
  (document: string, variables: (planted: PlantedResource) => object): Ask =>
  (client, key, planted) =>
    client.graphql(document, variables(planted.resource), { key });

/**
 * What the caller's log tells first of two things: the owner makes a resource with the marker, then the caller one of
 * its own. Whoever has a log of its own is told of its own resource alone, which is nothing of the owner's.
 */
const followLog: Ask = async (client, key, { marker }) => {
  const stream = await subscribe(client, `subscription { eventAppended { event ${EVENT} } }`, {}, key);
  if (stream.refused) return stream.refused;
  await client.send('POST', '/v1/resources', { body: { type: 'planted', fields: { marker } } });
  const own = await client.send('POST', '/v1/resources', { key, body: { type: 'own', fields: {} } });
  const first = await stream.next();
  await stream.close();
  const isOwn = first.data.eventAppended.event.resourceId === own.body.data?.id;
  return { status: 200, headers: own.headers, body: isOwn ? { data: { eventAppended: null } } : first };
};

/** How each root field of resources and events is asked for what was planted. */
export const RESOURCE_FIELDS: Readonly<Record<string, Ask>> = {
  'Query.resource': byGraphql(`query ($id: ID!) { resource(id: $id) ${RESOURCE} }`, ({ resourceId }) => ({
    id: resourceId,
  })),
  'Query.resources': byGraphql(
    `{ resources(first: 100, type: "planted") { nodes ${RESOURCE} totalCount } }`,
    () => ({}),
  ),
  'Query.event': byGraphql(`query ($id: ID!) { event(id: $id) ${EVENT} }`, ({ eventId }) => ({ id: eventId })),
  'Query.events': byGraphql(
    `query ($id: ID) { events(first: 100, resourceId: $id) { nodes ${EVENT} totalCount } }`,
    ({ resourceId }) => ({ id: resourceId }),
  ),
  'Mutation.createResource': byGraphql(
    `mutation { createResource(input: { type: "own", fields: {} }) ${RESOURCE} }`,
    () => ({}),
  ),
  'Mutation.updateResource': byGraphql(
    `mutation ($id: ID!) { updateResource(id: $id, input: { fields: { more: 1 } }) ${RESOURCE} }`,
    ({ resourceId }) => ({ id: resourceId }),
  ),
  'Mutation.deleteResource': byGraphql(
    `mutation ($id: ID!) { deleteResource(id: $id) ${RESOURCE} }`,
    ({ resourceId }) => ({ id: resourceId }),
  ),
  'Subscription.eventAppended': followLog,
};

const byRest =
  (method: string, path: (planted: PlantedResource) => string, body?: object): Ask =>
  (client, key, planted) =>
    client.send(method, path(planted.resource), { key, body });

/** The same for each REST route. */
export const RESOURCE_ROUTES: Readonly<Record<string, Ask>> = {
  'GET /v1/resources': byRest('GET', () => '/v1/resources?limit=100&type=planted'),
  'GET /v1/resources/{id}': byRest('GET', ({ resourceId }) => `/v1/resources/${resourceId}`),
  'POST /v1/resources': byRest('POST', () => '/v1/resources', { type: 'own', fields: {} }),
  'PATCH /v1/resources/{id}': byRest('PATCH', ({ resourceId }) => `/v1/resources/${resourceId}`, {
    fields: { more: 1 },
  }),
  'DELETE /v1/resources/{id}': byRest('DELETE', ({ resourceId }) => `/v1/resources/${resourceId}`),
  'GET /v1/events': byRest('GET', ({ resourceId }) => `/v1/events?limit=100&resourceId=${resourceId}`),
  'GET /v1/events/{id}': byRest('GET', ({ eventId }) => `/v1/events/${eventId}`),
};
