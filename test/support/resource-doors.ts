import type { Answer, Client } from './client.ts';

/** A resource as both doors tell it. */
export interface ResourceView {
  readonly id: string;
  readonly type: string;
  readonly fields: Record<string, unknown>;
  readonly createdAt: string;
  readonly updatedAt: string;
}

/** What became of a request, whichever door it went through. */
export interface Outcome {
  readonly status: number;
  readonly code?: string;
  readonly param?: string | null;
  readonly message?: string;
  readonly resource?: ResourceView;
  readonly etag?: string | null;
}

/** One way to the resources. Both must do the same. */
export interface ResourceDoor {
  readonly name: 'REST' | 'GraphQL';
  /** How it names the precondition. */
  readonly ifMatch: string;
  create(client: Client, type: unknown, fields: unknown): Promise<Outcome>;
  read(client: Client, id: string): Promise<Outcome>;
  update(client: Client, id: string, fields: unknown, ifMatch?: string): Promise<Outcome>;
  delete(client: Client, id: string, ifMatch?: string): Promise<Outcome>;
}

const SELECTION = '{ id: resourceId type fields createdAt updatedAt etag }';

const CREATE = `mutation ($input: CreateResourceInput!) { it: createResource(input: $input) ${SELECTION} }`;
const READ = `query ($id: ID!) { it: resource(id: $id) ${SELECTION} }`;
const UPDATE = `mutation ($id: ID!, $input: UpdateResourceInput!, $ifMatch: String) {
  it: updateResource(id: $id, input: $input, ifMatch: $ifMatch) ${SELECTION} }`;
const DELETE = `mutation ($id: ID!, $ifMatch: String) { it: deleteResource(id: $id, ifMatch: $ifMatch) ${SELECTION} }`;

const at = (id: string) => `/v1/resources/${encodeURIComponent(id)}`;
const headers = (ifMatch: string | undefined) => (ifMatch === undefined ? {} : { 'if-match': ifMatch });

export const RESOURCE_DOORS: readonly ResourceDoor[] = [
  {
    name: 'REST',
    ifMatch: 'If-Match',
    create: async (client, type, fields) =>
      fromRest(await client.send('POST', '/v1/resources', { body: { type, fields } })),
    read: async (client, id) => fromRest(await client.send('GET', at(id))),
    update: async (client, id, fields, ifMatch) =>
      fromRest(await client.send('PATCH', at(id), { body: { fields }, headers: headers(ifMatch) })),
    delete: async (client, id, ifMatch) => fromRest(await client.send('DELETE', at(id), { headers: headers(ifMatch) })),
  },
  {
    name: 'GraphQL',
    ifMatch: 'ifMatch',
    create: async (client, type, fields) => fromGraphql(await client.graphql(CREATE, { input: { type, fields } }), 201),
    read: async (client, id) => fromGraphql(await client.graphql(READ, { id })),
    update: async (client, id, fields, ifMatch) =>
      fromGraphql(await client.graphql(UPDATE, { id, input: { fields }, ifMatch })),
    delete: async (client, id, ifMatch) => {
      const { resource, etag, ...outcome } = fromGraphql(await client.graphql(DELETE, { id, ifMatch }), 204);
      return outcome;
    },
  },
];

function fromRest({ status, body, headers: sent }: Answer): Outcome {
  if (body.error) return { status, code: body.error.code, param: body.error.param, message: body.error.message };
  if (!body.data) return { status };
  const { created_at: createdAt, updated_at: updatedAt, ...rest } = body.data;
  return { status, resource: { ...rest, createdAt, updatedAt }, etag: sent.get('etag') };
}

/** GraphQL has no status of success: it is REST's. */
function fromGraphql({ body }: Answer, status = 200): Outcome {
  const [error] = body.errors ?? [];
  if (error) {
    const { status: failed, code, param } = error.extensions;
    return { status: failed, code, param, message: error.message };
  }
  const { etag, ...resource } = body.data.it;
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
