import type { Route } from '../../rest/route.ts';
import { findPlace } from './find-place.ts';
import { type ChatTurn, type Replacement, turnOf } from './message.ts';
import { sendHandled } from './stream.ts';
import { follow, run, turnInput, type UiRequest } from './ui-request.ts';

type Started = Readonly<Record<string, unknown>>;

/**
 * Runs a turn in the background and streams it. It continues if the client disconnects. The stream is counted first, so that
 * no turn runs whose request is rejected.
 */
export async function streamTurn(ui: UiRequest): Promise<void> {
  const turn = turnOf(ui.request.body);
  const started = await (turn.replaces ? replace(ui, turn, turn.replaces) : send(ui, turn));
  if (!started) return;
  const { conversation_id: conversationId, run_id: runId, follow_cursor: after, handled_by: handledBy } = started;
  ui.response.setHeader('x-conversation-id', String(conversationId));
  ui.response.setHeader('x-run-id', String(runId));
  if (handledBy) return sendHandled(ui.response, String(handledBy));
  await follow(ui, { conversationId: String(conversationId), after: String(after) }, turn);
}

/** Starts a turn in the background. Undefined: an error was sent. */
function start(
  ui: UiRequest,
  route: Route,
  params: Readonly<Record<string, string>>,
  body: object,
): Promise<Started | undefined> {
  return run(ui, route, turnInput(ui.request, params, body), { streamPlace: ui.streamPlace });
}

function send(ui: UiRequest, { body }: ChatTurn): Promise<Started | undefined> {
  return start(ui, ui.routes.RunAgentTurn, { deployment_id: String(ui.request.params.deployment_id) }, body);
}

/** Replaces the turn of a message. A message that was never stored, because its request was rejected, is sent. */
async function replace(ui: UiRequest, turn: ChatTurn, replaces: Replacement): Promise<Started | undefined> {
  const place = await findPlace(ui, replaces);
  if (!place) return undefined;
  if (place.kind === 'next') return send(ui, turn);
  const params = { conversation_id: replaces.chatId };
  const { content, ...options } = replaces.body;
  return replaces.isEdit
    ? start(ui, ui.routes.EditMessage, { ...params, message_id: place.id }, { ...options, content })
    : start(ui, ui.routes.RegenerateTurn, params, { ...options, message_id: place.id });
}
