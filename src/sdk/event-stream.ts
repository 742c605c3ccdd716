import { abortedError, asParleyError, ParleyError } from './error.ts';
import { errorFrom, type Request, sendOnce } from './http.ts';
import type { Settings } from './options.ts';

/** An event of a reply that is read as it is made. */
export interface ReplyEvent {
  readonly event: string;
  readonly data: Readonly<Record<string, unknown>>;
}

/**
 * Posts, and reads the events of the answer as they come. Never sent again: whoever goes away has stopped the reply.
 * @throws {ParleyError} also where the stream is cut off, or tells of an error
 */
export async function* streamEvents(settings: Settings, request: Request): AsyncGenerator<ReplyEvent, void> {
  try {
    const response = await sendOnce(settings, { ...request, accept: 'text/event-stream' });
    if (!response.body)
      throw new ParleyError({ code: 'invalid_response', message: 'Answers cannot be streamed here.' });
    for await (const event of eventsOf(response.body)) {
      if (event.event === 'error') {
        throw errorFrom(event.data, { status: 0, requestId: response.headers.get('x-request-id') });
      }
      yield event;
      if (event.event === 'done') return;
    }
    throw new TypeError('the stream ended before the reply did');
  } catch (error) {
    throw request.signal?.aborted ? abortedError(error) : asParleyError(error);
  }
}

/** Server-sent events, as this service writes them: a name and a line of JSON each, and comments between. */
async function* eventsOf(body: ReadableStream<Uint8Array>): AsyncGenerator<ReplyEvent, void> {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  let text = '';
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      text += decoder.decode(value, { stream: true });
      const blocks = text.split(/\r?\n\r?\n/);
      text = blocks.pop() ?? '';
      for (const block of blocks) {
        const [, event] = /^event: ?(.*)$/m.exec(block) ?? [];
        const [, data] = /^data: ?(.*)$/m.exec(block) ?? [];
        if (event && data) yield { event, data: JSON.parse(data) };
      }
    }
  } finally {
    await reader.cancel().catch(() => {});
  }
}
