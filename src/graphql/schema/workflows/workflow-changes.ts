import type { Workflow as WorkflowRow } from '../../../db/generated/client.ts';
import { testDraft } from '../../../domain/agent/one-shot.ts';
import { createWorkflow, updateWorkflow } from '../../../domain/workflows/changes.ts';
import { setTriggerRequired } from '../../../domain/workflows/trigger-settings.ts';
import { input } from '../../../shapes/field.ts';
import { workflowId } from '../../../shapes/ids.ts';
import { ONE_SHOT_FIELDS } from '../../../shapes/turns.ts';
import { CREATE_WORKFLOW, SET_TRIGGER_REQUIRED, UPDATE_WORKFLOW } from '../../../shapes/workflows.ts';
import { MODEL_ERRORS } from '../agent/model-failed.ts';
import { OneShotRunObject } from '../agent/one-shot.ts';
import { mutation, type PayloadBuilder } from '../mutation.ts';
import { inputType } from '../shape-fields.ts';
import { withVariables } from '../variables.ts';
import { Workflow } from './workflows.ts';

const TEST_DRAFT = input('TestDraftInput', 'A workflow and a message for its draft.', {
  workflowId,
  ...ONE_SHOT_FIELDS,
});

const workflowField = (t: PayloadBuilder<WorkflowRow>, description: string) => ({
  workflow: t.field({ type: Workflow, description, resolve: (workflow) => workflow }),
});

mutation('createWorkflow', {
  publishing: 'adds',
  access: { scope: 'workflows:write' },
  description:
    'Creates a workflow. Clients can use it after its draft is published to a deployment. Scope: workflows:write.',
  input: inputType(CREATE_WORKFLOW),
  errors: ['invalid_request'],
  resolve: (input, { domain }) => createWorkflow(domain, input),
  payload: (t) => workflowField(t, 'The new workflow.'),
});

mutation('updateWorkflow', {
  publishing: 'changes',
  access: { scope: 'workflows:write' },
  description:
    'Changes the name and draft. Deployments keep their version until the draft is published. Scope: workflows:write.',
  input: inputType(UPDATE_WORKFLOW),
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
  input: inputType(SET_TRIGGER_REQUIRED),
  errors: ['not_found'],
  resolve: ({ workflowId, triggerRequired }, { domain }) => setTriggerRequired(domain, workflowId, triggerRequired),
  payload: (t) => workflowField(t, 'The changed workflow.'),
});

mutation('testDraft', {
  publishing: 'acts',
  access: { scope: 'workflows:write' },
  description:
    "Replies to one message with the workflow's draft, like runOnce with a published version. It calls the model and changes no deployment. Its entry in the workflow log has no deployment. Scope: workflows:write.",
  input: inputType(TEST_DRAFT),
  errors: ['invalid_request', 'not_found', ...MODEL_ERRORS],
  resolve: ({ workflowId, ...message }, { domain }) => testDraft(domain, workflowId, withVariables(message)),
  payload: (t) => ({ run: t.field({ type: OneShotRunObject, description: 'The reply.', resolve: (run) => run }) }),
});
