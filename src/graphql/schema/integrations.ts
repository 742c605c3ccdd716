import { LIMITS } from '../../contract/limits.ts';
import { type McpServerTools, readMcpServerTools } from '../../domain/actions/mcp-server-tools.ts';
import { disconnectIntegration, updateIntegration } from '../../domain/integrations/change.ts';
import { connectIntegration } from '../../domain/integrations/connect.ts';
import {
  findIntegration,
  findIntegrations,
  type Integration,
  listIntegrations,
} from '../../domain/integrations/reads.ts';
import type { CostExtensions } from '../../operation/document-cost.ts';
import type { NodeExtensions } from '../../operation/node-scope.ts';
import { CONNECT_INTEGRATION, UPDATE_INTEGRATION } from '../../shapes/integrations.ts';
import { builder } from './builder.ts';
import { IntegrationKindEnum } from './enums.ts';
import { mutation, type PayloadBuilder } from './mutation.ts';
import { inputType } from './shape-fields.ts';

const McpToolRef = builder.objectRef<McpServerTools['tools'][number]>('McpTool').implement({
  description: 'A tool that an MCP server offers.',
  fields: (t) => ({
    name: t.exposeString('name', { description: "The server's own name, which workflows refer to." }),
    readOnly: t.exposeBoolean('isReadOnly', {
      description: 'Whether the server says that the tool changes nothing. A server can say what is not true.',
    }),
  }),
});

const LeftOutMcpToolRef = builder.objectRef<McpServerTools['leftOut'][number]>('LeftOutMcpTool').implement({
  description: 'A tool of an MCP server that no workflow can use.',
  fields: (t) => ({
    name: t.exposeString('name', {
      description: 'The beginning of its name. If it has no name, its position in the list, like #3.',
    }),
    reason: t.exposeString('reason', { description: 'Why it is left out.' }),
  }),
});

const McpServerToolsRef = builder.objectRef<McpServerTools>('McpServerTools').implement({
  description: `The tools of an MCP server. Each process keeps a list for ${LIMITS.mcpListLeastSeconds} to ${LIMITS.mcpListMostSeconds} seconds.`,
  fields: (t) => ({
    tools: t.field({
      type: [McpToolRef],
      description: 'The tools that workflows can use, in the order of the server.',
      resolve: ({ tools }) => [...tools],
    }),
    leftOutTools: t.field({
      type: [LeftOutMcpToolRef],
      description: 'The tools that are left out.',
      resolve: ({ leftOut }) => [...leftOut],
    }),
    problem: t.exposeString('problem', {
      nullable: true,
      description: 'Why the server gave no list, or only a part of it. Null: the list is complete.',
    }),
  }),
});

/** Asks another server. */
export const OUTBOUND = { extensions: { cost: 1_000 } satisfies CostExtensions };

const IntegrationRef = builder.objectRef<Integration>('Integration');

export const IntegrationNode = builder.node(IntegrationRef, {
  id: { resolve: ({ id }) => id, description: 'The global ID, for `node`.' },
  extensions: { nodeScope: 'integrations:manage' } satisfies NodeExtensions,
  description: 'An external system of the workspace: an MCP server or an HTTP API.',
  loadMany: async (ids, { domain }) => {
    const integrations = await findIntegrations(domain, ids);
    return ids.map((id) => integrations.find((integration) => integration.id === id) ?? null);
  },
  fields: (t) => ({
    integrationId: t.exposeID('id', { description: 'The ID: int_ and 26 characters.' }),
    kind: t.expose('kind', { type: IntegrationKindEnum, description: 'The type of the system.' }),
    name: t.exposeString('name', { description: 'The name that workflows refer to.' }),
    url: t.exposeString('url', { description: 'The URL of the MCP server, or the base URL of the API.' }),
    headerNames: t.stringList({
      description:
        'Names of the headers that the service sends with each request. Their values are secret and never shown.',
      resolve: ({ headerNames }) => [...headerNames],
    }),
    trustsHints: t.exposeBoolean('trustsHints', {
      description: "Whether the service believes the MCP server's hint that a tool only reads.",
    }),
    connected: t.boolean({
      description: 'Whether it is connected. A disconnected integration cannot be connected again.',
      resolve: ({ disconnectedAt }) => disconnectedAt === null,
    }),
    connectedAt: t.expose('connectedAt', { type: 'DateTime', description: 'When it was connected.' }),
    disconnectedAt: t.expose('disconnectedAt', {
      type: 'DateTime',
      nullable: true,
      description: 'When it was disconnected. Null: it is connected.',
    }),
    mcpTools: t.field({
      ...OUTBOUND,
      type: McpServerToolsRef,
      nullable: true,
      description:
        'The tools of the MCP server, which it is asked for now. Null: the integration is an HTTP API, or it is disconnected.',
      resolve: (integration, _args, { domain }) => readMcpServerTools(domain, integration),
    }),
    lastError: t.exposeString('lastError', {
      nullable: true,
      description:
        'The last failed request to the MCP server, of a turn or of an earlier request for `mcpTools`. Null: no request failed.',
    }),
    lastErrorAt: t.expose('lastErrorAt', {
      type: 'DateTime',
      nullable: true,
      description: 'When it failed. The time of an error that repeats is up to a minute old. Null: no request failed.',
    }),
  }),
});

