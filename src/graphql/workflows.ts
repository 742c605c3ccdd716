import { RATE_LIMITS } from '../domain/access/rate-limits.ts';
import { setTriggerRequired } from '../domain/workflows/trigger-settings.ts';
import { readWidgetMeta, type WidgetMeta } from '../domain/workflows/widget-meta.ts';
import { builder } from './builder.ts';
import { DeploymentKindEnum } from './enums.ts';
import { hostedLink } from './hosted-links.ts';

const Workflow = builder.prismaObject('Workflow', {
  description: 'An assistant: what its deployments publish versions of.',
  fields: (t) => ({
    workflowId: t.exposeInt('id', { description: 'Its number in the workspace.' }),
    name: t.exposeString('name', { description: 'For people.' }),
    triggerRequired: t.exposeBoolean('triggerRequired', {
      description: 'Whether conversations and one-shot runs of it must start from a trigger.',
    }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'When it was made.' }),
    updatedAt: t.expose('updatedAt', { type: 'DateTime', description: 'When it was last changed.' }),
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

builder.mutationField('setTriggerRequired', (t) =>
  t.field({
    type: Workflow,
    authScopes: { scope: 'workflows:write' },
    description:
      "Says whether turns of the workflow's deployments must start from a trigger; it holds from the next request on. Scope: workflows:write.",
    args: {
      workflowId: t.arg.int({ required: true, description: 'A workflow of the workspace.' }),
      input: t.arg({ type: TriggerSettingsInput, required: true, description: 'The settings.' }),
    },
    resolve: (_root, { workflowId, input }, { domain }) =>
      setTriggerRequired(domain, workflowId, input.triggerRequired),
  }),
);

const WidgetMetaObject = builder.objectRef<WidgetMeta>('WidgetMeta').implement({
  description: 'What a page has to know of a deployment before it opens a conversation with it.',
  fields: (t) => ({
    deploymentId: t.expose('deploymentId', { type: 'UUID', description: 'The deployment.' }),
    name: t.exposeString('name', { description: 'Its name, for people.' }),
    triggerRequired: t.exposeBoolean('triggerRequired', {
      description: 'Whether a conversation must start from a trigger.',
    }),
    authRequired: t.exposeBoolean('authRequired', { description: 'Whether turns need credentials.' }),
    kind: t.expose('kind', { type: DeploymentKindEnum, description: 'Which hosted page is made for it.' }),
    chatUrl: t.string({
      description: 'Its hosted chat page.',
      resolve: ({ deploymentId }, _args, { services }) => hostedLink(services, 'chat', deploymentId),
    }),
    agentUrl: t.string({
      description: 'Its hosted agent page.',
      resolve: ({ deploymentId }, _args, { services }) => hostedLink(services, 'agent', deploymentId),
    }),
  }),
});

builder.queryField('widgetMeta', (t) =>
  t.field({
    type: WidgetMetaObject,
    nullable: true,
    description:
      'What a page has to know of a published deployment: no credentials are needed. 120 reads a minute by address. An error not_found where there is none.',
    args: { deploymentId: t.arg({ type: 'UUID', required: true, description: 'A published deployment.' }) },
    resolve: async (_root, { deploymentId }, { services, countByAddress }) => {
      await countByAddress(RATE_LIMITS.anonymous);
      return readWidgetMeta(services.prisma, deploymentId);
    },
  }),
);
