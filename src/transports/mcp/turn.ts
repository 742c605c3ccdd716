import { randomUUID } from 'node:crypto';
import type { CallToolResult } from '@modelcontextprotocol/server';
import { GraphQLError } from 'graphql';
import type { FieldPath } from '../../contract/errors.ts';
import { wireError, wireErrorOf } from '../../operation/errors.ts';
import { StreamPlace } from '../../operation/stream-caps.ts';
import { nameField, type RouteInput } from '../../rest/bind.ts';
import { eventsOf, operationOf } from '../../rest/handle.ts';
import { bodyOf } from '../../rest/reply.ts';
import type { Route } from '../../rest/route.ts';
import { failure, success } from './call.ts';
import type { StoppedTurn } from './cancellation.ts';
import type { Call } from './tool-call.ts';
import { type Arguments, routeInput } from './tool-input.ts';
import { requireOwn, type TurnTool } from './turn-tools.ts';

/** A call of a tool that runs a turn. */
export interface TurnCall extends Call {
  /** The client has cancelled the call. */
  readonly cancelled: AbortSignal;
  readonly wantsProgress: boolean;
  /** Reports text of a reply that the model has written. */
  progress(text: string): void;
  stop(turn: StoppedTurn): Promise<void>;
}

type Body = Readonly<Record<string, unknown>>;

/**
 * Runs a turn. It starts in the background, so that its conversation is known while it runs. Then the same request, with
 * the same key, waits for the outcome.
 */
export async function callTurnTool(tool: TurnTool, args: Arguments, call: TurnCall): Promise<CallToolResult> {
  const place = new StreamPlace(tool.routes.run.access);
  try {
    const { started, input } = await startTurn(tool, args, call, place);
    if (started.follow_cursor === undefined) return success(resultOf(started));
    const end = watch(tool, started, call, place);
    try {
      return success(resultOf(await run(tool.routes.run, input, call)));
    } finally {
      await end();
    }
  } catch (error) {
    return turnFailure(tool, error, call);
  } finally {
    place.leave();
  }
}

/** Starts a turn in the background. The same request waits for its outcome. @throws {ServiceError | GraphQLError} */
export async function startTurn(tool: TurnTool, args: Arguments, call: Call, place?: StreamPlace) {
  requireOwn(tool, args);
  const { idempotency_key: key, ...own } = args;
  const input = routeInput(tool, { ...own, idempotency_key: key ?? randomUUID() });
  return { started: await run(tool.routes.run, preferring(input, 'respond-async'), call, place), input };
}

/** A turn that did not start or that failed, as a result. */
export function turnFailure({ routes }: TurnTool, error: unknown, { pipeline, opened }: Call): CallToolResult {
  const { requestId } = opened.exchange;
  const { log } = pipeline.services.process;
  const nameOf = (path: FieldPath) => nameField(routes.run, path);
  // The pipeline has described its errors.
  const wire =
    error instanceof GraphQLError ? wireErrorOf(error) : wireError(error, { log, requestId, nameField: nameOf });
  return failure(wire, requestId);
}

/** Runs a document and returns its result. @throws {GraphQLError} */
export async function run(route: Route, input: RouteInput, call: Call, streamPlace?: StreamPlace): Promise<Body> {
  const operation = operationOf(route, input);
  const style = { ...operation.style, ignoresUnknown: false };
  const outcome = await call.pipeline.run(call.opened, { ...operation, style, ...(streamPlace && { streamPlace }) });
  if (outcome.kind === 'stream') throw new Error(`${route.name} must not be a subscription.`);
  return bodyOf(route, outcome.result) as Body;
}

/** Express's `get` has a second form for `set-cookie`, which no document reads. */
export function preferring(input: RouteInput, preference: string): RouteInput {
  const get = ((name: string) => (name.toLowerCase() === 'prefer' ? preference : input.get(name))) as RouteInput['get'];
  return { ...input, get };
}

/** Stops the turn if the client cancels it, and reports the text of the reply. Call the result when the turn has ended. */
function watch({ routes }: TurnTool, started: Body, call: TurnCall, place: StreamPlace): () => Promise<void> {
  const turn = { conversationId: String(started.conversation_id), runId: String(started.run_id) };
  const stop = () => void call.stop(turn).catch(() => {});
  if (call.cancelled.aborted) stop();
  call.cancelled.addEventListener('abort', stop);
  const over = new AbortController();
  const reported = call.wantsProgress
    ? reportText(routes.follow, started, call, { place, over: over.signal })
    : undefined;
  return async () => {
    call.cancelled.removeEventListener('abort', stop);
    const late = setTimeout(() => over.abort(), LAST_TEXT_MS);
    await reported;
    clearTimeout(late);
  };
}

/** How long a result waits for the progress before it. */
const LAST_TEXT_MS = 1_000;

interface Reporting {
  readonly place: StreamPlace;
  /** The result does not wait any longer. */
  readonly over: AbortSignal;
}

/** Reports the text of a reply until the turn pauses or ends. A caller who may not read conversations gets no progress. */
async function reportText(route: Route, started: Body, call: TurnCall, { place, over }: Reporting): Promise<void> {
  const input: RouteInput = {
    ...{
      params: { conversation_id: String(started.conversation_id) },
      query: { after: String(started.follow_cursor) },
    },
    ...{ body: {}, get: (() => undefined) as RouteInput['get'] },
  };
  const outcome = await call.pipeline.run(call.opened, { ...operationOf(route, input), streamPlace: place });
  if (outcome.kind !== 'stream') return;
  const events = eventsOf(route, outcome.results);
  over.addEventListener('abort', () => void events.return?.());
  try {
    for await (const { event, text } of events) {
      if (event === 'text.delta') call.progress(String(text));
      if (event === 'turn.paused' || event === 'turn.ended') return;
    }
  } catch {
    // The outcome has the reply.
  } finally {
    await events.return?.();
  }
}

/** The pending actions have the same name in every result. */
function resultOf({ client_tool_calls: pending = [], ...body }: Body): object {
  return { ...body, ...(body.handled_by ? { content: FOR_PERSON } : {}), pending_actions: pending };
}

/** What a model reads in place of the reply to a message that was only stored. */
export const FOR_PERSON =
  'A person will answer this message later. There is no reply of the assistant. Read the answer with read_conversation.';
