import { isTypeId } from '../../../contract/ids.ts';
import {
  CONVERSATION_EVENTS,
  listConversationEvents,
  listEvents,
  RESOURCE_EVENTS,
  RUN_EVENTS,
} from '../../../domain/events/reads.ts';
import { EVENT_DELIVERIES } from '../../../domain/webhooks/deliveries.ts';
import { builder } from '../builder.ts';
import { Conversation } from '../conversations/conversations.ts';
import { Run } from '../conversations/runs.ts';
import { loadConnection, loadEdge } from '../edges.ts';
import { EventConnection, EventNode } from '../events/events.ts';
import { IntegrationNode } from '../integrations.ts';
import { selects } from '../page.ts';
import { ResourceNode } from '../resources.ts';
import { Trigger } from '../triggers.ts';
import { AttemptObject, WebhookDeliveryConnection, WebhookDeliveryNode } from '../webhooks/webhook-deliveries.ts';

builder.objectFields(EventNode, (t) => ({
  resource: t.field({
    type: ResourceNode,
    nullable: true,
    access: { scope: 'resources:read' },
    description:
      'The affected resource. Null: it was deleted, the event is not about a resource, or the caller lacks the scope. Scope: resources:read.',
    resolve: ({ resourceId }, _args, context, info) =>
      loadEdge(isTypeId('res', resourceId) ? resourceId : null, context, info),
  }),
  integration: t.field({
    type: IntegrationNode,
    nullable: true,
    access: { scope: 'integrations:manage' },
    description:
      'The affected integration. Null: the event is not about an integration, or the caller lacks the scope. Scope: integrations:manage.',
    resolve: ({ resourceId }, _args, context, info) =>
      loadEdge(isTypeId('int', resourceId) ? resourceId : null, context, info),
  }),
  run: t.field({
    type: Run,
    nullable: true,
    access: { scope: 'conversations:read' },
    description:
      'The run of the event. Null: it was deleted, the event is not about a run, or the caller lacks the scope. Scope: conversations:read.',
    resolve: ({ payload }, _args, context, info) => loadEdge(idIn(payload, 'run_id'), context, info),
  }),
  conversation: t.field({
    type: Conversation,
    nullable: true,
    access: { scope: 'conversations:read' },
    description:
      'The conversation of a lifecycle event. Null: it was deleted, it is no lifecycle event, or the caller lacks the scope. Scope: conversations:read.',
    resolve: ({ payload }, _args, context, info) => loadEdge(idIn(payload, 'conversation_id'), context, info),
  }),
  trigger: t.field({
    type: Trigger,
    nullable: true,
    access: { scope: 'triggers:read' },
    description:
      'The trigger that was used, or that started the run. Null: it was deleted, no trigger belongs to the event, or the caller lacks the scope. Scope: triggers:read.',
    resolve: ({ payload }, _args, context, info) => loadEdge(idIn(payload, 'trigger_id'), context, info),
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

builder.prismaObjectField(Run, 'events', (t) =>
  t.connection(
    {
      type: EventNode,
      nullable: true,
      access: { scope: 'events:read' },
      description: 'Its lifecycle events, newest first. Null: the caller lacks the scope. Scope: events:read.',
      resolve: ({ id }, args, context, info) =>
        selects(info, 'followCursor')
          ? listEvents(context.domain, args, { resourceId: id, include: ['runs'] }, { following: true })
          : loadConnection(RUN_EVENTS, id, args, context, info),
    },
    EventConnection,
  ),
);

builder.prismaObjectField(Conversation, 'runEvents', (t) =>
  t.connection(
    {
      type: EventNode,
      nullable: true,
      access: { scope: 'events:read' },
      description:
        'The lifecycle events of the conversation, its runs and its trigger, newest first. Null: the caller lacks the scope. Scope: events:read.',
      resolve: ({ id }, args, context, info) =>
        selects(info, 'followCursor')
          ? listConversationEvents(context.domain, args, id, { following: true })
          : loadConnection(CONVERSATION_EVENTS, id, args, context, info),
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

/** An ID in the payload of a lifecycle event. Other events do not have these names. */
function idIn(payload: unknown, name: 'run_id' | 'conversation_id' | 'trigger_id'): string | null {
  const id = (payload as Readonly<Record<string, unknown>>)[name];
  return typeof id === 'string' ? id : null;
}
