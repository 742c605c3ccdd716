import { LIMITS } from '../../../contract/limits.ts';
import { formatCount } from '../../../contract/quantities.ts';
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
import { BOUND_SCOPES } from '../../../domain/access/reach.ts';
import type { NodeExtensions } from '../../../operation/node-scope.ts';
import { builder, type InputFields } from '../builder.ts';
import { mutation } from '../mutation.ts';
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

const RATE = `Requests per minute, 1 to ${formatCount(LIMITS.ratePerMinute)}. Null, the default: no limit.`;

/** The settings that restrict when, from where and for what a key works. */
const restrictions = (t: InputFields) => ({
  expiresAt: t.field({
    type: 'DateTime',
    description: 'When the key expires: a time in the future. Null, the default: never.',
  }),
  allowedIpRanges: t.stringList({
    description: `The IP ranges that requests with the key must come from: 1 to ${LIMITS.keyIpRanges} addresses or ranges in CIDR notation, IPv4 or IPv6. Null, the default: every address.`,
  }),
  deploymentIds: t.field({
    type: ['UUID'],
    description: `The deployments that the key is bound to: 1 to ${LIMITS.keyDeployments}. Only for keys with no other scopes than ${BOUND_SCOPES.join(', ')}. Null, the default: the key is not bound.`,
  }),
});

const CreateApiKeyInput = builder.inputType('CreateApiKeyInput', {
  description: 'The settings of a new key.',
  fields: (t) => ({
    name: t.string({
      required: true,
      description: `Display name: 1 to ${LIMITS.keyNameLength} characters, not blank.`,
    }),
    scopes: t.field({
      type: [ScopeEnum],
      required: true,
      description: 'The permissions of the key. The caller must have each of them.',
    }),
    requestsPerMinute: t.int({ description: RATE }),
    ...restrictions(t),
  }),
});

const KEY_ID = { required: true, idOf: 'ApiKey', description: 'The ID of a key: key_ and 26 characters.' } as const;

const UpdateApiKeyInput = builder.inputType('UpdateApiKeyInput', {
  description: 'Changes to a key. Omitted fields keep their value.',
  fields: (t) => ({
    id: t.id(KEY_ID),
    name: t.string({ description: `Display name: 1 to ${LIMITS.keyNameLength} characters, not blank.` }),
    requestsPerMinute: t.int({ description: RATE }),
    ...restrictions(t),
  }),
});

const RotateApiKeyInput = builder.inputType('RotateApiKeyInput', {
  description: 'The key whose secret is replaced.',
  fields: (t) => ({
    id: t.id(KEY_ID),
    overlapHours: t.int({
      description: `How long the current secret still works: 0 to ${LIMITS.rotationOverlapHours} hours. Default: 0, it stops working immediately.`,
    }),
  }),
});

const RevokeApiKeyInput = builder.inputType('RevokeApiKeyInput', {
  description: 'The key to revoke.',
  fields: (t) => ({ id: t.id(KEY_ID) }),
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
  input: CreateApiKeyInput,
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
  input: UpdateApiKeyInput,
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
  input: RotateApiKeyInput,
  errors: ['invalid_request', 'not_found'],
  resolve: ({ id, overlapHours }, { domain }) => rotateApiKey(domain, id, { overlapHours: overlapHours ?? undefined }),
  payload: (t) => ({
    apiKey: t.expose('apiKey', { type: ApiKey, description: 'The key.' }),
    secret: t.exposeString('secret', SECRET),
  }),
});

mutation('revokeApiKey', {
  publishing: 'never',
  access: { scope: 'keys:manage' },
  description: 'Revokes a key permanently on every process. Its open streams end. Scope: keys:manage.',
  input: RevokeApiKeyInput,
  errors: ['not_found'],
  resolve: ({ id }, { domain }) => revokeApiKey(domain, id),
  payload: (t) => ({
    apiKey: t.field({ type: ApiKey, description: 'The revoked key.', resolve: (key) => key }),
  }),
});
