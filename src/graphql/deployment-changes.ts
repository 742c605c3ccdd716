import {
  createDeployment,
  rollBackDeployment,
  unpublishDeployment,
  updateDeployment,
} from '../domain/workflows/deployment-changes.ts';
import { type Publication, publishWorkflow } from '../domain/workflows/publish.ts';
import { builder, type InputFields } from './builder.ts';
import { DEPLOYMENT_ID_ARG, Deployment } from './deployments.ts';
import { DeploymentKindEnum, DoubleTextPolicyEnum } from './enums.ts';
import { IF_REVISION_ARG } from './workflow-changes.ts';
import { WORKFLOW_ARG, WorkflowVersion } from './workflows.ts';

const settingFields = (t: InputFields) => ({
  authRequired: t.boolean({ description: 'Whether turns need credentials; by default they do.' }),
  allowlist: t.stringList({
    description:
      'Hosts whose pages, and those of their subdomains, may use it without credentials: at most 100, like example.com, each once. Empty, the default, for all.',
  }),
  hostedPage: t.boolean({ description: 'Whether its hosted page is served; by default not.' }),
  dynamicClientTools: t.boolean({
    description: 'Whether requests may bring client tools of their own; by default they may.',
  }),
  doubleTextPolicy: t.field({
    type: DoubleTextPolicyEnum,
    description: 'What becomes of a message that comes while a turn is still running; by default reject.',
  }),
  anonymousPerMinute: t.int({
    description: 'Requests a minute without credentials, by address and by visitor: 1 to 1,000,000; by default 120.',
  }),
  conversationTurnsPerMinute: t.int({
    description: 'Turns a minute without credentials, by conversation: 1 to 1,000,000; by default 30.',
  }),
  turnsPerMinute: t.int({
    description: 'Turns and one-shot runs a minute of all callers together: 1 to 1,000,000; by default without limit.',
  }),
});

const NAME = 'For people: 1 to 100 characters, not blank.';

const CreateDeploymentInput = builder.inputType('CreateDeploymentInput', {
  description: 'A new deployment. A setting that is left out takes its default.',
  fields: (t) => ({
    name: t.string({ required: true, description: NAME }),
    kind: t.field({
      type: DeploymentKindEnum,
      required: true,
      description: 'Which hosted page is made for it. It stays what it is.',
    }),
    ...settingFields(t),
  }),
});

const UpdateDeploymentInput = builder.inputType('UpdateDeploymentInput', {
  description:
    'A change of a deployment: what is left out stays as it is, and null puts the default of a setting back.',
  fields: (t) => ({ name: t.string({ description: NAME }), ...settingFields(t) }),
});

const PublicationObject = builder.objectRef<Publication>('Publication').implement({
  description: 'What was published, and where.',
  fields: (t) => ({
    version: t.expose('version', { type: WorkflowVersion, description: 'The version that the deployments run now.' }),
    isNew: t.exposeBoolean('isNew', {
      description: 'Whether the draft became a version of its own; false where the newest one was equal to it.',
    }),
    deployments: t.expose('deployments', { type: [Deployment], description: 'Those that were named, in that order.' }),
  }),
});

builder.mutationField('publishWorkflow', (t) =>
  t.field({
    type: PublicationObject,
    authScopes: { scope: 'workflows:write' },
    description:
      'Freezes the draft into the next version, which the deployments run from their next turn on. Scope: workflows:write.',
    args: {
      workflowId: t.arg.int(WORKFLOW_ARG),
      deploymentIds: t.arg({
        type: ['UUID'],
        required: true,
        description: 'Deployments of the workflow, 1 to 100, each once. Others go on with what they run.',
      }),
      ifRevision: t.arg.int(IF_REVISION_ARG),
    },
    resolve: (_root, { deploymentIds, ...address }, { domain }) => publishWorkflow(domain, address, deploymentIds),
  }),
);

builder.mutationField('createDeployment', (t) =>
  t.field({
    type: Deployment,
    authScopes: { scope: 'workflows:write' },
    description: 'Makes a deployment. It answers 404 until a version is published to it. Scope: workflows:write.',
    args: {
      workflowId: t.arg.int(WORKFLOW_ARG),
      input: t.arg({ type: CreateDeploymentInput, required: true, description: 'The deployment.' }),
    },
    resolve: (_root, { workflowId, input }, { domain }) => createDeployment(domain, workflowId, input),
  }),
);

builder.mutationField('updateDeployment', (t) =>
  t.field({
    type: Deployment,
    authScopes: { scope: 'workflows:write' },
    description: 'Changes name and settings; they hold from the next request on. Scope: workflows:write.',
    args: {
      deploymentId: t.arg(DEPLOYMENT_ID_ARG),
      input: t.arg({ type: UpdateDeploymentInput, required: true, description: 'The change.' }),
    },
    resolve: (_root, { deploymentId, input }, { domain }) => updateDeployment(domain, deploymentId, input),
  }),
);

builder.mutationField('rollBackDeployment', (t) =>
  t.field({
    type: Deployment,
    authScopes: { scope: 'workflows:write' },
    description: 'Lets a deployment run another version of its workflow from the next turn on. Scope: workflows:write.',
    args: {
      deploymentId: t.arg(DEPLOYMENT_ID_ARG),
      version: t.arg.int({
        required: true,
        description: 'Any version that was published of the workflow, be it earlier or later.',
      }),
    },
    resolve: (_root, { deploymentId, version }, { domain }) => rollBackDeployment(domain, deploymentId, version),
  }),
);

builder.mutationField('unpublishDeployment', (t) =>
  t.field({
    type: Deployment,
    authScopes: { scope: 'workflows:write' },
    description:
      'Ends what a deployment runs: it answers 404 until a version is published to it again. Its triggers stay. Scope: workflows:write.',
    args: { deploymentId: t.arg(DEPLOYMENT_ID_ARG) },
    resolve: (_root, { deploymentId }, { domain }) => unpublishDeployment(domain, deploymentId),
  }),
);
