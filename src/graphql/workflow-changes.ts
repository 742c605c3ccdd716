import { testDraft } from '../domain/agent/one-shot.ts';
import { createWorkflow, updateWorkflow } from '../domain/workflows/changes.ts';
import { setTriggerRequired } from '../domain/workflows/trigger-settings.ts';
import { builder } from './builder.ts';
import { OneShotRunObject } from './one-shot.ts';
import { OneShotInput } from './turn-inputs.ts';
import { WorkflowDraftInput } from './workflow-config.ts';
import { WORKFLOW_ARG, Workflow } from './workflows.ts';

const CreateWorkflowInput = builder.inputType('CreateWorkflowInput', {
  description: 'A new workflow.',
  fields: (t) => ({
    name: t.string({ required: true, description: 'For people: 1 to 100 characters, not blank.' }),
    draft: t.field({ type: WorkflowDraftInput, description: 'What is left out takes its default.' }),
  }),
});

const UpdateWorkflowInput = builder.inputType('UpdateWorkflowInput', {
  description: 'A change of a workflow: what is left out stays as it is.',
  fields: (t) => ({
    name: t.string({ description: 'For people: 1 to 100 characters, not blank.' }),
    draft: t.field({ type: WorkflowDraftInput, description: 'Its fields that change; null for none.' }),
  }),
});

const TriggerSettingsInput = builder.inputType('TriggerSettingsInput', {
  description: 'How a workflow uses triggers.',
  fields: (t) => ({
    triggerRequired: t.boolean({
      required: true,
      description: 'Whether conversations and one-shot runs must start from a trigger.',
    }),
  }),
});

export const IF_REVISION_ARG = {
  description: 'A revision that was read: precondition_failed where the workflow is no longer at it.',
} as const;

builder.mutationField('createWorkflow', (t) =>
  t.field({
    type: Workflow,
    authScopes: { scope: 'workflows:write' },
    description: 'Makes a workflow. Nobody meets it before a deployment of it is published. Scope: workflows:write.',
    args: { input: t.arg({ type: CreateWorkflowInput, required: true, description: 'The workflow.' }) },
    resolve: (_root, { input }, { domain }) => createWorkflow(domain, input),
  }),
);

builder.mutationField('updateWorkflow', (t) =>
  t.field({
    type: Workflow,
    authScopes: { scope: 'workflows:write' },
    description:
      'Changes name and draft. What deployments run stays as it is until the draft is published. Scope: workflows:write.',
    args: {
      workflowId: t.arg.int(WORKFLOW_ARG),
      input: t.arg({ type: UpdateWorkflowInput, required: true, description: 'The change.' }),
      ifRevision: t.arg.int(IF_REVISION_ARG),
    },
    resolve: (_root, { input, ...address }, { domain }) => updateWorkflow(domain, address, input),
  }),
);

builder.mutationField('setTriggerRequired', (t) =>
  t.field({
    type: Workflow,
    authScopes: { scope: 'workflows:write' },
    description:
      "Says whether turns of the workflow's deployments must start from a trigger; it holds from the next request on. Scope: workflows:write.",
    args: {
      workflowId: t.arg.int(WORKFLOW_ARG),
      input: t.arg({ type: TriggerSettingsInput, required: true, description: 'The settings.' }),
    },
    resolve: (_root, { workflowId, input }, { domain }) =>
      setTriggerRequired(domain, workflowId, input.triggerRequired),
  }),
);

builder.mutationField('testDraft', (t) =>
  t.field({
    type: OneShotRunObject,
    authScopes: { scope: 'workflows:write' },
    description:
      "Answers one message by the workflow's draft, as runOnce would once it is published. It asks the model, touches no deployment and takes no trigger; its line in the workflow log has no deployment. Scope: workflows:write.",
    args: {
      workflowId: t.arg.int(WORKFLOW_ARG),
      input: t.arg({ type: OneShotInput, required: true, description: 'The message, without triggerId.' }),
    },
    resolve: (_root, { workflowId, input }, { domain }) => testDraft(domain, workflowId, input),
  }),
);
