import { LIMITS } from '../../../contract/limits.ts';
import { formatBytes, formatCount } from '../../../contract/quantities.ts';
import type { Deployment as DeploymentRow } from '../../../db/generated/client.ts';
import { RATE_LIMITS } from '../../../domain/access/rate-limits.ts';
import {
  createDeployment,
  rollBackDeployment,
  unpublishDeployment,
  updateDeployment,
} from '../../../domain/workflows/deployment-changes.ts';
import { publishWorkflow } from '../../../domain/workflows/publish.ts';
import { builder, type InputFields } from '../builder.ts';
import { DeploymentKindEnum, DoubleTextPolicyEnum, ReaderGonePolicyEnum, StartChallengeEnum } from '../enums.ts';
import { mutation, type PayloadBuilder } from '../mutation.ts';
import { DeploymentBrandingInput } from './branding.ts';
import { ANONYMOUS_DEFAULT, DEPLOYMENT_ID, Deployment } from './deployments.ts';
import { IF_REVISION } from './workflow-changes.ts';
import { WORKFLOW_ID, WorkflowVersion } from './workflows.ts';

const settingFields = (t: InputFields) => ({
  authRequired: t.boolean({ description: 'Whether turns need credentials. Default: true.' }),
  allowlist: t.stringList({
    description: `Hosts whose pages can use the deployment without credentials, including subdomains: at most ${LIMITS.allowlist}, for example example.com. Empty, the default: all hosts. The service normalizes entries: it removes scheme, path, port, a leading www. and duplicates, and stores lower case and Punycode.`,
  }),
  hostedPage: t.boolean({ description: 'Whether the service serves its hosted page. Default: false.' }),
  dynamicClientTools: t.boolean({
    description: 'Whether requests can define their own client tools. Default: true.',
  }),
  doubleTextPolicy: t.field({
    type: DoubleTextPolicyEnum,
    description: 'What happens to a message that arrives while a turn is running. Default: REJECT.',
  }),
  onReaderGone: t.field({
    type: ReaderGonePolicyEnum,
    description: 'What happens to a streamed v1 reply whose reader disconnects. Default: STOP.',
  }),
  anonymousPerMinute: t.int({
    description: `Requests per minute and IP address without credentials: 1 to ${formatCount(LIMITS.ratePerMinute)}. Null, the default: ${ANONYMOUS_DEFAULT}.`,
  }),
  conversationTurnsPerMinute: t.int({
    description: `Turns per minute and conversation without credentials: 1 to ${formatCount(LIMITS.ratePerMinute)}. Null, the default: ${RATE_LIMITS.anonymousTurns.points}.`,
  }),
  turnsPerMinute: t.int({
    description: `Turns and one-shot runs per minute of all callers together: 1 to ${formatCount(LIMITS.ratePerMinute)}. Null, the default: no limit.`,
  }),
  visitorTurnsPerHour: t.int({
    description: `Turns per hour without credentials, per IP address and per visitor of the hosted page: 1 to ${formatCount(LIMITS.ratePerMinute)}. Null, the default: no limit.`,
  }),
  visitorTurnsPerDay: t.int({
    description: `Turns per day without credentials, per IP address and per visitor of the hosted page: 1 to ${formatCount(LIMITS.ratePerMinute)}. Null, the default: no limit.`,
  }),
  challenge: t.field({
    type: StartChallengeEnum,
    description:
      'What a caller without credentials solves before it starts a conversation or a one-shot run. Default: OFF.',
  }),
  maxFileBytes: t.int({
    description: `Bytes of one uploaded file: 1 to ${formatCount(LIMITS.fileBytes)}. Null, the default: ${formatBytes(LIMITS.defaultFileBytes)}, without credentials ${formatBytes(LIMITS.defaultAnonymousFileBytes)}.`,
  }),
  fileTypes: t.stringList({
    description: `MIME types of the files that callers can upload, also as image/*: at most ${LIMITS.fileTypes}. Default: every type.`,
  }),
  branding: t.field({
    type: DeploymentBrandingInput,
    description: 'The appearance of the hosted page and the widget. Null restores the default appearance.',
  }),
});

