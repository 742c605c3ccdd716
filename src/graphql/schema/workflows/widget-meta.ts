import { RATE_LIMITS } from '../../../domain/access/rate-limits.ts';
import type { SomeServices } from '../../../domain/context.ts';
import { readWidgetMeta, type WidgetMeta } from '../../../domain/workflows/widget-meta.ts';
import { builder } from '../builder.ts';
import { DeploymentKindEnum } from '../enums.ts';
import { NOT_FOUND } from '../mutation.ts';

/** The URL of a deployment's hosted page: `{chat_url}/chat/{deployment_id}?tid=…`. */
export function hostedLink(
  { settings: { chatUrl } }: SomeServices<'chatUrl'>,
  page: 'chat' | 'agent',
  deploymentId: string,
  triggerId?: string,
): string {
  const query = triggerId === undefined ? '' : `?tid=${triggerId}`;
  return `${chatUrl}/${page}/${deploymentId}${query}`;
}

const WidgetMetaObject = builder.objectRef<WidgetMeta>('WidgetMeta').implement({
  description: 'Public facts about a deployment, for pages that embed it.',
  fields: (t) => ({
    deploymentId: t.expose('deploymentId', { type: 'UUID', description: 'The ID of the deployment.' }),
    name: t.exposeString('name', { description: 'Display name.' }),
    triggerRequired: t.exposeBoolean('triggerRequired', {
      description: 'Whether conversations must start from a trigger.',
    }),
    authRequired: t.exposeBoolean('authRequired', { description: 'Whether turns need credentials.' }),
    kind: t.expose('kind', { type: DeploymentKindEnum, description: 'The hosted page of the deployment.' }),
    chatUrl: t.string({
      description: 'URL of the hosted chat page.',
      resolve: ({ deploymentId }, _args, { services }) => hostedLink(services, 'chat', deploymentId),
    }),
    agentUrl: t.string({
      description: 'URL of the hosted agent page.',
      resolve: ({ deploymentId }, _args, { services }) => hostedLink(services, 'agent', deploymentId),
    }),
  }),
});

builder.queryField('widgetMeta', (t) =>
  t.field({
    publishing: 'reads',
    type: WidgetMetaObject,
    nullable: true,
    extensions: NOT_FOUND,
    description: `Public facts about a published deployment. Needs no credentials. Limit without credentials: ${RATE_LIMITS.withoutCredentials.points} requests per minute per IP address. Null: it does not exist or is not published.`,
    args: {
      deploymentId: t.arg({
        type: 'UUID',
        idOf: 'Deployment',
        required: true,
        description: 'The ID of a published deployment.',
      }),
    },
    resolve: (_root, { deploymentId }, { services }) => readWidgetMeta(services.stores.prisma, deploymentId),
  }),
);
