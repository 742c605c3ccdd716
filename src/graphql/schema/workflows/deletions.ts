import { deleteTrigger } from '../../../domain/triggers/delete.ts';
import { deleteDeployment } from '../../../domain/workflows/delete-deployment.ts';
import { deleteWorkflow } from '../../../domain/workflows/delete-workflow.ts';
import { DELETE_TRIGGER } from '../../../shapes/triggers.ts';
import { DELETE_DEPLOYMENT, DELETE_WORKFLOW } from '../../../shapes/workflows.ts';
import '../in-use.ts';
import { deletedId, mutation } from '../mutation.ts';
import { inputType } from '../shape-fields.ts';

mutation('deleteWorkflow', {
  publishing: 'removes',
  access: { scope: 'workflows:write' },
  description:
    'Deletes a workflow without deployments, with its draft and versions. The workflow log keeps its entries. Scope: workflows:write.',
  input: inputType(DELETE_WORKFLOW),
  errors: ['not_found', 'precondition_failed', 'in_use'],
  resolve: async (input, { domain }) => ({ workflowId: await deleteWorkflow(domain, input) }),
  payload: (t) => ({ deletedId: deletedId(t, 'Workflow', ({ workflowId }) => String(workflowId)) }),
});

mutation('deleteDeployment', {
  publishing: 'removes',
  access: { scope: 'workflows:write' },
  description:
    'Deletes a deployment that no conversation, trigger, API key or issuer depends on, with its budgets. The tokens of its end users end. The workflow log keeps its entries. Scope: workflows:write.',
  input: inputType(DELETE_DEPLOYMENT),
  errors: ['not_found', 'in_use'],
  resolve: async ({ deploymentId }, { domain }) => ({ deploymentId: await deleteDeployment(domain, deploymentId) }),
  payload: (t) => ({ deletedId: deletedId(t, 'Deployment', ({ deploymentId }) => deploymentId) }),
});

mutation('deleteTrigger', {
  publishing: 'removes',
  access: { scope: 'triggers:write', bound: 'addressed' },
  description:
    'Deletes a trigger, unless the conversation that it started still exists. Its links stop working. Scope: triggers:write.',
  input: inputType(DELETE_TRIGGER),
  errors: ['not_found', 'in_use'],
  resolve: async (input, { domain }) => ({ triggerId: await deleteTrigger(domain, input) }),
  payload: (t) => ({ deletedId: deletedId(t, 'Trigger', ({ triggerId }) => triggerId) }),
});
