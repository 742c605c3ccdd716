import type { ContentPart, MessageContent } from '../contract/content.ts';
import type { MessageRole } from '../contract/statuses.ts';

/**
 * The content of a new message: a text or a list of parts.
 *
 * @example
 * const content: ContentInput = [
 *   { type: 'text', text: 'What is in this picture?' },
 *   { type: 'image', mimeType: 'image/png', fileUri: 'https://example.com/picture.png' },
 * ];
 */
export type ContentInput = string | MessageContent;

/**
 * A stored message.
 *
 * @example
 * const text = message.content.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('\n');
 */
export interface Message {
  /** Increases with each message of a conversation. */
  readonly id: number;
  /** The author. */
  readonly role: MessageRole;
  /** The parts in order. */
  readonly content: MessageContent;
  /** ISO 8601, UTC. */
  readonly createdAt: string;
}

/** A part in the REST API. */
export interface WirePart {
  readonly type: ContentPart['type'];
  readonly text?: string;
  readonly mime_type?: string;
  readonly file_uri?: string;
  readonly data?: string;
}

export interface WireMessage {
  readonly id: number;
  readonly role: MessageRole;
  readonly content: readonly WirePart[];
  readonly created_at: string;
}

export function toWireContent(content: ContentInput | undefined): readonly WirePart[] | undefined {
  if (content === undefined) return undefined;
  if (typeof content === 'string') return [{ type: 'text', text: content }];
  return content.map((part) => {
    if (part.type === 'text') return part;
    const { type, mimeType } = part;
    if (part.type === 'data') return { type, mime_type: mimeType, data: part.data };
    return { type, mime_type: mimeType, file_uri: part.fileUri };
  });
}

export function fromWireContent(parts: readonly WirePart[]): MessageContent {
  // The type of a part determines which fields it has.
  return parts.map(({ type, text = '', mime_type: mimeType = '', file_uri: fileUri = '', data = '' }) => {
    if (type === 'text') return { type, text };
    return type === 'data' ? { type, mimeType, data } : { type, mimeType, fileUri };
  });
}

export function fromWireMessage({ id, role, content, created_at }: WireMessage): Message {
  return { id, role, content: fromWireContent(content), createdAt: created_at };
}
