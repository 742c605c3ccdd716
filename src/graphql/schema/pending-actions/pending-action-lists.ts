import {
  followPendingCalls,
  type PendingCallsChange,
  pendingCallsCursor,
} from '../../../domain/conversations/follow-pending-calls.ts';
import { listPendingCalls } from '../../../domain/conversations/pending-calls.ts';
import type { FollowablePage } from '../../../domain/events/followable-page.ts';
import type { SubscriptionExtensions } from '../../../operation/feed-end.ts';
import { PENDING_ACTION_FILTER } from '../../../shapes/pending-actions.ts';
import { builder } from '../builder.ts';
import { PendingAction } from '../conversations/calls.ts';
import { feedPosition, resolveFeedEvent } from '../feed-position.ts';
import { orderInput } from '../filters.ts';
import { selects } from '../page.ts';
import { inputType } from '../shape-fields.ts';

const PendingActionOrder = orderInput('PendingAction', {
  WAITING_SINCE: { value: 'createdAt', description: 'Since when the call waits.' },
});

builder.queryField('pendingActions', (t) =>
  t.connection(
    {
      publishing: 'reads',
      type: PendingAction,
      access: { scope: 'conversations:read', bound: 'filtered' },
      description:
        'The calls of client tools, and the approvals, that wait for an answer in the environment. Those that have waited longest come first. Scope: conversations:read.',
      args: {
        filter: t.arg({ type: inputType(PENDING_ACTION_FILTER), description: 'Omit it for all calls that wait.' }),
        orderBy: t.arg({ type: PendingActionOrder, description: 'The order. Default: longest waiting first.' }),
      },
      resolve: (_root, { filter, orderBy: order, ...args }, { domain }, info) =>
        listPendingCalls(domain, args, filter ?? {}, {
          order,
          following: selects(info, 'followCursor'),
          cursorIn: (tx) => pendingCallsCursor(domain, tx),
        }),
    },
    {
      name: 'PendingActionConnection',
      description: 'A page of calls that wait.',
      fields: (fields) => ({
        followCursor: fields.string({
          description:
            'For `after` of pendingActionsChanged: it continues with the changes that are newer than this page.',
          // The page has it whenever the field is selected.
          resolve: (page) => (page as FollowablePage<object>).followCursor ?? '',
        }),
      }),
    },
    { name: 'PendingActionEdge' },
  ),
);

const PendingActionsChange = builder.objectRef<PendingCallsChange>('PendingActionsChange').implement({
  description:
    'Calls that began to wait, were answered or were cancelled since the previous event of this stream. With a filter, only those that match it.',
  fields: (t) => ({
    cursor: t.exposeString('cursor', {
      description: 'For `after` of the next subscription: it continues after this event.',
    }),
    totalCount: t.exposeInt('totalCount', { description: 'Number of calls that wait and match the filter.' }),
    conversationIds: t.expose('conversationIds', {
      type: ['UUID'],
      description: 'The conversations whose waiting calls can have changed.',
    }),
    pendingActions: t.expose('calls', {
      type: [PendingAction],
      description:
        'All calls that wait in these conversations now and match the filter. An earlier call of these conversations that is missing here no longer waits, or no longer matches.',
    }),
  }),
});

builder.subscriptionField('pendingActionsChanged', (t) =>
  t.field({
    type: PendingActionsChange,
    access: { scope: 'conversations:read', bound: 'filtered' },
    extensions: { feed: true } satisfies SubscriptionExtensions,
    description:
      'Follows the calls that wait for an answer in the environment. The first event has the count. Further events follow when calls begin to wait or stop waiting, at most four times per second. A deleted conversation is not reported. Scope: conversations:read.',
    args: {
      filter: t.arg({ type: inputType(PENDING_ACTION_FILTER), description: 'Omit it for all calls that wait.' }),
      after: t.arg.string({
        description:
          'The cursor of the last received event, or the followCursor of a page of `pendingActions`. Omit it to start now.',
      }),
    },
    subscribe: (_root, { filter, after }, context) =>
      followPendingCalls(context.domain, { filter: filter ?? {}, after: feedPosition(context, after) }),
    resolve: resolveFeedEvent,
  }),
);
