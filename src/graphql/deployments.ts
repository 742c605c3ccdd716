import { queryFromInfo } from '@pothos/plugin-prisma';
import { UUID_PATTERN } from '../contract/ids.ts';
import { differs, findDeployment, listDeployments } from '../domain/workflows/deployment-reads.ts';
import { builder } from './builder.ts';
import { DeploymentKindEnum, DoubleTextPolicyEnum } from './enums.ts';
import { hostedLink } from './hosted-links.ts';
import type { NodeExtensions } from './node-scope.ts';
import { Workflow } from './workflows.ts';

/** The nil UUID, which no row has. */
const NO_DEPLOYMENT = '00000000-0000-0000-0000-000000000000';

export const Deployment = builder.prismaNode('Deployment', {
  id: { field: 'id', description: 'The global id, for `node`.' },
  extensions: { nodeScope: 'workflows:read' } satisfies NodeExtensions,
  nullable: true,
  findUnique: (id) => ({ id: UUID_PATTERN.test(id) ? id : NO_DEPLOYMENT }),
  description: 'What clients address. It runs the version that it has published; with none it answers 404.',
  // What the cursors of lists read, whatever is asked for.
  select: { id: true, createdAt: true },
  fields: (t) => ({
    deploymentId: t.expose('id', { type: 'UUID', description: 'Stays the same whatever it runs.' }),
    workflow: t.relation('workflow', {
      authScopes: { scope: 'workflows:read' },
      description: 'What it runs versions of. Scope: workflows:read.',
    }),
    name: t.exposeString('name', { description: 'For people.' }),
    kind: t.expose('kind', { type: DeploymentKindEnum, description: 'Which hosted page is made for it.' }),
    publishedVersion: t.exposeInt('publishedVersion', {
      nullable: true,
      description: 'The number of the version that it runs; null while it is not published.',
    }),
    hasUnpublishedChanges: t.boolean({
      description: 'Whether publishing the draft would change what it runs; true while it is not published.',
      select: { workflow: { select: { draft: true } }, version: { select: { config: true } } },
      resolve: ({ workflow, version }) => differs(workflow.draft, version?.config),
    }),
    authRequired: t.exposeBoolean('authRequired', { description: 'Whether turns need credentials.' }),
    allowlist: t.exposeStringList('allowlist', {
      description: 'Hosts whose pages, and those of their subdomains, may use it without credentials; empty for all.',
    }),
    hostedPage: t.exposeBoolean('hostedPage', { description: 'Whether its hosted page is served.' }),
    dynamicClientTools: t.exposeBoolean('dynamicClientTools', {
      description: 'Whether requests may bring client tools of their own.',
    }),
    doubleTextPolicy: t.expose('doubleTextPolicy', {
      type: DoubleTextPolicyEnum,
      description: 'What becomes of a message that comes while a turn is still running.',
    }),
    anonymousPerMinute: t.exposeInt('anonymousPerMinute', {
      nullable: true,
      description: 'Requests a minute without credentials, by address and by visitor; null for 120.',
    }),
    conversationTurnsPerMinute: t.exposeInt('conversationTurnsPerMinute', {
      nullable: true,
      description: 'Turns a minute without credentials, by conversation; null for 30.',
    }),
    turnsPerMinute: t.exposeInt('turnsPerMinute', {
      nullable: true,
      description: 'Turns and one-shot runs a minute of all callers together; null for no limit.',
    }),
    chatUrl: t.string({
      description: 'Its hosted chat page.',
      resolve: ({ id }, _args, { services }) => hostedLink(services, 'chat', id),
    }),
    agentUrl: t.string({
      description: 'Its hosted agent page.',
      resolve: ({ id }, _args, { services }) => hostedLink(services, 'agent', id),
    }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'When it was made.' }),
    updatedAt: t.expose('updatedAt', {
      type: 'DateTime',
      description: 'When its settings, or what it runs, last changed.',
    }),
  }),
});

const DeploymentConnection = builder.connectionObject(
  { type: Deployment, name: 'DeploymentConnection', description: 'A page of deployments.' },
  { name: 'DeploymentEdge' },
);

const PATHS: [string, ...string[]][] = [['nodes'], ['edges', 'node']];

builder.prismaObjectField(Workflow, 'deployments', (t) =>
  t.connection(
    {
      type: Deployment,
      authScopes: { scope: 'workflows:read' },
      description: 'What clients address of it, newest first. Scope: workflows:read.',
      resolve: ({ id }, args, context, info) =>
        listDeployments(context.domain, args, id, queryFromInfo({ context, info, paths: PATHS })),
    },
    DeploymentConnection,
  ),
);

export const DEPLOYMENT_ID_ARG = {
  type: 'UUID',
  required: true,
  description: 'A deployment of the workspace, published or not.',
} as const;

builder.queryField('deployment', (t) =>
  t.field({
    type: Deployment,
    nullable: true,
    authScopes: { scope: 'workflows:read' },
    description:
      'One deployment of the workspace, published or not; an error not_found where there is none. Scope: workflows:read.',
    args: { deploymentId: t.arg(DEPLOYMENT_ID_ARG) },
    resolve: (_root, { deploymentId }, context, info) =>
      findDeployment(context.domain, deploymentId, queryFromInfo({ context, info })),
  }),
);

builder.queryField('deployments', (t) =>
  t.connection(
    {
      type: Deployment,
      authScopes: { scope: 'workflows:read' },
      description: 'Deployments of the workspace, newest first. Scope: workflows:read.',
      args: { workflowId: t.arg.int({ description: 'Only those of this workflow.' }) },
      resolve: (_root, { workflowId, ...args }, context, info) =>
        listDeployments(context.domain, args, workflowId, queryFromInfo({ context, info, paths: PATHS })),
    },
    DeploymentConnection,
  ),
);
