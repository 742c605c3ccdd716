import type { Context } from '../context.ts';
import { hasLifecycleType, LIFECYCLE_SCOPE } from '../events/filter.ts';
import { bodyOf } from './message.ts';
import { openResponse, type StoredResponse } from './stored-response.ts';

/**
 * The body of each of these deliveries: the same bytes that every attempt sent and signed. Null if the caller may not read
 * the event.
 */
export async function payloadsOf(ctx: Context, deliveryIds: readonly string[]): Promise<(string | null)[]> {
  const rows = await ctx.db.webhookDelivery.findMany({
    where: { id: { in: [...new Set(deliveryIds)].map(BigInt) } },
    select: {
      id: true,
      messageId: true,
      endpointId: true,
      createdAt: true,
      event: { select: { type: true, resourceId: true, payload: true, occurredAt: true } },
    },
  });
  const payloads = new Map(
    rows.map(({ id, event, ...row }) => {
      const isReadable = !event || !hasLifecycleType([event.type]) || ctx.caller.scopes.has(LIFECYCLE_SCOPE);
      // The database stores objects only.
      const source = { ...row, event: event && { ...event, payload: event.payload as object } };
      return [String(id), isReadable ? bodyOf(source) : null];
    }),
  );
  return deliveryIds.map((id) => payloads.get(id) ?? null);
}

/** The stored response of each of these attempts. Null without a response. */
export async function responsesOf(ctx: Context, attemptIds: readonly string[]): Promise<(StoredResponse | null)[]> {
  const rows = await ctx.db.webhookAttempt.findMany({
    where: { id: { in: [...new Set(attemptIds)].map(BigInt) } },
    select: { id: true, deliveryId: true, sealedResponse: true },
  });
  const { secretBox } = ctx.services.settings;
  const responses = new Map(
    rows.map(({ id, deliveryId, sealedResponse }) => [
      String(id),
      (sealedResponse && openResponse(secretBox, deliveryId, sealedResponse)) ?? null,
    ]),
  );
  return attemptIds.map((id) => responses.get(id) ?? null);
}
