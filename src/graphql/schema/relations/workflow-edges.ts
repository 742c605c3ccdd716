import { VERSION_DEPLOYMENTS, WORKFLOW_TRIGGERS } from '../../../domain/related/lists.ts';
import { builder } from '../builder.ts';
import { loadConnection, loadEdge } from '../edges.ts';
import { Trigger, TriggerConnection } from '../triggers.ts';
import { Deployment, DeploymentConnection } from '../workflows/deployments.ts';
import { Workflow, WorkflowVersion } from '../workflows/workflows.ts';

const WORKFLOWS = { nullable: true, access: { scope: 'workflows:read' } } as const;

builder.prismaObjectField(Workflow, 'triggers', (t) =>
  t.connection(
    {
      type: Trigger,
      nullable: true,
      access: { scope: 'triggers:read' },
      description:
        'The triggers of its deployments in the environment, newest first. Null: the caller lacks the scope. Scope: triggers:read.',
      resolve: ({ id }, args, context, info) => loadConnection(WORKFLOW_TRIGGERS, id, args, context, info),
    },
    TriggerConnection,
  ),
);

builder.prismaObjectFields(WorkflowVersion, (t) => ({
  workflow: t.field({
    ...WORKFLOWS,
    type: Workflow,
    description: 'The workflow of the version. Null: the caller lacks the scope. Scope: workflows:read.',
    resolve: ({ workflowId }, _args, context, info) => loadEdge(workflowId, context, info),
  }),
  deployments: t.connection(
    {
      ...WORKFLOWS,
      type: Deployment,
      description:
        'The deployments that run it, newest first. Null: the caller lacks the scope. Scope: workflows:read.',
      resolve: ({ workflowId, number }, args, context, info) =>
        loadConnection(VERSION_DEPLOYMENTS, `${workflowId}:${number}`, args, context, info),
    },
    DeploymentConnection,
  ),
}));
