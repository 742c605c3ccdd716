import type { Request, RequestHandler, Response } from 'express';
import { type GraphQLSchema, OperationTypeNode } from 'graphql';
import type { Services } from '../domain/context.ts';
import type { GraphContext } from '../graphql/context.ts';
import { type NameField, type WireError, wireError } from '../graphql/errors.ts';
import type { ClaimedRequest } from '../graphql/idempotency.ts';
import { contextOf } from '../graphql/who-asks.ts';
import { nameField } from './bind.ts';
import { addressOf, executeRoute, subscribeRoute } from './execute.ts';
import { answerReply, errorReply, sendError, sendReply } from './reply.ts';
import type { Route } from './route.ts';
import { type StreamEvent, sendLines, sendStream } from './stream.ts';
import { claimPost, type KeptAnswer, keptStream, replayed } from './under-key.ts';

/** Carries requests of a route out, and answers them. */
export function handle(schema: GraphQLSchema, route: Route, services: Services, timeoutMs: number): RequestHandler {
  const isStream = route.operation.operation === OperationTypeNode.SUBSCRIPTION;
  return async (request, response) => {
    const requestId = String(request.id);
    const naming: NameField = (path) => nameField(route, path);
    const describe = (error: unknown) => wireError(error, { log: services.log, requestId, nameField: naming });
    const carry: Carrying = { schema, route, services, timeoutMs, requestId, describe };
    try {
      const context = await contextOf(services, request, addressOf(request).deploymentId);
      const claimed = await claimPost(route, request, context);
      if (claimed?.kind === 'replay') await sendKept(request, response, carry, claimed.answer);
      else if (isStream) await stream(request, response, carry, { context, claimed });
      else await answer(request, response, carry, { context, claimed });
    } catch (error) {
      sendError(response, describe(error), requestId);
    }
  };
}

/** What carries a request out, but for the request. */
interface Carrying {
  readonly schema: GraphQLSchema;
  readonly route: Route;
  readonly services: Services;
  /** Milliseconds that a read may take. */
  readonly timeoutMs: number;
  readonly requestId: string;
  readonly describe: (error: unknown) => WireError;
}

type Claim = Extract<ClaimedRequest<KeptAnswer>, { kind: 'claim' }>;

interface Asked {
  readonly context: GraphContext;
  readonly claimed: Claim | undefined;
}

async function answer(
  request: Request,
  response: Response,
  { schema, route, timeoutMs, requestId, describe }: Carrying,
  { context, claimed }: Asked,
): Promise<void> {
  const told = await executeRoute(schema, route, request, context, timeoutMs).then(
    (made) => ({ reply: answerReply(request, route, made), code: undefined }),
    (error: unknown) => failed(describe(error), requestId),
  );
  await claimed?.end({ kind: 'reply', reply: told.reply }, { status: told.reply.status, code: told.code });
  sendReply(response, told.reply);
}

function failed(error: WireError, requestId: string) {
  return { reply: errorReply(error, requestId), code: error.code };
}

async function stream(
  request: Request,
  response: Response,
  { schema, route, services, requestId, describe }: Carrying,
  { context, claimed }: Asked,
): Promise<void> {
  const release = async (error: unknown) => {
    const { reply, code } = failed(describe(error), requestId);
    await claimed?.end({ kind: 'reply', reply }, { status: reply.status, code });
  };
  const opened = await subscribeRoute(schema, route, request, context).catch(async (error: unknown) => {
    await release(error);
    throw error;
  });
  // A document of this facade gives each event its name.
  const events = opened as AsyncIterableIterator<StreamEvent>;
  const keep = async (kept: readonly StreamEvent[]) => claimed?.end({ kind: 'stream', events: kept }, { status: 200 });
  const closed = services.observer.subscriptionOpened();
  const read = claimed ? keptStream(events, { keep, release }) : events;
  const send = route.directive.lines ? sendLines : sendStream;
  await send(request, response, { events: read, describe, requestId }).finally(closed);
}

async function sendKept(
  request: Request,
  response: Response,
  { requestId, describe }: Carrying,
  kept: KeptAnswer,
): Promise<void> {
  if (kept.kind === 'reply') sendReply(response, kept.reply);
  else await sendStream(request, response, { events: replayed(kept.events), describe, requestId });
}
