import type { SendOperation } from './all-operations.ts';
import type { Client } from './client.ts';
import { subscribe } from './subscriptions.ts';

/** A resource and the event of its creation: their public IDs and their global IDs. */
export interface ResourceFixture {
  readonly resourceId: string;
  readonly eventId: string;
  readonly nodes: { readonly resource: string; readonly event: string };
}

export async function createResourceFixture(owner: Client, marker: string): Promise<ResourceFixture> {
  const { body } = await owner.send('POST', '/v1/resources', { body: { type: 'planted', fields: { marker } } });
  const resourceId: string = body.data.id;
  const read = await owner.graphql(
    'query ($id: ID!) { resource(id: $id) { id } events(filter: { resourceId: $id }) { nodes { id eventId } } }',
    { id: resourceId },
  );
  const { resource, events } = read.body.data;
  const [event] = events.nodes;
  return { resourceId, eventId: event.eventId, nodes: { resource: resource.id, event: event.id } };
}

const RESOURCE = '{ resourceId type fields }';
const EVENT = '{ eventId resourceId payload { json } }';

const byGraphql =
  (document: string, variables: (fixtures: ResourceFixture) => object): SendOperation =>
  (client, key, fixtures) =>
    client.graphql(document, variables(fixtures.resource), { key });

/**
 * The first event that the caller's log receives: the owner creates a resource with the marker, then the caller creates
 * one. A caller with another log receives only its own resource.
 */
const followLog: SendOperation = async (client, key, { marker }) => {
  const stream = await subscribe(client, `subscription { eventAppended { event ${EVENT} } }`, {}, key);
  if (stream.rejection) return stream.rejection;
  await client.send('POST', '/v1/resources', { body: { type: 'planted', fields: { marker } } });
  const own = await client.send('POST', '/v1/resources', { key, body: { type: 'own', fields: {} } });
  const first = await stream.next();
  await stream.close();
  const isOwn = first.data.eventAppended.event.resourceId === own.body.data?.id;
  return { status: 200, headers: own.headers, body: isOwn ? { data: { eventAppended: null } } : first };
};

/** The request of each root field of resources and events for the fixtures. */
export const RESOURCE_FIELDS: Readonly<Record<string, SendOperation>> = {
  'Query.resource': byGraphql(`query ($id: ID!) { resource(id: $id) ${RESOURCE} }`, ({ resourceId }) => ({
    id: resourceId,
  })),
  'Query.resources': byGraphql(
    `{ resources(first: 100, filter: { type: "planted" }) { nodes ${RESOURCE} totalCount } }`,
    () => ({}),
  ),
  'Query.event': byGraphql(`query ($id: ID!) { event(id: $id) ${EVENT} }`, ({ eventId }) => ({ id: eventId })),
  'Query.events': byGraphql(
    `query ($id: ID) { events(first: 100, filter: { resourceId: $id }) { nodes ${EVENT} totalCount } }`,
    ({ resourceId }) => ({ id: resourceId }),
  ),
  'Mutation.createResource': byGraphql(
    `mutation { createResource(input: { type: "own", fields: {} }) { __typename ... on CreateResourcePayload { resource ${RESOURCE} } ... on Error { code message path } } }`,
    () => ({}),
  ),
  'Mutation.updateResource': byGraphql(
    `mutation ($id: ID!) { updateResource(input: { id: $id, fields: { more: 1 } }) { __typename ... on UpdateResourcePayload { resource ${RESOURCE} } ... on Error { code message path } } }`,
    ({ resourceId }) => ({ id: resourceId }),
  ),
  'Mutation.deleteResource': byGraphql(
    `mutation ($id: ID!) { deleteResource(input: { id: $id }) { __typename ... on DeleteResourcePayload { resource ${RESOURCE} } ... on Error { code message path } } }`,
    ({ resourceId }) => ({ id: resourceId }),
  ),
  'Subscription.eventAppended': followLog,
};

const byRest =
  (method: string, path: (fixtures: ResourceFixture) => string, body?: object): SendOperation =>
  (client, key, fixtures) =>
    client.send(method, path(fixtures.resource), { key, body });

/** The request of each REST route of resources and events. */
export const RESOURCE_ROUTES: Readonly<Record<string, SendOperation>> = {
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
