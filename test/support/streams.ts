import { DEMO_CHAT_ID } from '../../src/domain/first-start.ts';
import type { Client } from './client.ts';

interface StreamOptions {
  readonly accept?: string;
  readonly deploymentId?: string;
}

/** A streamed reply. */
export interface OpenStream {
  readonly response: Response;
  /** All chunks. @throws if the connection breaks */
  chunks(): Promise<string[]>;
  /** Reads this many chunks, then disconnects. */
  take(count: number): Promise<string>;
}

export async function openStream(client: Client, body: object, options: StreamOptions = {}): Promise<OpenStream> {
  const abort = new AbortController();
  const response = await fetch(`${client.url}/v1/runner/${options.deploymentId ?? DEMO_CHAT_ID}/conversation/stream`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${client.key}`,
      'content-type': 'application/json',
      accept: options.accept ?? 'text/plain',
    },
    body: JSON.stringify(body),
    signal: abort.signal,
  });
  async function* read(): AsyncGenerator<string> {
    const decoder = new TextDecoder();
    for await (const bytes of response.body ?? []) yield decoder.decode(bytes as Uint8Array, { stream: true });
  }
  return {
    response,
    chunks: async () => {
      const chunks: string[] = [];
      for await (const chunk of read()) chunks.push(chunk);
      return chunks;
    },
    async take(count) {
      let text = '';
      let taken = 0;
      for await (const chunk of read()) {
        text += chunk;
        taken += 1;
        if (taken === count) break;
      }
      abort.abort();
      return text;
    },
  };
}

/** A server-sent event with parsed data. */
export interface SentEvent {
  readonly event: string;
  readonly data: Record<string, unknown>;
}

export async function readEvents(response: Response): Promise<SentEvent[]> {
  const blocks = (await response.text()).split('\n\n').filter((block) => block.startsWith('event: '));
  return blocks.map((block) => {
    const [event = '', data = ''] = block.split('\n');
    return { event: event.slice('event: '.length), data: JSON.parse(data.slice('data: '.length) || '{}') };
  });
}
