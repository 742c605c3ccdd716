import type { MessageContent } from '../../contract/content.ts';
import { LIMITS } from '../../contract/limits.ts';
import { RATE_LIMITS } from '../../domain/access/rate-limits.ts';
import { rowKey } from '../../domain/row-key.ts';
import { createTrigger } from '../../domain/triggers/create.ts';
import { listTriggers, readTrigger, triggerPage } from '../../domain/triggers/reads.ts';
import { publishedDeployment } from '../../domain/workflows/deployments.ts';
import type { NodeExtensions } from '../../operation/node-scope.ts';
import { publishedDeploymentId } from '../../shapes/ids.ts';
import { CREATE_TRIGGER } from '../../shapes/triggers.ts';
import { builder, type JsonObject } from './builder.ts';
import { ContentPartInterface } from './content.ts';
import { CREATED_AT, orderInput, PeriodInput } from './filters.ts';
import { mutation, NOT_FOUND } from './mutation.ts';
import type { NodeRowsExtensions } from './node-rows.ts';
import { numberedPageOf } from './page.ts';
import { argument, inputType } from './shape-fields.ts';
import { listVariables, Variable, withVariables } from './variables.ts';
import { hostedLink } from './workflows/widget-meta.ts';

export const Trigger = builder.prismaNode('Trigger', {
  id: { resolve: ({ id }) => id, description: 'The global ID, for `node`.' },
  extensions: {
    nodeScope: 'triggers:read',
    nodeRows: { model: 'trigger', keyOf: (id) => id },
  } satisfies NodeExtensions & NodeRowsExtensions,
  nullable: true,
  findUnique: (id, { domain }) => rowKey(domain.environment, id),
  description: 'A stored first message. It starts one conversation and stays linked to it.',
  fields: (t) => ({
    triggerId: t.exposeString('id', {
      description: `The ID of ${LIMITS.triggerIdLength} characters. It is the tid of hosted links.`,
    }),
    deploymentId: t.expose('deploymentId', { type: 'UUID', description: 'The deployment of the trigger.' }),
    workflowId: t.exposeInt('workflowId', { description: 'The workflow of the deployment.' }),
    uiSurface: t.exposeString('uiSurface', {
      nullable: true,
      description: 'A hint for the client about where to show it, for example chat, assessment or agent.',
    }),
    content: t.field({
      type: [ContentPartInterface],
      description: 'The first message of the user.',
      // Validated when it was stored.
      resolve: ({ content }) => content as unknown as MessageContent,
    }),
    variables: t.field({
      type: [Variable],
      description: 'Values for the instructions, in the order of their names. Empty: it has no variables.',
      resolve: ({ variables }) => listVariables(variables),
    }),
    variablesByName: t.field({
      type: 'JSONObject',
      nullable: true,
      internal: true,
      description: 'Variables by name, for the instructions. Null: it has no variables.',
      resolve: ({ variables }) => variables as JsonObject | null,
    }),
    conversationId: t.expose('conversationId', {
      type: 'UUID',
      nullable: true,
      description: 'The conversation that it started. Null: it has not started one.',
    }),
    workflowLogId: t.field({
      type: 'SafeInt',
      nullable: true,
      description: 'The ID of its latest entry in the workflow log. Null: there is no entry yet.',
      resolve: ({ workflowLogId }) => (workflowLogId === null ? null : Number(workflowLogId)),
    }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'Creation time.' }),
    expiresAt: t.expose('expiresAt', {
      type: 'DateTime',
      nullable: true,
      description: 'When it expires. Null: never.',
    }),
    expired: t.boolean({
      description: 'Whether it has expired.',
      resolve: ({ expiresAt }) => expiresAt !== null && expiresAt <= new Date(),
    }),
    chatUrl: t.string({
      description: 'URL of the hosted chat page that starts from it.',
      resolve: ({ id, deploymentId }, _args, { services }) => hostedLink(services, 'chat', deploymentId, id),
    }),
    agentUrl: t.string({
      description: 'URL of the hosted agent page that starts from it.',
      resolve: ({ id, deploymentId }, _args, { services }) => hostedLink(services, 'agent', deploymentId, id),
    }),
  }),
});

