import type { Client, HttpResponse } from './client.ts';

/** A connection of the schema that returns pages of IDs. */
export interface Connection {
  readonly name: string;
  fetchPage(client: Client, conversationId: string, variables: object, key?: string): Promise<HttpResponse>;
}

const ARGUMENTS = 'first: $first, after: $after, last: $last, before: $before';
const VARIABLES = '$first: Int, $after: String, $last: Int, $before: String';
const PAGE = '{ nodes { id } pageInfo { endCursor } }';

export const CONVERSATIONS: Connection = {
  name: 'conversations',
  fetchPage(client, _conversationId, variables, key) {
    const document = `query (${VARIABLES}, $deployment: ID) {
      conversations(${ARGUMENTS}, filter: { deploymentId: $deployment }) ${PAGE}
    }`;
    return client.graphql(document, variables, key === undefined ? {} : { key });
  },
};

/** Connections of one conversation. */
const OF_A_CONVERSATION = ['messages', 'history'].map((name): Connection => {
  const document = `query (${VARIABLES}, $id: ID!) {
    conversation(id: $id) { ${name}(${ARGUMENTS}) ${PAGE} }
  }`;
  return { name, fetchPage: (client, id, variables) => client.graphql(document, { id, ...variables }) };
});

/** Connections of the environment in addition to conversations. */
const OF_THE_ENVIRONMENT = ['resources', 'events'].map((name): Connection => {
  const document = `query (${VARIABLES}) { ${name}(${ARGUMENTS}) ${PAGE} }`;
  return { name, fetchPage: (client, _id, variables) => client.graphql(document, variables) };
});

export const CONNECTIONS: readonly Connection[] = [CONVERSATIONS, ...OF_THE_ENVIRONMENT, ...OF_A_CONVERSATION];

/** The cursor of the first item. */
export async function firstCursorOf(connection: Connection, client: Client, conversationId: string): Promise<string> {
  const { body } = await connection.fetchPage(client, conversationId, { first: 1 });
  return (body.data[connection.name] ?? body.data.conversation[connection.name]).pageInfo.endCursor;
}
