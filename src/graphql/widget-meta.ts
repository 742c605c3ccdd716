import { RATE_LIMITS } from '../domain/access/rate-limits.ts';
import { readWidgetMeta, type WidgetMeta } from '../domain/workflows/widget-meta.ts';
import { builder } from './builder.ts';
import { DeploymentKindEnum } from './enums.ts';
import { hostedLink } from './hosted-links.ts';

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
