import { queryFromInfo } from '@pothos/plugin-prisma';
import { findWorkflow, listVersions, listWorkflows } from '../domain/workflows/reads.ts';
import { type ConfigChange, workflowVersionDiff } from '../domain/workflows/version-diff.ts';
import { builder } from './builder.ts';
import type { NodeExtensions } from './node-scope.ts';
import { configOf, WorkflowConfigObject } from './workflow-config.ts';

export const WorkflowVersion = builder.prismaObject('WorkflowVersion', {
  description: 'What was published of a workflow: it never changes.',
  fields: (t) => ({
    number: t.exposeInt('number', { description: 'Counts from 1 within the workflow.' }),
    config: t.field({
      type: WorkflowConfigObject,
      description: 'How the assistant is run by it.',
      select: { config: true },
      resolve: ({ config }) => configOf(config),
    }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'When it was first published.' }),
  }),
});

/** What no workflow has for a number. */
const NO_WORKFLOW = 0;

export const Workflow = builder.prismaNode('Workflow', {
  id: { field: 'id', description: 'The global id, for `node`.' },
  extensions: { nodeScope: 'workflows:read' } satisfies NodeExtensions,
  nullable: true,
  findUnique: (id) => ({ id: /^\d{1,9}$/.test(id) ? Number(id) : NO_WORKFLOW }),
  description: 'An assistant under edit: its deployments publish versions of its draft.',
  select: { id: true },
  fields: (t) => ({
    workflowId: t.exposeInt('id', { description: 'Its number, which every operation names it by.' }),
    name: t.exposeString('name', { description: 'For people.' }),
    revision: t.exposeInt('revision', {
      description: 'Grows with every change of name or draft: for `ifRevision`.',
    }),
    draft: t.field({
      type: WorkflowConfigObject,
      description: 'What the next publication makes a version of.',
      select: { draft: true },
      resolve: ({ draft }) => configOf(draft),
    }),
    versions: t.connection(
      {
        type: WorkflowVersion,
        authScopes: { scope: 'workflows:read' },
        description: 'What was published of it, newest first. Scope: workflows:read.',
        resolve: ({ id }, args, { domain }) => listVersions(domain, id, args),
      },
      { name: 'WorkflowVersionConnection', description: 'A page of versions.' },
      { name: 'WorkflowVersionEdge' },
    ),
    triggerRequired: t.exposeBoolean('triggerRequired', {
      description: 'Whether conversations and one-shot runs of it must start from a trigger.',
    }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'When it was made.' }),
    updatedAt: t.expose('updatedAt', { type: 'DateTime', description: 'When it was last changed.' }),
  }),
});

export const WORKFLOW_ARG = { required: true, description: 'A workflow of the workspace.' } as const;

builder.queryField('workflow', (t) =>
  t.field({
    type: Workflow,
    nullable: true,
    authScopes: { scope: 'workflows:read' },
    description: 'One workflow of the workspace; an error not_found where there is none. Scope: workflows:read.',
    args: { workflowId: t.arg.int(WORKFLOW_ARG) },
    resolve: (_root, { workflowId }, context, info) =>
      findWorkflow(context.domain, workflowId, queryFromInfo({ context, info })),
  }),
);

builder.queryField('workflows', (t) =>
  t.connection(
    {
      type: Workflow,
      authScopes: { scope: 'workflows:read' },
      description: 'Workflows of the workspace, newest first. Scope: workflows:read.',
      resolve: (_root, args, context, info) =>
        listWorkflows(context.domain, args, queryFromInfo({ context, info, paths: [['nodes'], ['edges', 'node']] })),
    },
    { name: 'WorkflowConnection', description: 'A page of workflows.' },
    { name: 'WorkflowEdge' },
  ),
);

const ConfigChangeObject = builder.objectRef<ConfigChange>('ConfigChange').implement({
  description: 'One value that is other in one config than in another.',
  fields: (t) => ({
    path: t.exposeString('path', { description: 'Where it stands, like clientTools[0].name.' }),
    before: t.field({
      type: 'JSON',
      nullable: true,
      description: 'What stood there; null where nothing did.',
      resolve: ({ before }) => before,
    }),
    after: t.field({
      type: 'JSON',
      nullable: true,
      description: 'What stands there now; null where nothing does.',
      resolve: ({ after }) => after,
    }),
  }),
});

builder.queryField('workflowVersionDiff', (t) =>
  t.field({
    type: [ConfigChangeObject],
    authScopes: { scope: 'workflows:read' },
    description: 'What leads from one version of a workflow to another. Scope: workflows:read.',
    args: {
      workflowId: t.arg.int(WORKFLOW_ARG),
      from: t.arg.int({ description: 'The number of a version; the draft where it is left out.' }),
      to: t.arg.int({ description: 'The number of a version; the draft where it is left out.' }),
    },
    resolve: (_root, { workflowId, ...pair }, { domain }) => workflowVersionDiff(domain, workflowId, pair),
  }),
);
