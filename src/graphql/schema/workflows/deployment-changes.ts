import type { Deployment as DeploymentRow } from '../../../db/generated/client.ts';
import {
  createDeployment,
  rollBackDeployment,
  unpublishDeployment,
  updateDeployment,
} from '../../../domain/workflows/deployment-changes.ts';
import { publishWorkflow } from '../../../domain/workflows/publish.ts';
import {
  CREATE_DEPLOYMENT,
  PUBLISH_WORKFLOW,
  ROLL_BACK_DEPLOYMENT,
  UNPUBLISH_DEPLOYMENT,
  UPDATE_DEPLOYMENT,
} from '../../../shapes/workflows.ts';
import { mutation, type PayloadBuilder } from '../mutation.ts';
import { inputType } from '../shape-fields.ts';
import { Deployment } from './deployments.ts';
import { WorkflowVersion } from './workflows.ts';

const deploymentField = (t: PayloadBuilder<DeploymentRow>, description: string) => ({
  deployment: t.field({ type: Deployment, description, resolve: (deployment) => deployment }),
});

mutation('publishWorkflow', {
  publishing: 'changes',
  access: { scope: 'workflows:write' },
  description: 'Creates a version from the draft. The deployments run it from their next turn. Scope: workflows:write.',
  input: inputType(PUBLISH_WORKFLOW),
  errors: ['invalid_request', 'not_found', 'precondition_failed'],
  resolve: ({ deploymentIds, ...address }, { domain }) => publishWorkflow(domain, address, deploymentIds),
  payload: (t) => ({
    version: t.expose('version', { type: WorkflowVersion, description: 'The version that the deployments now run.' }),
    isNew: t.exposeBoolean('isNew', {
      description: 'Whether the publication created a version. False: the draft equals the newest version.',
    }),
    deployments: t.expose('deployments', {
      type: [Deployment],
      description: 'The deployments of the request, in the same order.',
    }),
  }),
});

mutation('createDeployment', {
  publishing: 'adds',
  access: { scope: 'workflows:write' },
  description: 'Creates a deployment. It responds with 404 until you publish a version to it. Scope: workflows:write.',
  input: inputType(CREATE_DEPLOYMENT),
  errors: ['invalid_request', 'not_found'],
  resolve: ({ workflowId, ...settings }, { domain }) => createDeployment(domain, workflowId, settings),
  payload: (t) => deploymentField(t, 'The new deployment.'),
});

mutation('updateDeployment', {
  publishing: 'changes',
  access: { scope: 'workflows:write' },
  description: 'Changes the name and settings. Takes effect with the next request. Scope: workflows:write.',
  input: inputType(UPDATE_DEPLOYMENT),
  errors: ['invalid_request', 'not_found'],
  resolve: ({ deploymentId, ...changes }, { domain }) => updateDeployment(domain, deploymentId, changes),
  payload: (t) => deploymentField(t, 'The changed deployment.'),
});

mutation('rollBackDeployment', {
  publishing: 'changes',
  access: { scope: 'workflows:write' },
  description:
    'Switches a deployment to another published version, from its next turn. Models need a price if a budget in money applies. Scope: workflows:write.',
  input: inputType(ROLL_BACK_DEPLOYMENT),
  errors: ['not_found', 'invalid_request'],
  resolve: ({ deploymentId, version }, { domain }) => rollBackDeployment(domain, deploymentId, version),
  payload: (t) => deploymentField(t, 'The deployment with its new version.'),
});

mutation('unpublishDeployment', {
  publishing: 'sets',
  access: { scope: 'workflows:write' },
  description:
    'Takes a deployment offline: it responds with 404 until you publish to it again. Its triggers stay valid. Scope: workflows:write.',
  input: inputType(UNPUBLISH_DEPLOYMENT),
  errors: ['not_found'],
  resolve: ({ deploymentId }, { domain }) => unpublishDeployment(domain, deploymentId),
  payload: (t) => deploymentField(t, 'The deployment, without a version.'),
});
