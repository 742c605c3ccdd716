import { lookup, pauseTurn, readHistory } from '../agent-turns.ts';
import type { Client } from '../client.ts';
import { subscribe } from '../subscriptions.ts';
import { makeEndpoint } from '../webhooks.ts';

/** What a client of the old release knows. It must hold in every later release. */
export interface Facts {
  readonly release: string;
  readonly key: string;
  readonly secretKey: string;
  readonly owner: { readonly email: string; readonly password: string };
  /** Its history, as REST returned it. */
  readonly idle: { readonly conversationId: string; readonly items: readonly unknown[] };
  /** A turn that waits for its client. */
  readonly paused: { readonly conversationId: string; readonly callId: string };
  readonly resource: { readonly id: string; readonly fields: object };
  /** The place in the log after that resource, and the resource of the next event. */
  readonly events: { readonly cursor: string; readonly next: string };
  /** The end of the first page of conversations, and the next conversation. */
  readonly page: { readonly cursor: string; readonly next: string };
  readonly endpoint: { readonly id: string; readonly secret: string };
  readonly deployments: readonly string[];
  /** The path of a published document. */
  readonly documentPath: string;
  /** The number of rows of each table. */
  readonly counts: Readonly<Record<string, number>>;
}

export const EVENTS = 'subscription ($after: String) { eventAppended(after: $after) { cursor event { resourceId } } }';

export const PAGE =
  'query ($after: String) { conversations(first: 1, after: $after) { pageInfo { endCursor } nodes { conversationId } } }';

/** Does what a client does, and returns what it must find again. */
export async function recordFacts(client: Client, url: string) {
  const idle = (await client.agentTurn('Remember this')).body.conversation_id;
  const paused = (await client.agentTurn('Hello')).body.conversation_id;
  const { callId } = await pauseTurn(client, paused, `${lookup('one')}\n/say welcome back`);
  const feed = await subscribe(client, EVENTS, { after: null }, client.key);
  const { body } = await client.send('POST', '/v1/resources', { body: { type: 'order', fields: { total: 12 } } });
  const { cursor } = (await feed.next()).data.eventAppended;
  await feed.close();
  const next = (await client.send('POST', '/v1/resources', { body: { type: 'order', fields: {} } })).body.data.id;
  const page = (await client.graphql(PAGE)).body.data.conversations.pageInfo.endCursor;
  const following = (await client.graphql(PAGE, { after: page })).body.data.conversations.nodes[0].conversationId;
  const deployments = (await client.send('GET', '/v1/deployments')).body.data.map(({ id }: { id: string }) => id);
  return {
    idle: { conversationId: idle, items: (await readHistory(client, idle)).items },
    paused: { conversationId: paused, callId },
    resource: { id: body.data.id, fields: body.data.fields },
    events: { cursor, next },
    page: { cursor: page, next: following },
    endpoint: await makeEndpoint(client, url, { eventTypes: ['RESOURCE_CREATED'] }),
    deployments: deployments.sort(),
    documentPath: '/v1/x/example_count',
  };
}
