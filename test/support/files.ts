import type { FilePart, ModelMessage, ModelRequest } from '../../src/domain/agent/model-port.ts';
import type { FakeRequest } from './fake-provider.ts';

/** Files that consist of their signature, because the code inspects only the first bytes. */
export const PNG = Buffer.from('\x89PNG\r\n\x1a\n and so on', 'latin1');
export const PDF = Buffer.from('%PDF-1.7 and so on');
export const WAV = Buffer.from('RIFF\x24\x00\x00\x00WAVEfmt ', 'latin1');
export const MP3 = Buffer.from('ID3\x04 and so on', 'latin1');
export const MP4 = Buffer.from('\x00\x00\x00\x18ftypmp42', 'latin1');

export function filePart(mediaType: string, data: FilePart['data']): FilePart {
  return { type: 'file', mediaType, data };
}

/** A request in which the user sends files with a question. */
export function requestWith(
  model: string,
  files: readonly FilePart[],
  changes: Partial<ModelRequest> = {},
): ModelRequest {
  const message: ModelMessage = { role: 'user', content: [{ type: 'text', text: 'What is this?' }, ...files] };
  const { signal } = new AbortController();
  return { model, instructions: '', messages: [message], tools: [], timeoutMs: 30_000, signal, ...changes };
}

/** The parts of the last message that a provider received, without the question. */
export function receivedParts(request: FakeRequest | undefined): Record<string, unknown>[] {
  // The adapters send it. The tests assert its shape.
  const messages = request?.body.messages as { content: Record<string, unknown>[] }[];
  return messages.at(-1)?.content.filter(({ text }) => text !== 'What is this?') ?? [];
}
