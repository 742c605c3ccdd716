import { isTypeId } from '../../contract/ids.ts';
import { listEvents, RESOURCE_EVENTS } from '../../domain/events/reads.ts';
import { EVENT_DELIVERIES } from '../../domain/webhooks/deliveries.ts';
import { builder } from './builder.ts';
import { loadConnection, loadEdge } from './edges.ts';
import { EventConnection, EventNode } from './events.ts';
import { IntegrationNode } from './integrations.ts';
import { selects } from './page.ts';
import { ResourceNode } from './resources.ts';
import { AttemptObject, WebhookDeliveryConnection, WebhookDeliveryNode } from './webhook-deliveries.ts';

builder.objectFields(EventNode, (t) => ({
  resource: t.field({
    type: ResourceNode,
    nullable: true,
    access: { scope: 'resources:read' },
    description:
      'The affected resource. Null: it was deleted, the event is about an integration, or the caller lacks the scope. Scope: resources:read.',
    resolve: ({ resourceId }, _args, context, info) =>
      loadEdge(isTypeId('res', resourceId) ? resourceId : null, context, info),
  }),
  integration: t.field({
    type: IntegrationNode,
    nullable: true,
    access: { scope: 'integrations:manage' },
    description:
      'The affected integration. Null: the event is about a resource, or the caller lacks the scope. Scope: integrations:manage.',
    resolve: ({ resourceId }, _args, context, info) =>
      loadEdge(isTypeId('int', resourceId) ? resourceId : null, context, info),
  }),
  deliveries: t.connection(
    {
      type: WebhookDeliveryNode,
      nullable: true,
      access: { scope: 'webhooks:manage' },
      description:
        'The messages about it to webhook endpoints, newest first. Null: the caller lacks the scope. Scope: webhooks:manage.',
      resolve: ({ id }, args, context, info) => loadConnection(EVENT_DELIVERIES, id, args, context, info),
    },
    WebhookDeliveryConnection,
  ),
}));

builder.objectField(ResourceNode, 'events', (t) =>
  t.connection(
    {
      type: EventNode,
      nullable: true,
      access: { scope: 'events:read' },
      description: 'Its log, newest first. Null: the caller lacks the scope. Scope: events:read.',
      resolve: ({ id }, args, context, info) =>
        selects(info, 'followCursor')
          ? listEvents(context.domain, args, { resourceId: id }, { following: true })
          : loadConnection(RESOURCE_EVENTS, id, args, context, info),
    },
    EventConnection,
  ),
);

builder.objectField(WebhookDeliveryNode, 'event', (t) =>
  t.field({
    type: EventNode,
    nullable: true,
    access: { scope: 'events:read' },
    description: 'The event that it delivers. Null: a test, or the caller lacks the scope. Scope: events:read.',
    resolve: ({ eventId }, _args, context, info) => loadEdge(eventId, context, info),
  }),
);

builder.objectField(AttemptObject, 'delivery', (t) =>
  t.field({
    type: WebhookDeliveryNode,
    nullable: true,
    access: { scope: 'webhooks:manage' },
    description:
      'The delivery that it belongs to. Null: it was deleted in the meantime, or the caller lacks the scope. Scope: webhooks:manage.',
    resolve: ({ deliveryId }, _args, context, info) => loadEdge(deliveryId, context, info),
  }),
);