const INTEGRATION_ID = { required: true, idOf: 'Integration', description: 'The ID: int_ and 26 characters.' } as const;

const SCOPE = { scope: 'integrations:manage' } as const;

builder.queryField('integration', (t) =>
  t.field({
    publishing: 'reads',
    type: IntegrationNode,
    nullable: true,
    access: SCOPE,
    description:
      'An integration of the environment. Null: it does not exist, or it is not visible to the caller. Scope: integrations:manage.',
    args: { id: t.arg.id(INTEGRATION_ID) },
    resolve: (_root, { id }, { domain }) => findIntegration(domain, id),
  }),
);

const IntegrationFilter = builder.inputType('IntegrationFilter', {
  description: 'Filters integrations.',
  fields: (t) => ({
    connected: t.boolean({
      description: 'true: only connected integrations. false: only disconnected integrations.',
    }),
  }),
});

builder.queryField('integrations', (t) =>
  t.connection(
    {
      publishing: 'reads',
      type: IntegrationNode,
      access: SCOPE,
      description: 'Integrations of the environment, newest first. Scope: integrations:manage.',
      args: {
        filter: t.arg({ type: IntegrationFilter, description: 'Omit it for all integrations.' }),
      },
      resolve: (_root, { filter, ...args }, { domain }) => listIntegrations(domain, args, filter ?? {}),
    },
    { name: 'IntegrationConnection', description: 'A page of integrations.' },
    { name: 'IntegrationEdge' },
  ),
);

const DisconnectInput = builder.inputType('DisconnectIntegrationInput', {
  description: 'The integration to disconnect.',
  fields: (t) => ({ id: t.id(INTEGRATION_ID) }),
});

export const integrationField = (t: PayloadBuilder<Integration>, description: string) => ({
  integration: t.field({ type: IntegrationNode, description, resolve: (integration) => integration }),
});

mutation('connectIntegration', {
  publishing: 'never',
  access: SCOPE,
  description:
    'Connects an MCP server or an HTTP API. Logs the event integration.connected. Scope: integrations:manage.',
  input: inputType(CONNECT_INTEGRATION),
  errors: ['invalid_request'],
  resolve: (input, { domain }) => connectIntegration(domain, input),
  payload: (t) => integrationField(t, 'The new integration.'),
});

mutation('updateIntegration', {
  publishing: 'never',
  access: SCOPE,
  description: 'Changes a connected integration. Logs no event. Scope: integrations:manage.',
  input: inputType(UPDATE_INTEGRATION),
  errors: ['invalid_request', 'not_found'],
  resolve: ({ id, ...changes }, { domain }) => updateIntegration(domain, id, changes),
  payload: (t) => integrationField(t, 'The changed integration.'),
});

mutation('disconnectIntegration', {
  publishing: 'never',
  access: SCOPE,
  description:
    'Disconnects an integration permanently and deletes its header values. Logs the event integration.disconnected, unless it is already disconnected. Scope: integrations:manage.',
  input: DisconnectInput,
  errors: ['not_found'],
  resolve: ({ id }, { domain }) => disconnectIntegration(domain, id),
  payload: (t) => integrationField(t, 'The disconnected integration.'),
});
