import { queryFromInfo } from '@pothos/plugin-prisma';
import { WORKFLOW_DEPLOYMENTS } from '../../../domain/related/lists.ts';
import { differs, findDeployment, listDeployments } from '../../../domain/workflows/deployment-reads.ts';
import type { NodeExtensions } from '../../../operation/node-scope.ts';
import { DEPLOYMENT_SETTINGS } from '../../../shapes/workflows.ts';
import { builder } from '../builder.ts';
import { loadConnection, loadEdge } from '../edges.ts';
import { DeploymentKindEnum } from '../enums.ts';
import { CREATED_AT, orderInput } from '../filters.ts';
import { uuidKey } from '../node-keys.ts';
import type { NodeRowsExtensions } from '../node-rows.ts';
import { outputFields } from '../shape-fields.ts';
import { hostedLink } from './widget-meta.ts';
import { Workflow } from './workflows.ts';

export const Deployment = builder.prismaNode('Deployment', {
  id: { field: 'id', description: 'The global ID, for `node`.' },
  extensions: {
    nodeScope: 'workflows:read',
    nodeRows: { model: 'deployment', keyOf: uuidKey },
  } satisfies NodeExtensions & NodeRowsExtensions,
  nullable: true,
  findUnique: (id) => ({ id: uuidKey(id) }),
  description: 'An endpoint for clients. It runs its published version. Without one it responds with 404.',
  // List cursors always need these columns.
  select: { id: true, createdAt: true },
  fields: (t) => ({
    deploymentId: t.expose('id', { type: 'UUID', description: 'The ID. It stays the same when the version changes.' }),
    workflow: t.field({
      type: Workflow,
      access: { scope: 'workflows:read' },
      description: 'The workflow whose versions it runs. Scope: workflows:read.',
      select: { workflowId: true },
      // A workflow with deployments cannot be deleted.
      resolve: ({ workflowId }, _args, context, info) => loadEdge(workflowId, context, info) as Promise<never>,
    }),
    name: t.exposeString('name', { description: 'Display name.' }),
    kind: t.expose('kind', { type: DeploymentKindEnum, description: 'The hosted page of the deployment.' }),
    publishedVersion: t.exposeInt('publishedVersion', {
      nullable: true,
      description: 'The number of the version that it runs. Null: it is not published.',
    }),
    hasUnpublishedChanges: t.boolean({
      description: 'Whether the draft differs from the published version. True if it is not published.',
      select: { workflow: { select: { draft: true } }, version: { select: { config: true } } },
      resolve: ({ workflow, version }) => differs(workflow.draft, version?.config),
    }),
    ...outputFields(t, DEPLOYMENT_SETTINGS),
    chatUrl: t.string({
      description: 'URL of the hosted chat page.',
      resolve: ({ id }, _args, { services }) => hostedLink(services, 'chat', id),
    }),
    agentUrl: t.string({
      description: 'URL of the hosted agent page.',
      resolve: ({ id }, _args, { services }) => hostedLink(services, 'agent', id),
    }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'Creation time.' }),
    updatedAt: t.expose('updatedAt', {
      type: 'DateTime',
      description: 'When its settings or its version last changed.',
    }),
  }),
});

export const DeploymentConnection = builder.connectionObject(
  { type: Deployment, name: 'DeploymentConnection', description: 'A page of deployments.' },
  { name: 'DeploymentEdge' },
);

const PATHS: [string, ...string[]][] = [['nodes'], ['edges', 'node']];

builder.prismaObjectField(Workflow, 'deployments', (t) =>
  t.connection(
    {
      type: Deployment,
      access: { scope: 'workflows:read' },
      description: 'Deployments of the workflow, newest first. Scope: workflows:read.',
      resolve: ({ id }, args, context, info) => loadConnection(WORKFLOW_DEPLOYMENTS, id, args, context, info),
    },
    DeploymentConnection,
  ),
);

const DEPLOYMENT_ID = {
  type: 'UUID',
  idOf: 'Deployment',
  required: true,
  description: 'The ID of a deployment of the workspace, published or not.',
} as const;

builder.queryField('deployment', (t) =>
  t.field({
    publishing: 'reads',
    type: Deployment,
    nullable: true,
    access: { scope: 'workflows:read' },
    description:
      'A deployment of the workspace, published or not. Null: it does not exist, or it is not visible to the caller. Scope: workflows:read.',
    args: { id: t.arg(DEPLOYMENT_ID) },
    resolve: (_root, { id }, context, info) => findDeployment(context.domain, id, queryFromInfo({ context, info })),
  }),
);

const DeploymentFilter = builder.inputType('DeploymentFilter', {
  description: 'Filters deployments.',
  fields: (t) => ({ workflowId: t.int({ idOf: 'Workflow', description: 'Only deployments of this workflow.' }) }),
});

const DeploymentOrder = orderInput('Deployment', CREATED_AT);

builder.queryField('deployments', (t) =>
  t.connection(
    {
      publishing: 'reads',
      type: Deployment,
      access: { scope: 'workflows:read' },
      description: 'Deployments of the workspace, newest first. Scope: workflows:read.',
      args: {
        filter: t.arg({ type: DeploymentFilter, description: 'Omit it for all deployments.' }),
        orderBy: t.arg({ type: DeploymentOrder, description: 'The order. Default: newest first.' }),
      },
      resolve: (_root, { filter, orderBy: order, ...args }, context, info) => {
        const query = queryFromInfo({ context, info, paths: PATHS });
        return listDeployments(context.domain, args, filter ?? {}, { query, order });
      },
    },
    DeploymentConnection,
  ),
);
