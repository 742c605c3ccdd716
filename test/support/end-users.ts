import { randomUUID } from 'node:crypto';
import type { SendOperation } from './all-operations.ts';
import type { Client } from './client.ts';
import { mutationOf } from './results.ts';

export const CREATE_TOKEN = mutationOf('createEndUserToken', '{ token endUser deploymentId expiresAt }');
export const REVOKE_TOKENS = mutationOf('revokeEndUserTokens', '{ tokens }');
export const SET_ISSUER = mutationOf(
  'setEndUserIssuer',
  '{ endUserIssuer { issuer audience jwksUrl deploymentIds scopeClaim } }',
);
export const REMOVE_ISSUER =
  'mutation { removeEndUserIssuer { __typename ... on RemoveEndUserIssuerPayload { environment } ... on Error { code message path } } }';
export const TEST_ISSUER =
  'mutation { testEndUserIssuer { __typename ... on TestEndUserIssuerPayload { problem } ... on Error { code message path } } }';
export const ERASE_END_USER = mutationOf('eraseEndUser', '{ tokens conversations isComplete }');

/** A token of an end user, made through the API. */
export async function endUserToken(
  client: Client,
  deploymentId: string,
  endUser: string,
  settings: object = {},
): Promise<string> {
  const input = { deploymentId, endUser, ttlSeconds: 600, ...settings };
  const { body } = await client.graphql(CREATE_TOKEN, { input });
  return body.data.createEndUserToken.token;
}

export type EndUsers = ReturnType<typeof endUsersOf>;

/** What end users do at a deployment. A null key sends no credentials. */
export function endUsersOf(client: Client, deploymentId: string) {
  const chat = (key: string | null, text: string, fields: object = {}, at = deploymentId) =>
    client.send('POST', `/v1/runner/${at}/conversation`, { key, body: said(text, fields) });
  return {
    chat,
    tokenOf: (endUser: string, settings?: object) => endUserToken(client, deploymentId, endUser, settings),
    /** Starts a conversation and returns its ID. */
    async start(key: string, text = 'Hello'): Promise<string> {
      const { status, body } = await chat(key, text);
      if (status !== 200) throw new Error(`The start of a conversation was answered with ${status}.`);
      return body.conversation_id;
    },
    read: (key: string | null, id: string) =>
      client.send('GET', `/v1/runner/conversation/${id}/messages`, { key, headers: { 'x-request-id': 'same' } }),
  };
}

/** The body of a request with one message. */
export const said = (text: string, fields: object = {}) => ({ content: [{ type: 'text', text }], ...fields });

/** An end user who has nothing. */
const NOBODY = { endUser: 'nobody' };

/** The request of each root field of end users. */
export const END_USER_FIELDS: Readonly<Record<string, SendOperation>> = {
  'Mutation.createEndUserToken': (client, key, { deploymentId }) =>
    client.graphql(CREATE_TOKEN, { input: { ...NOBODY, deploymentId, ttlSeconds: 1 } }, { key }),
  'Mutation.revokeEndUserTokens': (client, key) => client.graphql(REVOKE_TOKENS, { input: NOBODY }, { key }),
  'Query.endUserIssuer': (client, key) => client.graphql('{ endUserIssuer { issuer } }', {}, { key }),
  'Mutation.setEndUserIssuer': async (client, key, { deploymentId }) => {
    // No two environments can have the same issuer and audience.
    const named = { issuer: 'https://login.example.com', audience: randomUUID() };
    const input = { ...named, jwksUrl: 'https://1.1.1.1/jwks', deploymentIds: [deploymentId] };
    const response = await client.graphql(SET_ISSUER, { input }, { key });
    // Other rows expect that there is no issuer.
    await client.graphql(REMOVE_ISSUER, {}, { key });
    return response;
  },
  'Mutation.removeEndUserIssuer': (client, key) => client.graphql(REMOVE_ISSUER, {}, { key }),
  'Mutation.testEndUserIssuer': (client, key) => client.graphql(TEST_ISSUER, {}, { key }),
  'Mutation.eraseEndUser': (client, key) => client.graphql(ERASE_END_USER, { input: NOBODY }, { key }),
};

/** The request of each path of end users. */
export const END_USER_ROUTES: Readonly<Record<string, SendOperation>> = {
  'POST /v1/runner/{deployment_id}/end-user-tokens': (client, key, { deploymentId }) =>
    client.send('POST', `/v1/runner/${deploymentId}/end-user-tokens`, {
      key,
      body: { end_user: 'nobody', ttl_seconds: 1 },
    }),
  'POST /v1/end-users/revoke': (client, key) =>
    client.send('POST', '/v1/end-users/revoke', { key, body: { end_user: 'nobody' } }),
  'POST /v1/end-users/erase': (client, key) =>
    client.send('POST', '/v1/end-users/erase', { key, body: { end_user: 'nobody' } }),
};
