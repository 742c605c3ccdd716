import { LIMITS } from '../../../contract/limits.ts';
import type { Workflow as WorkflowRow } from '../../../db/generated/client.ts';
import { testDraft } from '../../../domain/agent/run/one-shot.ts';
import { createWorkflow, updateWorkflow } from '../../../domain/workflows/changes.ts';
import { setTriggerRequired } from '../../../domain/workflows/trigger-settings.ts';
import { OneShotRunObject } from '../agent/one-shot.ts';
import { oneShotFields } from '../agent/turn-inputs.ts';
import { builder } from '../builder.ts';
import { mutation, type PayloadBuilder } from '../mutation.ts';
import { withVariables } from '../variables.ts';
import { WorkflowDraftInput } from './workflow-config.ts';
import { WORKFLOW_ID, Workflow } from './workflows.ts';

const CreateWorkflowInput = builder.inputType('CreateWorkflowInput', {
  description: 'A new workflow.',
  fields: (t) => ({
    name: t.string({
      required: true,
      description: `Display name: 1 to ${LIMITS.workflowNameLength} characters, not blank.`,
    }),
    draft: t.field({ type: WorkflowDraftInput, description: 'The draft. Omitted fields get their default.' }),
  }),
});

export const IF_REVISION = {
  description: 'The revision that the caller read. Error precondition_failed if the workflow has changed since.',
} as const;

const UpdateWorkflowInput = builder.inputType('UpdateWorkflowInput', {
  description: 'Changes to a workflow. Omitted fields keep their value.',
  fields: (t) => ({
    workflowId: t.int(WORKFLOW_ID),
    ifRevision: t.int(IF_REVISION),
    name: t.string({ description: `Display name: 1 to ${LIMITS.workflowNameLength} characters, not blank.` }),
    draft: t.field({
      type: WorkflowDraftInput,
      description: 'The changes of the draft. Null: the draft stays as it is.',
    }),
  }),
});

const SetTriggerRequiredInput = builder.inputType('SetTriggerRequiredInput', {
  description: 'The trigger settings of a workflow.',
  fields: (t) => ({
    workflowId: t.int(WORKFLOW_ID),
    triggerRequired: t.boolean({
      required: true,
      description: 'Whether conversations and one-shot runs must start from a trigger.',
    }),
  }),
});

const TestDraftInput = builder.inputType('TestDraftInput', {
  description: 'A workflow and a message for its draft.',
  fields: (t) => ({ workflowId: t.int(WORKFLOW_ID), ...oneShotFields(t) }),
});

const workflowField = (t: PayloadBuilder<WorkflowRow>, description: string) => ({
  workflow: t.field({ type: Workflow, description, resolve: (workflow) => workflow }),
});

mutation('createWorkflow', {
  publishing: 'adds',
  access: { scope: 'workflows:write' },
  description:
    'Creates a workflow. Clients can use it after its draft is published to a deployment. Scope: workflows:write.',
  input: CreateWorkflowInput,
  errors: ['invalid_request'],
  resolve: (input, { domain }) => createWorkflow(domain, input),
  payload: (t) => workflowField(t, 'The new workflow.'),
});

mutation('updateWorkflow', {
  publishing: 'changes',
  access: { scope: 'workflows:write' },
  description:
    'Changes the name and draft. Deployments keep their version until the draft is published. Scope: workflows:write.',
  input: UpdateWorkflowInput,
  errors: ['invalid_request', 'not_found', 'precondition_failed'],
  resolve: ({ workflowId, ifRevision, ...changes }, { domain }) =>
    updateWorkflow(domain, { workflowId, ifRevision }, changes),
  payload: (t) => workflowField(t, 'The changed workflow.'),
});

mutation('setTriggerRequired', {
  publishing: 'sets',
  access: { scope: 'workflows:write' },
  description:
    "Sets whether turns of the workflow's deployments must start from a trigger. Takes effect with the next request. Scope: workflows:write.",
  input: SetTriggerRequiredInput,
  errors: ['not_found'],
  resolve: ({ workflowId, triggerRequired }, { domain }) => setTriggerRequired(domain, workflowId, triggerRequired),
  payload: (t) => workflowField(t, 'The changed workflow.'),
});

mutation('testDraft', {
  publishing: 'acts',
  access: { scope: 'workflows:write' },
  description:
    "Replies to one message with the workflow's draft, like runOnce with a published version. It calls the model and changes no deployment. Its entry in the workflow log has no deployment. Scope: workflows:write.",
  input: TestDraftInput,
  errors: ['invalid_request', 'not_found'],
  resolve: ({ workflowId, ...message }, { domain }) => testDraft(domain, workflowId, withVariables(message)),
  payload: (t) => ({ run: t.field({ type: OneShotRunObject, description: 'The reply.', resolve: (run) => run }) }),
});