const TriggerPage = numberedPageOf('TriggerPage', Trigger, {
  description: 'A page of triggers by page number, newest first.',
  hasMore: 'Whether there is a next page, with older triggers.',
});

mutation('createTrigger', {
  publishing: 'adds',
  access: { scope: 'triggers:write', bound: 'addressed' },
  description: 'Creates a trigger for a deployment. Scope: triggers:write.',
  input: inputType(CREATE_TRIGGER),
  errors: ['invalid_request', 'not_found'],
  resolve: ({ deploymentId, ...trigger }, { domain }) => createTrigger(domain, deploymentId, withVariables(trigger)),
  payload: (t) => ({
    trigger: t.field({ type: Trigger, description: 'The new trigger.', resolve: (trigger) => trigger }),
  }),
});

builder.queryField('trigger', (t) =>
  t.field({
    publishing: 'reads',
    type: Trigger,
    nullable: true,
    extensions: NOT_FOUND,
    description: `A trigger. Needs no credentials, only its ID. Limit without credentials: ${RATE_LIMITS.triggerRead.points} requests per minute per IP address. Null: it does not exist, or it is not visible to the caller.`,
    args: {
      deploymentId: t.arg({
        type: 'UUID',
        idOf: 'Deployment',
        required: true,
        description: 'The deployment of the trigger.',
      }),
      id: t.arg.string({ required: true, idOf: 'Trigger', description: 'The ID of the trigger.' }),
    },
    resolve: async (_root, { deploymentId, id }, context) => {
      await context.countPublic(RATE_LIMITS.triggerRead);
      return readTrigger(context.services.stores.prisma, deploymentId, id);
    },
  }),
);

export const TriggerConnection = builder.connectionObject(
  { type: Trigger, name: 'TriggerConnection', description: 'A page of triggers.' },
  { name: 'TriggerEdge' },
);

const TriggerFilter = builder.inputType('TriggerFilter', {
  description: 'Filters triggers. All conditions must match.',
  fields: (t) => ({
    deploymentId: t.field({ type: 'UUID', idOf: 'Deployment', description: 'Only triggers of this deployment.' }),
    createdAt: t.field({ type: PeriodInput, description: 'Only triggers that were created in this period.' }),
  }),
});

const TriggerOrder = orderInput('Trigger', CREATED_AT);

builder.queryField('triggers', (t) =>
  t.connection(
    {
      publishing: 'reads',
      type: Trigger,
      access: { scope: 'triggers:read', bound: 'filtered' },
      description: 'Triggers of the environment, newest first. Scope: triggers:read.',
      args: {
        filter: t.arg({ type: TriggerFilter, description: 'Omit it for all triggers.' }),
        orderBy: t.arg({ type: TriggerOrder, description: 'The order. Default: newest first.' }),
      },
      resolve: (_root, { filter, orderBy, ...args }, { domain }) => listTriggers(domain, args, filter ?? {}, orderBy),
    },
    TriggerConnection,
  ),
);

builder.queryField('triggerPage', (t) =>
  t.field({
    publishing: 'reads',
    type: TriggerPage,
    internal: true,
    extensions: NOT_FOUND,
    access: { scope: 'triggers:read', bound: 'addressed' },
    description: 'Triggers of a deployment by page number, as the REST API returns them. Scope: triggers:read.',
    args: {
      deploymentId: argument(t, publishedDeploymentId),
      page: t.arg.int({ defaultValue: 1, required: true, description: 'The page number, from 1.' }),
      pageSize: t.arg.int({
        defaultValue: LIMITS.defaultPageSize,
        required: true,
        description: `Items per page: 1 to ${LIMITS.pageSize}.`,
      }),
    },
    resolve: async (_root, { deploymentId, ...page }, { domain }) => {
      await publishedDeployment(domain, deploymentId);
      return triggerPage(domain, deploymentId, page);
    },
  }),
);
