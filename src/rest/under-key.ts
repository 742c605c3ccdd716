import type { Request } from 'express';
import { ServiceError } from '../contract/errors.ts';
import { UUID_PATTERN } from '../contract/ids.ts';
import type { GraphContext } from '../graphql/context.ts';
import { type ClaimedRequest, claimRequest } from '../graphql/idempotency.ts';
import type { Reply } from './reply.ts';
import type { Route } from './route.ts';
import type { StreamEvent } from './stream.ts';

/** A first answer, as it is kept under its Idempotency-Key (WIRE 11). */
export type KeptAnswer =
  | { readonly kind: 'reply'; readonly reply: Reply }
  | { readonly kind: 'stream'; readonly events: readonly StreamEvent[] };

/**
 * Claims the key of a POST; undefined where there is none, or nobody whose key it could be.
 * @throws {ServiceError} invalid_request, idempotency_key_reused, request_in_progress; what keeps somebody out
 */
export async function claimPost(
  route: Route,
  request: Request,
  context: GraphContext,
): Promise<ClaimedRequest<KeptAnswer> | undefined> {
  const key = request.get('idempotency-key');
  if (key === undefined || route.method !== 'post') return undefined;
  const deploymentId = String(request.params.deployment_id).toLowerCase();
  // Whoever comes without credentials is somebody once the deployment has let them in.
  if (!context.caller && UUID_PATTERN.test(deploymentId)) {
    await context.enterRunner('conversations:write', { deploymentId });
  }
  return claimRequest<KeptAnswer>(context, key, [route.name, request.params, request.body]);
}

/** The events of a stream, kept once they are all there. What its reader leaves may be asked for again. */
export function keptStream(
  events: AsyncIterableIterator<StreamEvent>,
  { keep, release }: { keep(events: readonly StreamEvent[]): Promise<void>; release(error: unknown): Promise<void> },
): AsyncIterableIterator<StreamEvent> {
  const kept: StreamEvent[] = [];
  let ended = false;
  const end = async (how: () => Promise<void>) => {
    if (ended) return;
    ended = true;
    await how();
  };
  const stream: AsyncIterableIterator<StreamEvent> = {
    async next() {
      const result = await events.next().catch(async (error: unknown) => {
        await end(() => release(error));
        throw error;
      });
      if (result.done) await end(() => keep(joined(kept)));
      else kept.push(result.value);
      return result;
    },
    async return() {
      await events.return?.();
      await end(() => release(new ServiceError('unavailable', 'The reader went away.')));
      return { done: true, value: undefined };
    },
    [Symbol.asyncIterator]: () => stream,
  };
  return stream;
}

/** Deltas that follow each other, as one. */
function joined(events: readonly StreamEvent[]): StreamEvent[] {
  const result: StreamEvent[] = [];
  for (const event of events) {
    const last = result.at(-1);
    if (event.event === 'delta' && last?.event === 'delta') {
      result[result.length - 1] = { ...last, text: `${last.text}${event.text}` };
    } else result.push(event);
  }
  return result;
}

/** Kept events as a stream. */
export function replayed(events: readonly StreamEvent[]): AsyncIterableIterator<StreamEvent> {
  const rest = events.values();
  const stream: AsyncIterableIterator<StreamEvent> = {
    next: async () => rest.next() as IteratorResult<StreamEvent>,
    return: async () => ({ done: true, value: undefined }),
    [Symbol.asyncIterator]: () => stream,
  };
  return stream;
}
