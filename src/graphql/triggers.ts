import type { MessageContent } from '../contract/content.ts';
import { LIMITS } from '../contract/limits.ts';
import { RATE_LIMITS } from '../domain/access/rate-limits.ts';
import { createTrigger } from '../domain/triggers/create.ts';
import { listTriggers, readTrigger, triggerPage } from '../domain/triggers/reads.ts';
import { publishedDeployment } from '../domain/workflows/deployments.ts';
import { builder, type JsonObject } from './builder.ts';
import { ContentPartInput, ContentPartInterface } from './content.ts';
import { hostedLink } from './hosted-links.ts';
import type { NodeExtensions } from './node-scope.ts';
import { numberedPageOf } from './page.ts';
import { DEPLOYMENT_ARG } from './turns.ts';

const Trigger = builder.prismaNode('Trigger', {
  id: { field: 'id', description: 'The global id, for `node`.' },
  extensions: { nodeScope: 'triggers:read' } satisfies NodeExtensions,
  nullable: true,
  findUnique: (id) => ({ id }),
  description: 'A stored first message. The first conversation that starts from it is linked to it for ever.',
  fields: (t) => ({
    triggerId: t.exposeString('id', { description: 'The public id of 8 characters: the tid of hosted links.' }),
    deploymentId: t.expose('deploymentId', { type: 'UUID', description: 'The deployment that it starts.' }),
    workflowId: t.exposeInt('workflowId', { description: "The deployment's workflow." }),
    uiSurface: t.exposeString('uiSurface', {
      nullable: true,
      description: 'A hint where it is to be shown, like chat, assessment or agent.',
    }),
    content: t.field({
      type: [ContentPartInterface],
      description: 'What the user says first.',
      // Checked when it was stored.
      resolve: ({ content }) => content as unknown as MessageContent,
    }),
    variables: t.field({
      type: 'JSONObject',
      nullable: true,
      description: 'Values by name, for the instructions; null where none were given.',
      resolve: ({ variables }) => variables as JsonObject | null,
    }),
    conversationId: t.expose('conversationId', {
      type: 'UUID',
      nullable: true,
      description: 'The conversation that it started; null until then.',
    }),
    workflowLogId: t.field({
      type: 'SafeInt',
      nullable: true,
      description: 'The latest line of the workflow log that tells of it; null until there is one.',
      resolve: ({ workflowLogId }) => (workflowLogId === null ? null : Number(workflowLogId)),
    }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'When it was stored.' }),
    expiresAt: t.expose('expiresAt', {
      type: 'DateTime',
      nullable: true,
      description: 'From when on it starts nothing any more; null for never.',
    }),
    expired: t.boolean({
      description: 'Whether that time has come.',
      resolve: ({ expiresAt }) => expiresAt !== null && expiresAt <= new Date(),
    }),
    chatUrl: t.string({
      description: 'The hosted chat page that starts from it.',
      resolve: ({ id, deploymentId }, _args, { services }) => hostedLink(services, 'chat', deploymentId, id),
    }),
    agentUrl: t.string({
      description: 'The hosted agent page that starts from it.',
      resolve: ({ id, deploymentId }, _args, { services }) => hostedLink(services, 'agent', deploymentId, id),
    }),
  }),
});

const TriggerInput = builder.inputType('TriggerInput', {
  description: 'What a trigger stores.',
  fields: (t) => ({
    content: t.field({ type: [ContentPartInput], description: 'What the user says first: 1 to 64 parts. Required.' }),
    variables: t.field({
      type: 'JSONObject',
      description: 'Values by name, for the instructions; what is no string is filled in as JSON.',
    }),
    uiSurface: t.string({ description: 'A hint where it is to be shown: 1 to 64 characters.' }),
    ttlHours: t.int({
      defaultValue: LIMITS.defaultTtlHours,
      description: 'Hours until it expires, 1 to 8,760. Null for never.',
    }),
  }),
});

const TriggerPage = numberedPageOf('TriggerPage', Trigger, {
  description: 'A numbered page of triggers, newest first.',
  hasMore: 'Whether a later page holds older ones.',
});

builder.mutationField('createTrigger', (t) =>
  t.field({
    type: Trigger,
    authScopes: { scope: 'triggers:write' },
    description: 'Stores a first message for a deployment. Scope: triggers:write.',
    args: {
      deploymentId: t.arg(DEPLOYMENT_ARG),
      input: t.arg({ type: TriggerInput, required: true, description: 'The trigger.' }),
    },
    resolve: (_root, { deploymentId, input }, { domain }) => createTrigger(domain, deploymentId, input),
  }),
);

builder.queryField('trigger', (t) =>
  t.field({
    type: Trigger,
    nullable: true,
    description:
      'One trigger, for whoever knows its id: no credentials are needed. 60 reads a minute by address. An error not_found where there is none.',
    args: {
      deploymentId: t.arg({ type: 'UUID', required: true, description: 'The deployment that it starts.' }),
      triggerId: t.arg.string({ required: true, description: 'Its public id.' }),
    },
    resolve: async (_root, { deploymentId, triggerId }, { services, countByAddress }) => {
      await countByAddress(RATE_LIMITS.triggerRead);
      return readTrigger(services.prisma, deploymentId, triggerId);
    },
  }),
);

builder.queryField('triggers', (t) =>
  t.connection(
    {
      type: Trigger,
      authScopes: { scope: 'triggers:read' },
      description: 'Triggers of the environment, newest first. Scope: triggers:read.',
      args: { deploymentId: t.arg({ type: 'UUID', description: 'Only those of this deployment.' }) },
      resolve: (_root, { deploymentId, ...args }, { domain }) => listTriggers(domain, args, deploymentId),
    },
    { name: 'TriggerConnection', description: 'A page of triggers.' },
    { name: 'TriggerEdge' },
  ),
);

builder.queryField('triggerPage', (t) =>
  t.field({
    type: TriggerPage,
    authScopes: { scope: 'triggers:read' },
    description: 'Triggers of a deployment by page number, as REST reads them. Scope: triggers:read.',
    args: {
      deploymentId: t.arg(DEPLOYMENT_ARG),
      page: t.arg.int({ defaultValue: 1, required: true, description: 'From 1.' }),
      pageSize: t.arg.int({ defaultValue: 20, required: true, description: '1 to 100.' }),
    },
    resolve: async (_root, { deploymentId, ...page }, { domain }) => {
      await publishedDeployment(domain, deploymentId);
      return triggerPage(domain, deploymentId, page);
    },
  }),
);