const NAME = `Display name: 1 to ${LIMITS.workflowNameLength} characters, not blank.`;

const CreateDeploymentInput = builder.inputType('CreateDeploymentInput', {
  description: 'A new deployment. Omitted settings get their default.',
  fields: (t) => ({
    workflowId: t.int(WORKFLOW_ID),
    name: t.string({ required: true, description: NAME }),
    kind: t.field({
      type: DeploymentKindEnum,
      required: true,
      description: 'The hosted page of the deployment. It cannot be changed later.',
    }),
    ...settingFields(t),
  }),
});

const UpdateDeploymentInput = builder.inputType('UpdateDeploymentInput', {
  description: 'Changes to a deployment. Omitted fields keep their value. Null restores the default of a setting.',
  fields: (t) => ({
    deploymentId: t.field(DEPLOYMENT_ID),
    name: t.string({ description: NAME }),
    ...settingFields(t),
  }),
});

const PublishWorkflowInput = builder.inputType('PublishWorkflowInput', {
  description: 'The workflow to publish and its deployments.',
  fields: (t) => ({
    workflowId: t.int(WORKFLOW_ID),
    deploymentIds: t.field({
      type: ['UUID'],
      required: true,
      description: `Deployments of the workflow: 1 to ${LIMITS.publishedDeployments}, each once. Other deployments keep their version.`,
    }),
    ifRevision: t.int(IF_REVISION),
  }),
});

const RollBackDeploymentInput = builder.inputType('RollBackDeploymentInput', {
  description: 'A deployment and the version that it runs from now on.',
  fields: (t) => ({
    deploymentId: t.field(DEPLOYMENT_ID),
    version: t.int({
      required: true,
      description: 'The number of any published version of the workflow, older or newer.',
    }),
  }),
});

const UnpublishDeploymentInput = builder.inputType('UnpublishDeploymentInput', {
  description: 'The deployment to take offline.',
  fields: (t) => ({ deploymentId: t.field(DEPLOYMENT_ID) }),
});

const deploymentField = (t: PayloadBuilder<DeploymentRow>, description: string) => ({
  deployment: t.field({ type: Deployment, description, resolve: (deployment) => deployment }),
});

mutation('publishWorkflow', {
  publishing: 'changes',
  access: { scope: 'workflows:write' },
  description: 'Creates a version from the draft. The deployments run it from their next turn. Scope: workflows:write.',
  input: PublishWorkflowInput,
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
  input: CreateDeploymentInput,
  errors: ['invalid_request', 'not_found'],
  resolve: ({ workflowId, ...settings }, { domain }) => createDeployment(domain, workflowId, settings),
  payload: (t) => deploymentField(t, 'The new deployment.'),
});

mutation('updateDeployment', {
  publishing: 'changes',
  access: { scope: 'workflows:write' },
  description: 'Changes the name and settings. Takes effect with the next request. Scope: workflows:write.',
  input: UpdateDeploymentInput,
  errors: ['invalid_request', 'not_found'],
  resolve: ({ deploymentId, ...changes }, { domain }) => updateDeployment(domain, deploymentId, changes),
  payload: (t) => deploymentField(t, 'The changed deployment.'),
});

mutation('rollBackDeployment', {
  publishing: 'changes',
  access: { scope: 'workflows:write' },
  description: 'Switches a deployment to another published version, from its next turn. Scope: workflows:write.',
  input: RollBackDeploymentInput,
  errors: ['not_found'],
  resolve: ({ deploymentId, version }, { domain }) => rollBackDeployment(domain, deploymentId, version),
  payload: (t) => deploymentField(t, 'The deployment with its new version.'),
});

mutation('unpublishDeployment', {
  publishing: 'sets',
  access: { scope: 'workflows:write' },
  description:
    'Takes a deployment offline: it responds with 404 until you publish to it again. Its triggers stay valid. Scope: workflows:write.',
  input: UnpublishDeploymentInput,
  errors: ['not_found'],
  resolve: ({ deploymentId }, { domain }) => unpublishDeployment(domain, deploymentId),
  payload: (t) => deploymentField(t, 'The deployment, without a version.'),
});
