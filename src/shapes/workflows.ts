import { LIMITS } from '../contract/limits.ts';
import { DEPLOYMENT_KINDS } from '../contract/statuses.ts';
import { DEPLOYMENT_BRANDING } from './branding.ts';
import { DEPLOYMENT_FORM } from './deployment.ts';
import { DRAFT_FORM, DRAFT_LISTS } from './drafts.ts';
import { CALLER_DEFAULTS, RUN_DEFAULTS } from './environment.ts';
import { defaultsOf, input, required, type ValuesOf } from './field.ts';
import { deploymentId, workflowId } from './ids.ts';
import { choice, flag, ids, integer, object, textOf } from './kinds.ts';
import { modelName, workflowName } from './names.ts';

/** The settings of a draft. */
export const DRAFT_SETTINGS = { ...DRAFT_FORM, ...RUN_DEFAULTS };

const { instructions, model, outputSchema, ...behaviour } = DRAFT_SETTINGS;

export const WORKFLOW_DRAFT = input(
  'WorkflowDraftInput',
  'Changes to a draft. Omitted fields keep their value. Null restores the default.',
  { instructions, model, outputSchema, ...DRAFT_LISTS, ...behaviour },
);

/** The settings of a deployment, without its version and its branding. Each is a column of the same name. */
export const DEPLOYMENT_SETTINGS = { ...DEPLOYMENT_FORM, ...CALLER_DEFAULTS } as const;

export type DeploymentSettings = ValuesOf<typeof DEPLOYMENT_SETTINGS>;

/** The settings of a deployment for which nobody has set any. */
export const DEFAULT_SETTINGS: DeploymentSettings = defaultsOf(DEPLOYMENT_SETTINGS);

/** The revision of a workflow that a change needs. */
const ifRevision = integer({
  says: 'The revision that the caller read',
  note: 'Error precondition_failed if the workflow has changed since.',
});

export const CREATE_WORKFLOW = input('CreateWorkflowInput', 'A new workflow.', {
  name: required(workflowName),
  draft: object(WORKFLOW_DRAFT, { says: 'The draft', note: 'Omitted fields get their default.' }),
});

export const UPDATE_WORKFLOW = input('UpdateWorkflowInput', 'Changes to a workflow. Omitted fields keep their value.', {
  workflowId,
  ifRevision,
  name: workflowName,
  draft: object(WORKFLOW_DRAFT, { says: 'The changes of the draft', note: 'Null: the draft stays as it is.' }),
});

export const SET_TRIGGER_REQUIRED = input('SetTriggerRequiredInput', 'The trigger settings of a workflow.', {
  workflowId,
  triggerRequired: required(flag('Whether conversations and one-shot runs must start from a trigger')),
});

export const DELETE_WORKFLOW = input('DeleteWorkflowInput', 'The workflow to delete.', { workflowId, ifRevision });

export const TEST_MODEL = input('TestModelInput', 'A model to test.', {
  model: required(textOf(modelName, { says: 'The model: demo, or provider:name' })),
});

const branding = object(DEPLOYMENT_BRANDING, {
  says: 'The appearance of the hosted page and the widget',
  note: 'Null restores the default appearance.',
});

export const CREATE_DEPLOYMENT = input(
  'CreateDeploymentInput',
  'A new deployment. Omitted settings get their default.',
  {
    workflowId,
    name: required(workflowName),
    kind: required(
      choice({ says: 'The hosted page of the deployment', note: 'It cannot be changed later.' }, DEPLOYMENT_KINDS),
    ),
    ...DEPLOYMENT_SETTINGS,
    branding,
  },
);

export const UPDATE_DEPLOYMENT = input(
  'UpdateDeploymentInput',
  'Changes to a deployment. Omitted fields keep their value. Null restores the default of a setting.',
  { deploymentId, name: workflowName, ...DEPLOYMENT_SETTINGS, branding },
);

export const PUBLISH_WORKFLOW = input('PublishWorkflowInput', 'The workflow to publish and its deployments.', {
  workflowId,
  deploymentIds: required(
    ids('Deployment', {
      says: 'Deployments of the workflow: {bounds}, each once',
      note: 'Other deployments keep their version.',
      least: 1,
      most: LIMITS.publishedDeployments,
      noun: 'deployments',
      keepsRepeats: true,
    }),
  ),
  ifRevision,
});

export const ROLL_BACK_DEPLOYMENT = input(
  'RollBackDeploymentInput',
  'A deployment and the version that it runs from now on.',
  {
    deploymentId,
    version: required(integer({ says: 'The number of any published version of the workflow, older or newer' })),
  },
);

export const UNPUBLISH_DEPLOYMENT = input('UnpublishDeploymentInput', 'The deployment to take offline.', {
  deploymentId,
});

export const DELETE_DEPLOYMENT = input('DeleteDeploymentInput', 'The deployment to delete.', { deploymentId });
