import { disconnectIntegration, updateIntegration } from '../domain/integrations/change.ts';
import { connectIntegration } from '../domain/integrations/connect.ts';
import { findIntegration, findIntegrations, type Integration, listIntegrations } from '../domain/integrations/reads.ts';
import { builder } from './builder.ts';
import { IntegrationKindEnum } from './enums.ts';
import type { NodeExtensions } from './node-scope.ts';

const IntegrationRef = builder.objectRef<Integration>('Integration');

const IntegrationNode = builder.node(IntegrationRef, {
  id: { resolve: ({ id }) => id, description: 'The global id, for `node`.' },
  extensions: { nodeScope: 'integrations:manage' } satisfies NodeExtensions,
  description: "A system of the workspace's own: an MCP server or an HTTP API.",
  loadMany: async (ids, { domain }) => {
    const found = await findIntegrations(domain, ids);
    return ids.map((id) => found.find((integration) => integration.id === id) ?? null);
  },
  fields: (t) => ({
    integrationId: t.exposeID('id', { description: 'What every operation names it by: int_ and 26 characters.' }),
    kind: t.expose('kind', { type: IntegrationKindEnum, description: 'What is at the address.' }),
    name: t.exposeString('name', { description: "The owner's own name for it." }),
    url: t.exposeString('url', { description: 'Of the MCP server, or what the paths of the API begin with.' }),
    headerNames: t.stringList({
      description: 'Headers that are sent along, by name. Their values are secrets and are never shown.',
      resolve: ({ headerNames }) => [...headerNames],
    }),
    connected: t.boolean({
      description: 'Whether it is in use: until it is disconnected, for ever.',
      resolve: ({ disconnectedAt }) => disconnectedAt === null,
    }),
    connectedAt: t.expose('connectedAt', { type: 'DateTime', description: 'When it was connected.' }),
    disconnectedAt: t.expose('disconnectedAt', {
      type: 'DateTime',
      nullable: true,
      description: 'When it was disconnected; null while it is connected.',
    }),
  }),
});

const HeaderInput = builder.inputType('IntegrationHeaderInput', {
  description: 'A header to send along.',
  fields: (t) => ({
    name: t.string({
      required: true,
      description: 'As HTTP has them, like Authorization; none that the connection needs.',
    }),
    value: t.string({ required: true, description: 'A secret: it is sealed and never shown again. At most 4 KiB.' }),
  }),
});

const ConnectInput = builder.inputType('ConnectIntegrationInput', {
  description: 'A new integration.',
  fields: (t) => ({
    kind: t.field({ type: IntegrationKindEnum, required: true, description: 'What is at the address.' }),
    name: t.string({ required: true, description: 'A name of your own, at most 100 characters.' }),
    url: t.string({
      required: true,
      description: 'An https address of the public internet, at most 2,048 characters.',
    }),
    headers: t.field({ type: [HeaderInput], description: 'At most 20 headers, each name once.' }),
  }),
});

const UpdateInput = builder.inputType('UpdateIntegrationInput', {
  description: 'A change of an integration. What is left out, or null, stays as it is.',
  fields: (t) => ({
    name: t.string({ description: 'A name of your own, at most 100 characters.' }),
    url: t.string({ description: 'An https address of the public internet, at most 2,048 characters.' }),
    headers: t.field({
      type: [HeaderInput],
      description: 'All headers, in place of those before; at most 20. Required with the address of another host.',
    }),
  }),
});

const SCOPE = { scope: 'integrations:manage' } as const;

const ID_ARG = { required: true, description: 'Its public id, int_ and 26 characters.' } as const;

builder.queryField('integration', (t) =>
  t.field({
    type: IntegrationNode,
    nullable: true,
    authScopes: SCOPE,
    description:
      'One integration of the environment; an error not_found where there is none. Scope: integrations:manage.',
    args: { id: t.arg.id(ID_ARG) },
    resolve: (_root, { id }, { domain }) => findIntegration(domain, id),
  }),
);

builder.queryField('integrations', (t) =>
  t.connection(
    {
      type: IntegrationNode,
      authScopes: SCOPE,
      description: 'Integrations of the environment, newest first. Scope: integrations:manage.',
      args: {
        connected: t.arg.boolean({
          description: 'Only those that are connected, or only those that are not any more.',
        }),
      },
      resolve: (_root, { connected, ...args }, { domain }) => listIntegrations(domain, args, { connected }),
    },
    { name: 'IntegrationConnection', description: 'A page of integrations.' },
    { name: 'IntegrationEdge' },
  ),
);

builder.mutationFields((t) => ({
  connectIntegration: t.field({
    type: IntegrationNode,
    authScopes: SCOPE,
    description:
      'Connects an MCP server or an HTTP API. The log tells of it as integration.connected. Scope: integrations:manage.',
    args: { input: t.arg({ type: ConnectInput, required: true, description: 'The integration.' }) },
    resolve: (_root, { input }, { domain }) => connectIntegration(domain, input),
  }),
  updateIntegration: t.field({
    type: IntegrationNode,
    authScopes: SCOPE,
    description: 'Changes a connected integration. The log does not tell of it. Scope: integrations:manage.',
    args: {
      id: t.arg.id(ID_ARG),
      input: t.arg({ type: UpdateInput, required: true, description: 'The change.' }),
    },
    resolve: (_root, { id, input }, { domain }) => updateIntegration(domain, id, input),
  }),
  disconnectIntegration: t.field({
    type: IntegrationNode,
    authScopes: SCOPE,
    description:
      'Disconnects an integration for ever, and forgets the values of its headers. The log tells of it as integration.disconnected, unless it was disconnected already. Scope: integrations:manage.',
    args: { id: t.arg.id(ID_ARG) },
    resolve: (_root, { id }, { domain }) => disconnectIntegration(domain, id),
  }),
}));
