import type { Client, SendOptions } from './client.ts';
import { mutationOf } from './results.ts';

const FIELDS =
  'apiKeyId expiresAt allowedIpRanges deploymentIds previousSecretExpiresAt lastUsedAt lastUsedAddress isUnused';

export const CREATE_KEY = mutationOf('createApiKey', `{ secret apiKey { ${FIELDS} } }`);
const UPDATE_KEY = mutationOf('updateApiKey', `{ apiKey { ${FIELDS} } }`);
export const ROTATE_KEY = mutationOf('rotateApiKey', `{ secret apiKey { ${FIELDS} } }`);
export const REVOKE_KEY = mutationOf('revokeApiKey', `{ apiKey { ${FIELDS} } }`);

/** Creates a key through the API. */
export async function createKey(client: Client, settings: object = {}) {
  const input = { name: 'Restricted', scopes: ['EVENTS_READ'], ...settings };
  const { body } = await client.graphql(CREATE_KEY, { input });
  const { apiKey, secret } = body.data.createApiKey;
  return { id: apiKey.apiKeyId as string, secret: secret as string, apiKey };
}

export async function updateKey(client: Client, id: string, settings: object, options: SendOptions = {}) {
  return client.graphql(UPDATE_KEY, { input: { id, ...settings } }, options);
}

/** Rotates a key through the API and returns its new secret. */
export async function rotateKeyById(client: Client, id: string, overlapHours?: number): Promise<string> {
  const { body } = await client.graphql(ROTATE_KEY, { input: { id, overlapHours } });
  return body.data.rotateApiKey.secret;
}

/** The status of a read with a key. */
export async function statusOf(client: Client, key: string, headers: Record<string, string> = {}): Promise<number> {
  return (await client.send('GET', '/v1/events', { key, headers })).status;
}
