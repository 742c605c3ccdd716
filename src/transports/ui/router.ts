import express, { type RequestHandler, type Router } from 'express';
import { LIMITS } from '../../contract/limits.ts';
import { readBody } from '../../http/body/body.ts';
import { exchangeOf } from '../../http/exchange.ts';
import { rejectMethod } from '../../http/unrouted.ts';
import { wireError } from '../../operation/errors.ts';
import type { Pipeline } from '../../operation/pipeline.ts';
import { StreamPlace } from '../../operation/stream-caps.ts';
import { uuidOf } from '../../operation/uuid.ts';
import { operationOf } from '../../rest/handle.ts';
import { sendReply } from '../../rest/reply.ts';
import type { Route } from '../../rest/route.ts';
import { sendUiError } from './errors.ts';
import { streamTurn } from './start-turn.ts';
import { messagesOf, type StoredPage } from './stored-messages.ts';
import {
  conversationInput,
  DOCUMENTS,
  follow,
  historyInput,
  run,
  sendResult,
  type UiParts,
  type UiRequest,
} from './ui-request.ts';

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
  router.route('/v1/runner/:deployment_id/ui').post(handle(parts, streamTurn)).all(rejectMethod('POST, OPTIONS'));
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

/** The newest messages of the chat. Without a conversation the list is empty. */
async function readMessages(ui: UiRequest): Promise<void> {
  const { request, response, routes } = ui;
  const send = (body: object) => sendReply(response, { status: 200, headers: {}, body });
  const input = historyInput(request, request.params.chat_id, { limit: LIMITS.pageSize });
  const page = await run(ui, routes.ReadChat, input, { isMissing: () => send([]) });
  if (page) await send(messagesOf(page as unknown as StoredPage));
}

/** Streams the turn that is running or waiting, from its start. 204: no turn is active. */
async function reconnect(ui: UiRequest): Promise<void> {
  const { request, response, routes } = ui;
  const state = await run(ui, routes.ReadHistory, historyInput(request, request.params.chat_id, { limit: 1 }), {
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
  const state = await run(ui, routes.ReadHistory, historyInput(request, request.params.chat_id, { limit: 1 }));
  if (!state) return;
  const route = routes.StopTurn;
  const outcome = await pipeline.run(opened, operationOf(route, conversationInput(String(state.conversation_id))));
  if (outcome.kind === 'result') await sendResult(request, response, route, outcome);
}
