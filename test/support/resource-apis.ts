import type { Client, HttpResponse } from './client.ts';
import { errorOf, resultOf, statusOf } from './results.ts';

/** A resource in the common form of both APIs. */
export interface ResourceView {
  readonly id: string;
  readonly type: string;
  readonly fields: Record<string, unknown>;
  readonly createdAt: string;
  readonly updatedAt: string;
}

/** The outcome of a request, in the same form for both APIs. */
export interface ResourceOutcome {
  readonly status: number;
  readonly code?: string;
  readonly param?: string | null;
  readonly message?: string;
  readonly resource?: ResourceView;
  readonly etag?: string | null;
}

/** One of the two APIs of resources. Both must behave in the same way. */
export interface ResourceApi {
  readonly name: 'REST' | 'GraphQL';
  /** The name of the precondition. */
  readonly ifMatch: string;
  create(client: Client, type: unknown, fields: unknown): Promise<ResourceOutcome>;
  read(client: Client, id: string): Promise<ResourceOutcome>;
  update(client: Client, id: string, fields: unknown, ifMatch?: string): Promise<ResourceOutcome>;
  delete(client: Client, id: string, ifMatch?: string): Promise<ResourceOutcome>;
}

const SELECTION = '{ id: resourceId type fields createdAt updatedAt etag }';

const CREATE = `mutation ($input: CreateResourceInput!) { it: createResource(input: $input) { __typename ... on CreateResourcePayload { resource ${SELECTION} } ... on Error { code message path } } }`;
const READ = `query ($id: ID!) { it: resource(id: $id) ${SELECTION} }`;
const UPDATE = `mutation ($input: UpdateResourceInput!) {
  it: updateResource(input: $input) { __typename ... on UpdateResourcePayload { resource ${SELECTION} } ... on Error { code message path } } }`;
const DELETE = `mutation ($id: ID!, $ifMatch: String) { it: deleteResource(input: { id: $id, ifMatch: $ifMatch }) { __typename ... on DeleteResourcePayload { resource ${SELECTION} } ... on Error { code message path } } }`;

const pathOf = (id: string) => `/v1/resources/${encodeURIComponent(id)}`;
const headers = (ifMatch: string | undefined) => (ifMatch === undefined ? {} : { 'if-match': ifMatch });

export const RESOURCE_APIS: readonly ResourceApi[] = [
  {
    name: 'REST',
    ifMatch: 'If-Match',
    create: async (client, type, fields) =>
      fromRest(await client.send('POST', '/v1/resources', { body: { type, fields } })),
    read: async (client, id) => fromRest(await client.send('GET', pathOf(id))),
    update: async (client, id, fields, ifMatch) =>
      fromRest(await client.send('PATCH', pathOf(id), { body: { fields }, headers: headers(ifMatch) })),
    delete: async (client, id, ifMatch) =>
      fromRest(await client.send('DELETE', pathOf(id), { headers: headers(ifMatch) })),
  },
  {
    name: 'GraphQL',
    ifMatch: 'ifMatch',
    create: async (client, type, fields) => fromGraphql(await client.graphql(CREATE, { input: { type, fields } }), 201),
    read: async (client, id) => {
      const response = await client.graphql(READ, { id });
      return !response.body.errors && Object.values(response.body.data)[0] === null ? MISSING : fromGraphql(response);
    },
    update: async (client, id, fields, ifMatch) =>
      fromGraphql(await client.graphql(UPDATE, { input: { id, fields, ifMatch } })),
    delete: async (client, id, ifMatch) => {
      const { resource, etag, ...outcome } = fromGraphql(await client.graphql(DELETE, { id, ifMatch }), 204);
      return outcome;
    },
  },
];

function fromRest({ status, body, headers: responseHeaders }: HttpResponse): ResourceOutcome {
  if (body.error) return { status, code: body.error.code, param: body.error.param, message: body.error.message };
  if (!body.data) return { status };
  const { created_at: createdAt, updated_at: updatedAt, ...rest } = body.data;
  return { status, resource: { ...rest, createdAt, updatedAt }, etag: responseHeaders.get('etag') };
}

/** A look-up by GraphQL returns null instead of this error. */
const MISSING: ResourceOutcome = {
  status: 404,
  code: 'not_found',
  param: 'id',
  message: 'There is no resource with this ID in this environment. Check id.',
};

/** GraphQL has no status of success, so this uses REST's. */
function fromGraphql(response: HttpResponse, status = 200): ResourceOutcome {
  const error = errorOf(response);
  if (error) {
    const { code, param, message } = error;
    return { status: statusOf(error), code, param, message };
  }
  const { etag, ...resource } = resultOf(response);
  return { status, resource, etag };
}

export interface EventView {
  readonly id: string;
  readonly type: string;
  readonly resource_id: string;
  readonly payload: Record<string, unknown>;
  readonly occurred_at: string;
}

/** All events of a resource, oldest first. */
export async function eventsOf(client: Client, resourceId: string): Promise<EventView[]> {
  const { body } = await client.send('GET', `/v1/events?limit=100&resourceId=${resourceId}`);
  return body.data.reverse();
}
