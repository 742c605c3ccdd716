import express, { type Request, type RequestHandler, type Response, type Router } from 'express';
import type { FieldPath } from '../../contract/errors.ts';
import { LIMITS } from '../../contract/limits.ts';
import { readBody } from '../../http/body/body.ts';
import { exchangeOf } from '../../http/exchange.ts';
import { rejectMethod } from '../../http/unrouted.ts';
import { wireError, wireErrorOf } from '../../operation/errors.ts';
import type { OpenRequest, OperationRequest } from '../../operation/operation-request.ts';
import type { Outcome } from '../../operation/outcome.ts';
import type { Pipeline } from '../../operation/pipeline.ts';
import { StreamPlace } from '../../operation/stream-caps.ts';
import { uuidOf } from '../../operation/uuid.ts';
import { nameField, type RouteInput } from '../../rest/bind.ts';
import { eventsOf, operationOf } from '../../rest/handle.ts';
import { bodyOf, resultReply, sendReply } from '../../rest/reply.ts';
import type { Route } from '../../rest/route.ts';
import type { StreamStart } from './chunks.ts';
import { sendUiError } from './errors.ts';
import { turnOf } from './message.ts';
import { messagesOf, type StoredPage } from './stored-messages.ts';
import { sendChunks } from './stream.ts';

/** The documents of REST that a chat uses. */
const DOCUMENTS = ['RunAgentTurn', 'ReadHistory', 'StopTurn', 'ReadChat', 'FollowChat'] as const;

interface UiParts {
  readonly pipeline: Pipeline;
  readonly routes: Readonly<Record<(typeof DOCUMENTS)[number], Route>>;
}

/** A request whose caller is identified. */
interface UiRequest extends UiParts {
  readonly opened: OpenRequest;
  readonly request: Request;
  readonly response: Response;
  readonly streamPlace: StreamPlace;
}

/**
 * The UI message stream of the AI SDK, for `useChat` without a backend of its own. The ID of a chat is the ID of its
 * conversation, so every process can serve every request.
 */
export function uiRouter(routes: readonly Route[], pipeline: Pipeline): Router {
  const found = DOCUMENTS.map((name) => {
    const route = routes.find((one) => one.name === name);
    if (!route) throw new Error(`There is no document ${name}.`);
    return [name, route] as const;
  });
  const parts = { pipeline, routes: Object.fromEntries(found) as UiParts['routes'] };
  const router = express.Router({ caseSensitive: true, strict: true });
  const chat = '/v1/runner/:deployment_id/ui/:chat_id';
  router.route('/v1/runner/:deployment_id/ui').post(handle(parts, runTurn)).all(rejectMethod('POST, OPTIONS'));
  router.route(chat).get(handle(parts, readMessages)).all(rejectMethod('GET, HEAD, OPTIONS'));
  router.route(`${chat}/stream`).get(handle(parts, reconnect)).all(rejectMethod('GET, HEAD, OPTIONS'));
  router.route(`${chat}/stop`).post(handle(parts, stop)).all(rejectMethod('POST, OPTIONS'));
  return router;
}

/** Identifies the caller. */
function handle(parts: UiParts, respond: (ui: UiRequest) => Promise<void>): RequestHandler {
  return async (request, response) => {
    const requestId = String(request.id);
    const streamPlace = new StreamPlace(parts.routes.FollowChat.access);
    try {
      const opened = await parts.pipeline.open(exchangeOf(request), uuidOf(request.params.deployment_id));
      await readBody(request, opened);
      await respond({ ...parts, opened, request, response, streamPlace });
    } catch (error) {
      const { log } = parts.pipeline.services.process;
      await sendUiError(response, wireError(error, { log, requestId }), requestId);
    } finally {
      streamPlace.leave();
    }
  };
}

/**
 * Runs a turn in the background and streams it. It continues if the client disconnects. The stream is counted first, so that
 * no turn runs whose request is rejected.
 */
async function runTurn(ui: UiRequest): Promise<void> {
  const { request, response, routes } = ui;
  const turn = turnOf(request.body);
  const started = await run(ui, routes.RunAgentTurn, turnInput(request, turn), { streamPlace: ui.streamPlace });
  if (!started) return;
  const { conversation_id: conversationId, run_id: runId, follow_cursor: after } = started;
  response.setHeader('x-conversation-id', String(conversationId));
  response.setHeader('x-run-id', String(runId));
  await follow(ui, { conversationId: String(conversationId), after: String(after) }, turn);
}

/** The newest messages of the chat. Without a conversation the list is empty. */
async function readMessages(ui: UiRequest): Promise<void> {
  const { request, response, routes } = ui;
  const send = (body: object) => sendReply(response, { status: 200, headers: {}, body });
  const input = historyInput(request, LIMITS.pageSize);
  const page = await run(ui, routes.ReadChat, input, { isMissing: () => send([]) });
  if (page) await send(messagesOf(page as unknown as StoredPage));
}

/** Streams the turn that is running or waiting, from its start. 204: no turn is active. */
async function reconnect(ui: UiRequest): Promise<void> {
  const { request, response, routes } = ui;
  const state = await run(ui, routes.ReadHistory, historyInput(request, 1), {
    isMissing: async () => void response.status(204).end(),
  });
  if (!state) return;
  const { conversation_id: conversationId, run_status: status, follow_cursor: after } = state;
  if (status !== 'running' && status !== 'waiting_for_client_action') return void response.status(204).end();
  await follow(ui, { conversationId: String(conversationId), after: String(after) }, { known: undefined });
}

/** Stops the turn. A client that only disconnects does not stop it. */
async function stop(ui: UiRequest): Promise<void> {
  const { request, response, opened, pipeline, routes } = ui;
  const state = await run(ui, routes.ReadHistory, historyInput(request, 1));
  if (!state) return;
  const route = routes.StopTurn;
  const outcome = await pipeline.run(opened, operationOf(route, conversationInput(String(state.conversation_id))));
  if (outcome.kind === 'result') await sendResult(request, response, route, outcome);
}

async function sendResult(
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
async function follow(
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
async function run(
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

/** The name of a field in an error: as in REST, but the conversation is the chat. */
const nameOf =
  (route: Route) =>
  (path: FieldPath): string => {
    const name = nameField(route, path);
    return name === 'conversation_id' ? 'id' : name;
  };

function turnInput(request: Request, { body }: ReturnType<typeof turnOf>): RouteInput {
  const get = ((name: string) =>
    name.toLowerCase() === 'prefer' ? 'respond-async' : request.get(name)) as Request['get'];
  return { params: { deployment_id: String(request.params.deployment_id) }, query: {}, body, get };
}

/** The newest items of a chat, which must belong to the deployment of the path. */
function historyInput({ params }: Request, limit: number): RouteInput {
  const { deployment_id, chat_id } = params;
  return {
    params: { deployment_id: String(deployment_id), conversation_id: String(chat_id) },
    ...{ query: { limit: String(limit) }, body: {}, get: noHeader },
  };
}

function conversationInput(conversation_id: string, query: { readonly after?: string } = {}): RouteInput {
  return { params: { conversation_id }, query: { ...query }, body: {}, get: noHeader };
}

// Express's `get` has a second form for `set-cookie`, which no document reads.
const noHeader = (() => undefined) as Request['get'];
