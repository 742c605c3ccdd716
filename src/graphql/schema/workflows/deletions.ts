import { encodeGlobalID } from '@pothos/plugin-relay';
import { LIMITS } from '../../../contract/limits.ts';
import { formatCount } from '../../../contract/quantities.ts';
import { DEPENDANT_KINDS, type DependantKind } from '../../../contract/statuses.ts';
import type { Dependants } from '../../../domain/dependants.ts';
import { deleteTrigger } from '../../../domain/triggers/delete.ts';
import { deleteDeployment } from '../../../domain/workflows/delete-deployment.ts';
import { deleteWorkflow } from '../../../domain/workflows/delete-workflow.ts';
import { DELETE_TRIGGER } from '../../../shapes/triggers.ts';
import { DELETE_DEPLOYMENT, DELETE_WORKFLOW } from '../../../shapes/workflows.ts';
import { builder } from '../builder.ts';
import { enumType } from '../enum-type.ts';
import { errorType, registerErrors } from '../errors.ts';
import { deletedId, mutation } from '../mutation.ts';
import { inputType } from '../shape-fields.ts';

const DependantKindEnum = enumType('DependantKind', DEPENDANT_KINDS, {
  description: 'The kind of objects that prevent a deletion.',
  values: {
    deployment: 'Deployments of the workflow.',
    conversation: 'Conversations of the deployment, or the one that the trigger started.',
    trigger: 'Triggers of the deployment.',
    api_key: 'Valid API keys that are bound to the deployment.',
    end_user_issuer: 'Issuers whose JWTs are valid for the deployment. Each environment has at most one.',
  },
});

/** The types of the global IDs. An issuer is a setting of its environment and has no ID. */
const TYPES: Readonly<Record<DependantKind, string>> = {
  deployment: 'Deployment',
  conversation: 'Conversation',
  trigger: 'Trigger',
  api_key: 'ApiKey',
  end_user_issuer: '',
};

const DependantsObject = builder.objectRef<Dependants>('Dependants').implement({
  description: 'Objects of one kind that prevent a deletion.',
  fields: (t) => ({
    kind: t.expose('kind', { type: DependantKindEnum, description: 'The kind of the objects.' }),
    count: t.exposeInt('count', {
      description: `How many there are, in all environments of the workspace. ${formatCount(LIMITS.countedDependants)} stands for that many or more.`,
    }),
    ids: t.idList({
      description: `Global IDs of at most ${LIMITS.namedDependants} of them, in the environment of the request. Empty: all are in another environment, or the caller lacks the scope that reads them.`,
      resolve: ({ kind, ids }) => ids.map((id) => encodeGlobalID(TYPES[kind], id)),
    }),
  }),
});

registerErrors({
  in_use: errorType('InUse', 'Other objects depend on the object, so nothing was deleted. Delete them first.', (t) => ({
    dependants: t.field({
      type: [DependantsObject],
      description: 'What depends on the object.',
      resolve: ({ error }) => [...((error.details.facts as { dependants?: readonly Dependants[] })?.dependants ?? [])],
    }),
  })),
});

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
    'Deletes a deployment that no conversation, trigger, API key or issuer depends on. The tokens of its end users end. The workflow log keeps its entries. Scope: workflows:write.',
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
