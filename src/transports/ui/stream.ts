import type { UIMessageChunk } from 'ai';
import type { Request, Response } from 'express';
import { keepAlive } from '../../operation/heartbeats.ts';
import { type EventSource, STREAM_HEADERS, type StreamEvent, send, type Writer } from '../../rest/stream.ts';
import { type StreamStart, TurnChunks } from './chunks.ts';

/** Writes the events of a turn as chunks, until the turn has paused or ended. */
export function sendChunks(
  request: Request,
  response: Response,
  { start, ...source }: EventSource<StreamEvent> & { readonly start: StreamStart },
): Promise<void> {
  const turn = new TurnChunks(start);
  response.writeHead(200, HEADERS);
  response.flushHeaders();
  if (request.method === 'HEAD') void source.events.return?.();
  return send(response, chunkWriter(response, turn, source.events), source);
}

const HEADERS = {
  ...STREAM_HEADERS,
  'Content-Type': 'text/event-stream',
  'x-vercel-ai-ui-message-stream': 'v1',
};

/**
 * The whole stream of a message that was only stored, because a person answers it. Without a start, the page gets no empty
 * message of the assistant.
 */
export function sendHandled(response: Response, handledBy: string): void {
  response.writeHead(200, HEADERS);
  const handled: UIMessageChunk = { type: 'data-handled', data: { handled_by: handledBy }, transient: true };
  const chunks: UIMessageChunk[] = [handled, { type: 'finish' }];
  response.end([...chunks.map((chunk) => JSON.stringify(chunk)), '[DONE]'].map((data) => `data: ${data}\n\n`).join(''));
}

function chunkWriter(
  response: Response,
  turn: TurnChunks,
  events: AsyncIterableIterator<StreamEvent>,
): Writer<StreamEvent> {
  const stopHeartbeats = keepAlive(response);
  const write = (chunk: object) => response.write(`data: ${JSON.stringify(chunk)}\n\n`);
  const done = () => void response.end('data: [DONE]\n\n');
  return {
    write(event) {
      const hasRoom = turn.read(event).map(write);
      // The feed continues with the next turn.
      if (turn.hasEnded) void events.return?.();
      return hasRoom.includes(false);
    },
    fail(body) {
      const { message } = (body as { readonly error: { readonly message: string } }).error;
      write({ type: 'error', errorText: message });
      done();
      return true;
    },
    // If this process shuts down, the turn continues elsewhere. A broken connection tells the client to reconnect.
    end: () => (turn.hasEnded ? done() : void response.destroy()),
    close: stopHeartbeats,
  };
}
