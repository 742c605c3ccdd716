import type { ApiKey as ApiKeyRow } from '../db/generated/client.ts';
import {
  createApiKey,
  findApiKeys,
  listApiKeys,
  maskedKey,
  revokeApiKey,
  rotateApiKey,
  type ShownKey,
  scopesOf,
  updateApiKey,
} from '../domain/access/api-keys.ts';
import { builder } from './builder.ts';
import { ScopeEnum } from './enums.ts';
import type { NodeExtensions } from './node-scope.ts';

const ApiKeyRef = builder.objectRef<ApiKeyRow>('ApiKey');

const ApiKey = builder.node(ApiKeyRef, {
  id: { resolve: ({ id }) => id, description: 'The global id, for `node`.' },
  extensions: { nodeScope: 'keys:manage' } satisfies NodeExtensions,
  description: 'What a server shows to be let in. Its secret is shown by the call that made it, and never again.',
  loadMany: async (ids, { domain }) => {
    const found = await findApiKeys(domain, ids);
    return ids.map((id) => found.find((key) => key.id === id) ?? null);
  },
  fields: (t) => ({
    apiKeyId: t.exposeID('id', { description: 'What every operation names it by: key_ and 26 characters.' }),
    name: t.exposeString('name', { description: 'For people.' }),
    masked: t.string({
      description: 'Its prefix and its last four characters.',
      resolve: (key, _args, { domain }) => maskedKey(key, domain.environment.kind),
    }),
    scopes: t.field({ type: [ScopeEnum], description: 'What it may do.', resolve: scopesOf }),
    requestsPerMinute: t.exposeInt('requestsPerMinute', {
      nullable: true,
      description: 'Requests a minute that it may make; null for no limit.',
    }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'When it was made.' }),
    rotatedAt: t.expose('rotatedAt', {
      type: 'DateTime',
      nullable: true,
      description: 'When it last got another secret; null for never.',
    }),
    revokedAt: t.expose('revokedAt', {
      type: 'DateTime',
      nullable: true,
      description: 'Since when it is of no use; null while it is.',
    }),
    lastUsedAt: t.expose('lastUsedAt', {
      type: 'DateTime',
      nullable: true,
      description: 'When it was last used, to the minute; null for never.',
    }),
  }),
});

const ShownKeyObject = builder.objectRef<ShownKey>('ShownApiKey').implement({
  description: 'A key with its secret.',
  fields: (t) => ({
    apiKey: t.expose('apiKey', { type: ApiKey, description: 'The key.' }),
    secret: t.exposeString('secret', { description: 'Shown this once: sk_live_ or sk_test_ and 43 characters.' }),
  }),
});

const RATE = 'Requests a minute that it may make, 1 to 1,000,000; null, the default, for no limit.';

const CreateApiKeyInput = builder.inputType('CreateApiKeyInput', {
  description: 'A new key.',
  fields: (t) => ({
    name: t.string({ required: true, description: 'For people: 1 to 100 characters, not blank.' }),
    scopes: t.field({
      type: [ScopeEnum],
      required: true,
      description: 'What it may do: none that whoever makes it does not have.',
    }),
    requestsPerMinute: t.int({ description: RATE }),
  }),
});

const UpdateApiKeyInput = builder.inputType('UpdateApiKeyInput', {
  description: 'What is to be other of a key. What is left out stays.',
  fields: (t) => ({
    name: t.string({ description: 'For people: 1 to 100 characters, not blank.' }),
    requestsPerMinute: t.int({ description: RATE }),
  }),
});

const ID_ARG = { required: true, description: 'Its id: key_ and 26 characters.' } as const;

builder.queryField('apiKeys', (t) =>
  t.connection(
    {
      type: ApiKey,
      authScopes: { scope: 'keys:manage' },
      description: 'Keys of the environment, newest first, revoked ones included. Scope: keys:manage.',
      resolve: (_root, args, { domain }) => listApiKeys(domain, args),
    },
    { name: 'ApiKeyConnection', description: 'A page of keys.' },
    { name: 'ApiKeyEdge' },
  ),
);

builder.mutationField('createApiKey', (t) =>
  t.field({
    type: ShownKeyObject,
    authScopes: { scope: 'keys:manage' },
    description:
      'Makes a key of the environment that the request acts in: its own, or that of `x-environment`. Scope: keys:manage.',
    args: { input: t.arg({ type: CreateApiKeyInput, required: true, description: 'The key.' }) },
    resolve: (_root, { input }, { domain }) => createApiKey(domain, input),
  }),
);

builder.mutationField('updateApiKey', (t) =>
  t.field({
    type: ApiKey,
    authScopes: { scope: 'keys:manage' },
    description: 'Changes name and limit of a key, from its next request on. Scope: keys:manage.',
    args: {
      id: t.arg.id(ID_ARG),
      input: t.arg({ type: UpdateApiKeyInput, required: true, description: 'What is to be other.' }),
    },
    resolve: (_root, { id, input }, { domain }) => updateApiKey(domain, id, input),
  }),
);

builder.mutationField('rotateApiKey', (t) =>
  t.field({
    type: ShownKeyObject,
    authScopes: { scope: 'keys:manage' },
    description:
      'Gives a key another secret. The old one is of no use from now on, on every process, and what it opened ends. Scope: keys:manage.',
    args: { id: t.arg.id(ID_ARG) },
    resolve: (_root, { id }, { domain }) => rotateApiKey(domain, id),
  }),
);

builder.mutationField('revokeApiKey', (t) =>
  t.field({
    type: ApiKey,
    authScopes: { scope: 'keys:manage' },
    description: 'Ends a key for ever, on every process, and what it opened. Scope: keys:manage.',
    args: { id: t.arg.id(ID_ARG) },
    resolve: (_root, { id }, { domain }) => revokeApiKey(domain, id),
  }),
);
