import { LIMITS } from '../../../contract/limits.ts';
import { formatBytes } from '../../../contract/quantities.ts';
import type { Context } from '../../../domain/context.ts';
import { loadInBatch } from '../../../domain/related/batches.ts';
import type { WebhookAttempt } from '../../../domain/webhooks/deliveries.ts';
import { payloadsOf, responsesOf } from '../../../domain/webhooks/inspect.ts';
import { headersOf } from '../../../domain/webhooks/message.ts';
import type { MessageHeader, StoredResponse } from '../../../domain/webhooks/stored-response.ts';
import { builder } from '../builder.ts';
import { AttemptObject, WebhookDeliveryNode } from './webhook-deliveries.ts';

const HeaderObject = builder.objectRef<MessageHeader>('WebhookHeader').implement({
  description: 'A header of a request or a response.',
  fields: (t) => ({
    name: t.exposeString('name', { description: 'The name in lower case.' }),
    value: t.exposeString('value', { description: 'The value as text. Long values of responses are cut off.' }),
  }),
});

builder.objectField(WebhookDeliveryNode, 'payload', (t) =>
  t.string({
    nullable: true,
    description:
      'The body of each attempt: JSON, exactly the bytes that were sent and signed. Null: it has a run, conversation or trigger event, and the caller lacks the scope conversations:read.',
    resolve: ({ id }, _args, { domain }) =>
      loadInBatch(domain, 'webhook payloads', String(id), (ids) => payloadsOf(domain, ids)),
  }),
);

const ResponseObject = builder.objectRef<StoredResponse>('WebhookResponse').implement({
  description: "A receiver's response to an attempt.",
  fields: (t) => ({
    headers: t.field({
      type: [HeaderObject],
      description: `Its headers without cookies: at most ${LIMITS.webhookResponseHeaders}, each cut off after ${LIMITS.webhookResponseHeaderLength} characters.`,
      resolve: ({ headers }) => [...headers],
    }),
    body: t.exposeString('body', {
      description: `The first ${formatBytes(LIMITS.webhookResponseBytes)} of its body as UTF-8. Other bytes are replaced.`,
    }),
    isBodyTruncated: t.exposeBoolean('isCut', {
      description: 'Whether the body is longer, or did not arrive in time.',
    }),
  }),
});

builder.objectField(AttemptObject, 'requestHeaders', (t) =>
  t.field({
    type: [HeaderObject],
    description: 'The headers of the request, without its signature.',
    resolve: async ({ deliveryId, startedAt }, _args, { domain }) =>
      Object.entries(headersOf(await messageIdOf(domain, deliveryId), startedAt)).map(([name, value]) => ({
        name,
        value,
      })),
  }),
);

builder.objectField(AttemptObject, 'response', (t) =>
  t.field({
    type: ResponseObject,
    nullable: true,
    description: 'The response. Null: no response, or it was stored with a secret key that the service no longer has.',
    resolve: ({ id }: WebhookAttempt, _args, { domain }) =>
      loadInBatch(domain, 'webhook responses', String(id), (ids) => responsesOf(domain, ids)),
  }),
);

function messageIdOf(ctx: Context, deliveryId: bigint): Promise<string> {
  return loadInBatch(ctx, 'webhook message IDs', String(deliveryId), async (ids) => {
    const rows = await ctx.db.webhookDelivery.findMany({
      where: { id: { in: [...new Set(ids)].map(BigInt) } },
      select: { id: true, messageId: true },
    });
    const found = new Map(rows.map(({ id, messageId }) => [String(id), messageId]));
    // An attempt is deleted with its delivery.
    return ids.map((id) => found.get(id) ?? '');
  });
}
