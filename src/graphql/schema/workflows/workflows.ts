import { queryFromInfo } from '@pothos/plugin-prisma';
import { WORKFLOW_VERSIONS } from '../../../domain/related/lists.ts';
import { differs } from '../../../domain/workflows/deployment-reads.ts';
import { findWorkflow, listWorkflows } from '../../../domain/workflows/reads.ts';
import { type ConfigChange, workflowVersionDiff } from '../../../domain/workflows/version-diff.ts';
import type { NodeExtensions } from '../../../operation/node-scope.ts';
import { builder } from '../builder.ts';
import { loadConnection } from '../edges.ts';
import type { NodeRowsExtensions } from '../node-rows.ts';
import { configOf, WorkflowConfigObject } from './workflow-config.ts';

/** No workflow has this number. */
const NO_WORKFLOW = 0;

const versionKey = (id: string) => {
  const [, workflowId, number] = /^(\d{1,9}):(\d{1,9})$/.exec(id) ?? [];
  return [Number(workflowId ?? NO_WORKFLOW), Number(number ?? 0)] as const;
};

export const WorkflowVersion = builder.prismaNode('WorkflowVersion', {
  id: { resolve: ({ workflowId, number }) => `${workflowId}:${number}`, description: 'The global ID, for `node`.' },
  extensions: {
    nodeScope: 'workflows:read',
    nodeRows: { model: 'workflowVersion', columns: ['workflowId', 'number'], keyOf: versionKey },
  } satisfies NodeExtensions & NodeRowsExtensions,
  nullable: true,
  findUnique: (id) => {
    const [workflowId, number] = versionKey(id);
    return { workflowId_number: { workflowId, number } };
  },
  description: 'A published version of a workflow. It never changes.',
  fields: (t) => ({
    number: t.exposeInt('number', { description: 'The number of the version. Each workflow counts from 1.' }),
    config: t.field({
      type: WorkflowConfigObject,
      description: 'The configuration of the assistant.',
      select: { config: true },
      resolve: ({ config }) => configOf(config),
    }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'When it was first published.' }),
  }),
});

const workflowKey = (id: string) => (/^\d{1,9}$/.test(id) ? Number(id) : NO_WORKFLOW);

export const Workflow = builder.prismaNode('Workflow', {
  id: { field: 'id', description: 'The global ID, for `node`.' },
  extensions: {
    nodeScope: 'workflows:read',
    nodeRows: { model: 'workflow', keyOf: workflowKey },
  } satisfies NodeExtensions & NodeRowsExtensions,
  nullable: true,
  findUnique: (id) => ({ id: workflowKey(id) }),
  description: 'An assistant that members edit as a draft and publish as versions to deployments.',
  select: { id: true },
  fields: (t) => ({
    workflowId: t.exposeInt('id', { description: 'The ID: a number.' }),
    name: t.exposeString('name', { description: 'Display name.' }),
    revision: t.exposeInt('revision', {
      description: 'Increases with every change of the name or draft. Send it as `ifRevision`.',
    }),
    draft: t.field({
      type: WorkflowConfigObject,
      description: 'The configuration that the next publication turns into a version.',
      select: { draft: true },
      resolve: ({ draft }) => configOf(draft),
    }),
    draftVersion: t.int({
      nullable: true,
      description: 'The number of the newest version, if the draft is equal to it. Null: the draft has other changes.',
      select: {
        draft: true,
        versions: { orderBy: { number: 'desc' }, take: 1, select: { number: true, config: true } },
      },
      resolve: ({ draft, versions: [newest] }) => (newest && !differs(draft, newest.config) ? newest.number : null),
    }),
    versions: t.connection(
      {
        type: WorkflowVersion,
        access: { scope: 'workflows:read' },
        description: 'Published versions, newest first. Scope: workflows:read.',
        resolve: ({ id }, args, context, info) => loadConnection(WORKFLOW_VERSIONS, id, args, context, info),
      },
      { name: 'WorkflowVersionConnection', description: 'A page of versions.' },
      { name: 'WorkflowVersionEdge' },
    ),
    triggerRequired: t.exposeBoolean('triggerRequired', {
      description: 'Whether conversations and one-shot runs must start from a trigger.',
    }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'Creation time.' }),
    updatedAt: t.expose('updatedAt', { type: 'DateTime', description: 'When it was last changed.' }),
  }),
});

const WORKFLOW_ID = {
  required: true,
  idOf: 'Workflow',
  description: 'The ID of a workflow of the workspace.',
} as const;

builder.queryField('workflow', (t) =>
  t.field({
    publishing: 'reads',
    type: Workflow,
    nullable: true,
    access: { scope: 'workflows:read' },
    description:
      'A workflow of the workspace. Null: it does not exist, or it is not visible to the caller. Scope: workflows:read.',
    args: { id: t.arg.int(WORKFLOW_ID) },
    resolve: (_root, { id }, context, info) => findWorkflow(context.domain, id, queryFromInfo({ context, info })),
  }),
);

builder.queryField('workflows', (t) =>
  t.connection(
    {
      publishing: 'reads',
      type: Workflow,
      access: { scope: 'workflows:read' },
      description: 'Workflows of the workspace, newest first. Scope: workflows:read.',
      resolve: (_root, args, context, info) =>
        listWorkflows(context.domain, args, queryFromInfo({ context, info, paths: [['nodes'], ['edges', 'node']] })),
    },
    { name: 'WorkflowConnection', description: 'A page of workflows.' },
    { name: 'WorkflowEdge' },
  ),
);

const ConfigChangeObject = builder.objectRef<ConfigChange>('ConfigChange').implement({
  description: 'A difference between two configurations.',
  fields: (t) => ({
    path: t.exposeString('path', { description: 'The path of the value, for example clientTools[0].name.' }),
    before: t.field({
      type: 'JSON',
      nullable: true,
      description: 'The earlier value. Null: it did not exist.',
      resolve: ({ before }) => before,
    }),
    after: t.field({
      type: 'JSON',
      nullable: true,
      description: 'The later value. Null: it does not exist any more.',
      resolve: ({ after }) => after,
    }),
  }),
});

builder.queryField('workflowVersionDiff', (t) =>
  t.field({
    publishing: 'reads',
    type: [ConfigChangeObject],
    access: { scope: 'workflows:read' },
    description: 'The differences between two versions of a workflow. Scope: workflows:read.',
    args: {
      workflowId: t.arg.int(WORKFLOW_ID),
      from: t.arg.int({ description: 'The number of the earlier version. Omit it for the draft.' }),
      to: t.arg.int({ description: 'The number of the later version. Omit it for the draft.' }),
    },
    resolve: (_root, { workflowId, ...pair }, { domain }) => workflowVersionDiff(domain, workflowId, pair),
  }),
);
