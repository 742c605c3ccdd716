import { LIMITS } from '../../../contract/limits.ts';
import { formatCount } from '../../../contract/quantities.ts';
import type { WebhookReplay } from '../../../db/generated/client.ts';
import type { Context } from '../../../domain/context.ts';
import { loadInBatch } from '../../../domain/related/batches.ts';
import { findReplays, latestReplays, progressOfEach, replayDeliveries } from '../../../domain/webhooks/replays.ts';
import type { NodeExtensions } from '../../../operation/node-scope.ts';
import { builder } from '../builder.ts';
import { loadEdge } from '../edges.ts';
import { mutation } from '../mutation.ts';
import { WebhookDeliveryNode } from './webhook-deliveries.ts';
import { WebhookEndpointNode } from './webhooks.ts';

const progressOf = (domain: Context, { id }: WebhookReplay) =>
  loadInBatch(domain, 'progress of webhook replays', String(id), (ids) => progressOfEach(domain, ids));

export const WebhookReplayNode = builder.node(builder.objectRef<WebhookReplay>('WebhookReplay'), {
  id: { resolve: ({ id }) => String(id), description: 'The global ID, for `node`.' },
  extensions: { nodeScope: 'webhooks:manage' } satisfies NodeExtensions,
  description: `A period of deliveries that was sent to an endpoint again. The service deletes it after ${LIMITS.webhookDeliveryDays} days. A delivery that a later replay sends again counts only there.`,
  loadMany: async (ids, { domain }) => {
    const replays = await findReplays(domain, ids);
    return ids.map((id) => replays.find((replay) => String(replay.id) === id) ?? null);
  },
  fields: (t) => ({
    replayId: t.id({ description: 'The ID: a number.', resolve: ({ id }) => String(id) }),
    endpoint: t.field({
      type: WebhookEndpointNode,
      nullable: true,
      description: 'The recipient. Null: it was deleted in the meantime.',
      resolve: ({ endpointId }, _args, context, info) => loadEdge(endpointId, context, info),
    }),
    from: t.expose('from', { type: 'DateTime', description: 'The start of the period. The period includes it.' }),
    to: t.expose('to', { type: 'DateTime', description: 'The end of the period. The period does not include it.' }),
    onlyFailed: t.exposeBoolean('onlyFailed', { description: 'Whether it sends only failed deliveries again.' }),
    deliveryCount: t.exposeInt('deliveryCount', { description: 'Deliveries that it queued.' }),
    pendingCount: t.int({
      description: 'Deliveries that wait for an attempt. 0: it has finished.',
      resolve: async (replay, _args, { domain }) => (await progressOf(domain, replay)).pending,
    }),
    deliveredCount: t.int({
      description: 'Deliveries that were delivered.',
      resolve: async (replay, _args, { domain }) => (await progressOf(domain, replay)).delivered,
    }),
    failedCount: t.int({
      description: 'Deliveries whose last attempt failed again.',
      resolve: async (replay, _args, { domain }) => (await progressOf(domain, replay)).failed,
    }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'When it was requested.' }),
  }),
});

builder.objectField(WebhookEndpointNode, 'latestReplay', (t) =>
  t.field({
    type: WebhookReplayNode,
    nullable: true,
    description: 'The latest replay of a period. Null: there was no replay.',
    resolve: ({ id }, _args, { domain }) =>
      loadInBatch(domain, 'latest replays', id, (ids) => latestReplays(domain, ids)),
  }),
);

builder.objectField(WebhookDeliveryNode, 'replay', (t) =>
  t.field({
    type: WebhookReplayNode,
    nullable: true,
    description: 'The last replay of a period that sent it again. Null: no replay did, or it was deleted.',
    resolve: ({ replayId }, _args, context, info) => loadEdge(replayId, context, info),
  }),
);

const ReplayInput = builder.inputType('ReplayWebhookDeliveriesInput', {
  description: 'The deliveries to send again.',
  fields: (t) => ({
    id: t.id({
      required: true,
      idOf: 'WebhookEndpoint',
      description: 'The ID of the endpoint: whk_ and 26 characters.',
    }),
    from: t.field({
      type: 'DateTime',
      required: true,
      description: 'Deliveries that were first queued at this time or later.',
    }),
    to: t.field({
      type: 'DateTime',
      required: true,
      description: 'Deliveries that were first queued before this time.',
    }),
    onlyFailed: t.boolean({
      defaultValue: true,
      required: true,
      description: 'False: delivered messages are sent again, too.',
    }),
  }),
});

mutation('replayWebhookDeliveries', {
  publishing: 'acts',
  access: { scope: 'webhooks:manage' },
  description: `Sends the finished deliveries of a period again, in their order and with the same webhook-id. Limit: ${formatCount(LIMITS.webhookReplayDeliveries)} deliveries. They are delivered in the background, before newer messages. Pending deliveries are not affected. Send an Idempotency-Key to repeat a request safely. Scope: webhooks:manage.`,
  input: ReplayInput,
  errors: ['invalid_request', 'not_found'],
  resolve: (input, { domain }) => replayDeliveries(domain, input),
  payload: (t) => ({
    replay: t.field({
      type: WebhookReplayNode,
      description: 'The replay, before its first attempt.',
      resolve: (replay) => replay,
    }),
  }),
});
