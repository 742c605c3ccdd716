import { abortedError, asParleyError, ParleyError } from './error.ts';
import { errorFrom, type Request, sendOnce, urlOf } from './http.ts';
import type { Settings } from './options.ts';

/** An event of a streamed reply or of a subscription. */
export interface StreamEvent {
  readonly event: string;
  readonly data: Readonly<Record<string, unknown>>;
}

/**
 * Sends a POST and yields the events of its response. It is not retried: closing the connection stops the reply.
 * @throws {ParleyError} if the request fails, the stream is cut off or it contains an error
 */
export async function* streamEvents(settings: Settings, request: Request): AsyncGenerator<StreamEvent, void> {
  try {
    const response = await sendOnce(settings, { ...request, accept: 'text/event-stream' });
    if (!response.body) {
      throw new ParleyError({ code: 'invalid_response', message: 'This fetch cannot stream responses.' });
    }
    for await (const event of eventsOf(response.body)) {
      if (event.event === 'error') {
        throw errorFrom(event.data, { status: 0, requestId: response.headers.get('x-request-id') });
      }
      yield event;
      if (event.event === 'done') return;
    }
    throw new TypeError('the stream ended before the reply did');
  } catch (error) {
    throw request.signal?.aborted ? abortedError(error) : asParleyError(error, urlOf(settings, request));
  }
}

/**
 * Parses server-sent events. The service writes one name and at most one line of JSON for each, and comments between
 * them. Calls `onBytes` with each piece that arrives. Ends when the signal is aborted.
 */
export async function* eventsOf(
  body: ReadableStream<Uint8Array>,
  onBytes: () => void = () => {},
  signal?: AbortSignal,
): AsyncGenerator<StreamEvent, void> {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  const cancel = () => void reader.cancel().catch(() => {});
  // A replaced fetch may ignore the signal.
  signal?.addEventListener('abort', cancel);
  let text = '';
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      onBytes();
      text += decoder.decode(value, { stream: true });
      const blocks = text.split(/\r?\n\r?\n/);
      text = blocks.pop() ?? '';
      yield* blocks.flatMap(eventIn);
    }
  } finally {
    signal?.removeEventListener('abort', cancel);
    cancel();
  }
}

/** The event in a block of lines. A block can also be a comment. */
function eventIn(block: string): StreamEvent[] {
  const [, event] = /^event: ?(.*)$/m.exec(block) ?? [];
  const [, data] = /^data: ?(.*)$/m.exec(block) ?? [];
  return event ? [{ event, data: data ? JSON.parse(data) : {} }] : [];
}
