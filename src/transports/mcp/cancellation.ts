import { createHash } from 'node:crypto';
import type { OpenRequest } from '../../operation/operation-request.ts';
import { operationOf } from '../../rest/handle.ts';
import type { McpParts } from './parts.ts';

/** The ID of a request in JSON-RPC. Clients count from 0, so only the session makes it unique. */
export type RequestId = string | number;

/** The turn to stop. */
export interface StoppedTurn {
  readonly conversationId: string;
  readonly runId: string;
}

interface Client {
  readonly opened: OpenRequest;
  /** The `Mcp-Session-Id` of the client. Without one, its calls cannot be cancelled. */
  readonly session: string | undefined;
}

/** The topic on which the process that runs a call learns that its client has cancelled it. */
function topicOf({ opened, session }: Client, requestId: RequestId): string | undefined {
  const { caller } = opened.identity;
  if (!caller || session === undefined) return undefined;
  const name = JSON.stringify([caller.id, session, requestId]);
  return `mcp-cancelled:${createHash('sha256').update(name).digest('base64url')}`;
}

/** Tells the process that runs the call. A caller can only cancel its own calls. */
export function cancel({ pipeline }: McpParts, client: Client, requestId: RequestId): void {
  const topic = topicOf(client, requestId);
  if (topic !== undefined) pipeline.services.stores.pubSub.publish(topic);
}

/** Waits for the cancellation of a call, until `release`. */
export function cancellationOf({ pipeline }: McpParts, client: Client, requestId: RequestId) {
  const cancelled = new AbortController();
  const topic = topicOf(client, requestId);
  const release =
    topic === undefined ? undefined : pipeline.services.stores.pubSub.subscribe(topic, () => cancelled.abort());
  return { cancelled: cancelled.signal, release: () => release?.() };
}

/** Stops a turn, as the REST path does. A turn that has ended meanwhile, and a later one, stay as they are. */
export async function stopTurn({ pipeline, stop }: McpParts, opened: OpenRequest, turn: StoppedTurn) {
  const { conversationId: conversation_id, runId: run_id } = turn;
  const input = { params: { conversation_id }, query: {}, body: { run_id }, get: () => undefined };
  await pipeline.run(opened, operationOf(stop, input));
}
