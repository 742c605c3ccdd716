import type { Request, Response } from 'express';
import type { FieldPath } from '../../contract/errors.ts';
import { wireErrorOf } from '../../operation/errors.ts';
import type { OpenRequest, OperationRequest } from '../../operation/operation-request.ts';
import type { Outcome } from '../../operation/outcome.ts';
import type { Pipeline } from '../../operation/pipeline.ts';
import type { StreamPlace } from '../../operation/stream-caps.ts';
import { nameField, type RouteInput } from '../../rest/bind.ts';
import { eventsOf, operationOf } from '../../rest/handle.ts';
import { bodyOf, resultReply, sendReply } from '../../rest/reply.ts';
import type { Route } from '../../rest/route.ts';
import type { StreamStart } from './chunks.ts';
import { sendUiError } from './errors.ts';
import { sendChunks } from './stream.ts';

/** The documents of REST that a chat uses. */
export const DOCUMENTS = [
  'RunAgentTurn',
  'RegenerateTurn',
  'EditMessage',
  'ReadHistory',
  'StopTurn',
  'ReadChat',
  'FollowChat',
] as const;

export interface UiParts {
  readonly pipeline: Pipeline;
  readonly routes: Readonly<Record<(typeof DOCUMENTS)[number], Route>>;
}

/** A request whose caller is identified. */
export interface UiRequest extends UiParts {
  readonly opened: OpenRequest;
  readonly request: Request;
  readonly response: Response;
  readonly streamPlace: StreamPlace;
}

export async function sendResult(
  request: Request,
  response: Response,
  route: Route,
  { result, requestId }: Extract<Outcome, { kind: 'result' }>,
): Promise<void> {
  const [error] = result.errors ?? [];
  if (error) return sendUiError(response, wireErrorOf(error), requestId);
  await sendReply(response, resultReply(request, route, result, requestId));
}

/** The conversation alone decides whether a caller without credentials is admitted. */
export async function follow(
  { pipeline, opened, routes, request, response, streamPlace }: UiRequest,
  { conversationId, after }: { readonly conversationId: string; readonly after: string },
  { known }: Pick<StreamStart, 'known'>,
): Promise<void> {
  const route = routes.FollowChat;
  const start = { known, canResetSteps: Number(request.query.ai_sdk) >= 7 };
  const operation = { ...operationOf(route, conversationInput(conversationId, { after })), streamPlace };
  const outcome = await pipeline.run(opened, operation);
  if (outcome.kind === 'result') return sendResult(request, response, route, outcome);
  const { results, requestId, describe } = outcome;
  await sendChunks(request, response, {
    ...{ start, requestId, events: eventsOf(route, results) },
    describe: (error) => wireErrorOf(describe(error)),
  });
}

/** Runs a document and returns its result. Responds to an error, and returns undefined. */
export async function run(
  { pipeline, opened, response }: UiRequest,
  route: Route,
  input: RouteInput,
  { isMissing, ...options }: Pick<OperationRequest, 'streamPlace'> & { readonly isMissing?: () => Promise<void> } = {},
): Promise<Readonly<Record<string, unknown>> | undefined> {
  const operation = { ...operationOf(route, input), ...options, nameField: nameOf(route) };
  const outcome = await pipeline.run(opened, operation);
  if (outcome.kind === 'stream') throw new Error(`${route.name} must not be a subscription.`);
  const [error] = outcome.result.errors ?? [];
  if (!error) return bodyOf(route, outcome.result) as Readonly<Record<string, unknown>>;
  const wire = wireErrorOf(error);
  if (wire.code === 'not_found' && isMissing) await isMissing();
  else await sendUiError(response, wire, outcome.requestId);
  return undefined;
}

/** The names of path parameters in the body of a chat. */
const NAMES: Readonly<Record<string, string>> = { conversation_id: 'id', message_id: 'messageId' };

/** The name of a field in an error. */
const nameOf =
  (route: Route) =>
  (path: FieldPath): string => {
    const name = nameField(route, path);
    return NAMES[name] ?? name;
  };

/** The request of a turn in the background. */
export function turnInput(request: Request, params: Readonly<Record<string, string>>, body: object): RouteInput {
  const get = ((name: string) =>
    name.toLowerCase() === 'prefer' ? 'respond-async' : request.get(name)) as Request['get'];
  return { params, query: {}, body, get };
}

/** The newest items of a chat, or those before a cursor. The chat must belong to the deployment of the path. */
export function historyInput(
  { params }: Request,
  chatId: unknown,
  { limit, cursor }: { readonly limit: number; readonly cursor?: string | undefined },
): RouteInput {
  return {
    params: { deployment_id: String(params.deployment_id), conversation_id: String(chatId) },
    ...{ query: { limit: String(limit), ...(cursor && { cursor }) }, body: {}, get: noHeader },
  };
}

export function conversationInput(conversation_id: string, query: { readonly after?: string } = {}): RouteInput {
  return { params: { conversation_id }, query: { ...query }, body: {}, get: noHeader };
}

// Express's `get` has a second form for `set-cookie`, which no document reads.
const noHeader = (() => undefined) as Request['get'];
