import { queryFromInfo } from '@pothos/plugin-prisma';
import { LIMITS } from '../../../contract/limits.ts';
import { formatBytes, formatCount } from '../../../contract/quantities.ts';
import { RATE_LIMITS } from '../../../domain/access/rate-limits.ts';
import { WORKFLOW_DEPLOYMENTS } from '../../../domain/related/lists.ts';
import { differs, findDeployment, listDeployments } from '../../../domain/workflows/deployment-reads.ts';
import type { NodeExtensions } from '../../../operation/node-scope.ts';
import { builder } from '../builder.ts';
import { loadConnection, loadEdge } from '../edges.ts';
import { DeploymentKindEnum, DoubleTextPolicyEnum, ReaderGonePolicyEnum, StartChallengeEnum } from '../enums.ts';
import { CREATED_AT, orderInput } from '../filters.ts';
import { uuidKey } from '../node-keys.ts';
import type { NodeRowsExtensions } from '../node-rows.ts';
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
    authRequired: t.exposeBoolean('authRequired', { description: 'Whether turns need credentials.' }),
    allowlist: t.exposeStringList('allowlist', {
      description: 'Hosts whose pages can use it without credentials, including subdomains. Empty: all hosts.',
    }),
    hostedPage: t.exposeBoolean('hostedPage', { description: 'Whether the service serves its hosted page.' }),
    dynamicClientTools: t.exposeBoolean('dynamicClientTools', {
      description: 'Whether requests can define their own client tools.',
    }),
    doubleTextPolicy: t.expose('doubleTextPolicy', {
      type: DoubleTextPolicyEnum,
      description: 'What happens to a message that arrives while a turn is running.',
    }),
    onReaderGone: t.expose('onReaderGone', {
      type: ReaderGonePolicyEnum,
      description: 'What happens to a streamed v1 reply whose reader disconnects.',
    }),
    anonymousPerMinute: t.exposeInt('anonymousPerMinute', {
      nullable: true,
      description: `Requests per minute and IP address without credentials. Null: ${ANONYMOUS_DEFAULT}.`,
    }),
    conversationTurnsPerMinute: t.exposeInt('conversationTurnsPerMinute', {
      nullable: true,
      description: `Turns per minute and conversation without credentials. Null: ${RATE_LIMITS.anonymousTurns.points}.`,
    }),
    turnsPerMinute: t.exposeInt('turnsPerMinute', {
      nullable: true,
      description: 'Turns and one-shot runs per minute of all callers together. Null: no limit.',
    }),
    visitorTurnsPerHour: t.exposeInt('visitorTurnsPerHour', {
      nullable: true,
      description:
        'Turns per hour without credentials: per IP address, and per visitor of the hosted page. Null: no limit.',
    }),
    visitorTurnsPerDay: t.exposeInt('visitorTurnsPerDay', {
      nullable: true,
      description:
        'Turns per day without credentials: per IP address, and per visitor of the hosted page. Null: no limit.',
    }),
    challenge: t.expose('challenge', {
      type: StartChallengeEnum,
      description: 'What a caller without credentials solves before it starts a conversation or a one-shot run.',
    }),
    maxFileBytes: t.exposeInt('maxFileBytes', {
      nullable: true,
      description: `Bytes of one uploaded file. Null: ${formatBytes(LIMITS.defaultFileBytes)}, without credentials ${formatBytes(LIMITS.defaultAnonymousFileBytes)}.`,
    }),
    fileTypes: t.exposeStringList('fileTypes', {
      description: 'MIME types of the files that callers can upload, also as image/*. Empty: every type.',
    }),
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

/** What a caller without credentials can do per minute and IP address if the deployment has no limit of its own. */
export const ANONYMOUS_DEFAULT = `${formatCount(RATE_LIMITS.anonymousReads.points)} reads, ${RATE_LIMITS.anonymousStarts.points} new conversations or one-shot runs, and ${RATE_LIMITS.anonymousWrites.points} turns and other changes`;

export const DEPLOYMENT_ID = {
  type: 'UUID',
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
    args: { deploymentId: t.arg(DEPLOYMENT_ID) },
    resolve: (_root, { deploymentId }, context, info) =>
      findDeployment(context.domain, deploymentId, queryFromInfo({ context, info })),
  }),
);

const DeploymentFilter = builder.inputType('DeploymentFilter', {
  description: 'Filters deployments.',
  fields: (t) => ({ workflowId: t.int({ description: 'Only deployments of this workflow.' }) }),
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
