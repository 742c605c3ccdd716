import { LIMITS } from '../../../contract/limits.ts';
import type { ApiKey as ApiKeyRow } from '../../../db/generated/client.ts';
import {
  createApiKey,
  findApiKeys,
  isUnused,
  listApiKeys,
  maskedKey,
  revokeApiKey,
  rotateApiKey,
  scopesOf,
  updateApiKey,
} from '../../../domain/access/keys/api-keys.ts';
import type { NodeExtensions } from '../../../operation/node-scope.ts';
import { CREATE_API_KEY, REVOKE_API_KEY, ROTATE_API_KEY, UPDATE_API_KEY } from '../../../shapes/api-keys.ts';
import { builder } from '../builder.ts';
import { mutation } from '../mutation.ts';
import { inputType } from '../shape-fields.ts';
import { ScopeEnum } from './access-enums.ts';

const ApiKeyRef = builder.objectRef<ApiKeyRow>('ApiKey');

export const ApiKey = builder.node(ApiKeyRef, {
  id: { resolve: ({ id }) => id, description: 'The global ID, for `node`.' },
  extensions: { nodeScope: 'keys:manage' } satisfies NodeExtensions,
  description: 'A credential for servers. Only createApiKey and rotateApiKey return its secret.',
  loadMany: async (ids, { domain }) => {
    const keys = await findApiKeys(domain, ids);
    return ids.map((id) => keys.find((key) => key.id === id) ?? null);
  },
  fields: (t) => ({
    apiKeyId: t.exposeID('id', { description: 'The ID: key_ and 26 characters.' }),
    name: t.exposeString('name', { description: 'Display name.' }),
    masked: t.string({
      description: 'The prefix and the last four characters of the secret.',
      resolve: (key, _args, { domain }) => maskedKey(key, domain.environment.kind),
    }),
    scopes: t.field({ type: [ScopeEnum], description: 'The permissions of the key.', resolve: scopesOf }),
    requestsPerMinute: t.exposeInt('requestsPerMinute', {
      nullable: true,
      description: 'Requests per minute. Null: no limit.',
    }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'Creation time.' }),
    rotatedAt: t.expose('rotatedAt', {
      type: 'DateTime',
      nullable: true,
      description: 'When the secret was last rotated. Null: never.',
    }),
    revokedAt: t.expose('revokedAt', {
      type: 'DateTime',
      nullable: true,
      description: 'When the key was revoked. Null: it is valid.',
    }),
    lastUsedAt: t.expose('lastUsedAt', {
      type: 'DateTime',
      nullable: true,
      description: 'Last use, with a precision of one minute. Null: never.',
    }),
    lastUsedAddress: t.exposeString('lastUsedAddress', {
      nullable: true,
      description: 'The IP address of the last use, with a precision of one minute. Null: unknown.',
    }),
    isUnused: t.boolean({
      description: `A warning: the key is valid, but has not been used for ${LIMITS.unusedKeyDays} days. Revoke it if nothing needs it.`,
      resolve: (key, _args, { domain }) => isUnused(key, domain.now()),
    }),
    expiresAt: t.expose('expiresAt', {
      type: 'DateTime',
      nullable: true,
      description: 'When the key expires. Null: never.',
    }),
    allowedIpRanges: t.exposeStringList('allowedIpRanges', {
      description: 'The IP ranges that requests with the key must come from. Empty: every address.',
    }),
    deploymentIds: t.expose('deploymentIds', {
      type: ['UUID'],
      description: 'The deployments that the key is bound to. Empty: it is not bound.',
    }),
    previousSecretExpiresAt: t.field({
      type: 'DateTime',
      nullable: true,
      description: 'When the secret before the latest rotation stops working. Null: it does not work.',
      resolve: ({ previousExpiresAt, revokedAt }, _args, { domain }) =>
        revokedAt || (previousExpiresAt && previousExpiresAt <= domain.now()) ? null : previousExpiresAt,
    }),
  }),
});

builder.queryField('apiKeys', (t) =>
  t.connection(
    {
      publishing: 'never',
      type: ApiKey,
      access: { scope: 'keys:manage' },
      description: 'API keys of the environment, including revoked keys, newest first. Scope: keys:manage.',
      resolve: (_root, args, { domain }) => listApiKeys(domain, args),
    },
    { name: 'ApiKeyConnection', description: 'A page of API keys.' },
    { name: 'ApiKeyEdge' },
  ),
);

const SECRET = {
  description: 'The secret: sk_live_ or sk_test_ and 43 characters. It is shown only once.',
} as const;

mutation('createApiKey', {
  publishing: 'never',
  access: { scope: 'keys:manage' },
  description:
    'Creates an API key in the environment of the request. A session chooses the environment with `x-environment`. Scope: keys:manage.',
  input: inputType(CREATE_API_KEY),
  errors: ['invalid_request'],
  resolve: (input, { domain }) => createApiKey(domain, input),
  payload: (t) => ({
    apiKey: t.expose('apiKey', { type: ApiKey, description: 'The new key.' }),
    secret: t.exposeString('secret', SECRET),
  }),
});

mutation('updateApiKey', {
  publishing: 'never',
  access: { scope: 'keys:manage' },
  description:
    'Changes the settings of a key. Takes effect with its next request. If its IP ranges or deployments change, its open streams end. Scope: keys:manage.',
  input: inputType(UPDATE_API_KEY),
  errors: ['invalid_request', 'not_found'],
  resolve: ({ id, ...changes }, { domain }) => updateApiKey(domain, id, changes),
  payload: (t) => ({
    apiKey: t.field({ type: ApiKey, description: 'The changed key.', resolve: (key) => key }),
  }),
});

mutation('rotateApiKey', {
  publishing: 'never',
  access: { scope: 'keys:manage' },
  description:
    'Replaces the secret of a key. The old secret stops working on every process, immediately or after `overlapHours`, and its open streams end. A secret from before the old one stops working immediately. Scope: keys:manage.',
  input: inputType(ROTATE_API_KEY),
  errors: ['invalid_request', 'not_found'],
  resolve: ({ id, ...rotation }, { domain }) => rotateApiKey(domain, id, rotation),
  payload: (t) => ({
    apiKey: t.expose('apiKey', { type: ApiKey, description: 'The key.' }),
    secret: t.exposeString('secret', SECRET),
  }),
});

mutation('revokeApiKey', {
  publishing: 'never',
  access: { scope: 'keys:manage' },
  description: 'Revokes a key permanently on every process. Its open streams end. Scope: keys:manage.',
  input: inputType(REVOKE_API_KEY),
  errors: ['not_found'],
  resolve: ({ id }, { domain }) => revokeApiKey(domain, id),
  payload: (t) => ({
    apiKey: t.field({ type: ApiKey, description: 'The revoked key.', resolve: (key) => key }),
  }),
});
