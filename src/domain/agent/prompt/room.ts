import { firstBytes } from '../../../contract/text-encoding.ts';
import type { ModelMessage, ToolResultPart } from '../model-port.ts';
import { FILE_TOKENS } from './tokens.ts';

/** English takes about four bytes for a token. An estimate that is too high would cut off what fits. */
const BYTES_PER_TOKEN = 4;

/** A result always gets this part of the context. */
const LEAST_SHARE = 1 / 16;

/** What stays free for the reply. */
const FREE_SHARE = 1 / 8;

type Part = Exclude<Exclude<ModelMessage, { role: 'tool' }>['content'], string>[number];

function bytesOf(part: Part): number {
  if (part.type === 'file') return FILE_TOKENS * BYTES_PER_TOKEN;
  return Buffer.byteLength(part.type === 'tool-call' ? JSON.stringify(part.input) : part.text);
}

/** The tokens of a context, and those that are taken before the conversation. */
export interface ContextRoom {
  readonly tokens: number;
  readonly taken: number;
}

/**
 * The rest of the context while a prompt is built. What a result gets depends only on what is before it, so that a later
 * prompt of the conversation begins with the same bytes.
 */
export class Room {
  readonly #leastBytes: number;
  #bytesLeft: number;

  /** @param taken tokens of the instructions: they can be more than the context has */
  constructor({ tokens, taken }: ContextRoom) {
    this.#leastBytes = Math.floor(tokens * LEAST_SHARE * BYTES_PER_TOKEN);
    this.#bytesLeft = Math.floor((tokens * (1 - FREE_SHARE) - taken) * BYTES_PER_TOKEN);
  }

  /** The message, with results that are cut off where the room ends. */
  fitted(message: ModelMessage): ModelMessage {
    if (message.role === 'tool') return { role: 'tool', content: message.content.map((part) => this.#result(part)) };
    if (typeof message.content === 'string') this.#take(message.content);
    else for (const part of message.content) this.#bytesLeft -= bytesOf(part);
    return message;
  }

  #result(part: ToolResultPart): ToolResultPart {
    for (const file of part.files ?? []) this.#bytesLeft -= bytesOf(file);
    const text = JSON.stringify(part.output.value);
    const most = Math.max(this.#bytesLeft, this.#leastBytes);
    if (Buffer.byteLength(text) <= most) {
      this.#take(text);
      return part;
    }
    const beginning = firstBytes(text, most);
    this.#take(beginning);
    const note = `The result is too long: these are its first ${beginning.length} of ${text.length} characters.`;
    return { ...part, output: { type: 'json', value: { note, beginning } } };
  }

  #take(text: string): void {
    this.#bytesLeft -= Buffer.byteLength(text);
  }
}
