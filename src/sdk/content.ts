import type { ContentPart, MessageContent } from '../contract/content.ts';
import type { AuthorKind, MessageRole, RatingValue } from '../contract/statuses.ts';

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
  /** The author. A message that a person wrote for the assistant has the role `assistant`, too. */
  readonly role: MessageRole;
  /** The person who wrote it for the assistant. Undefined: the user or the assistant wrote it. */
  readonly author?: MessageAuthor | undefined;
  /** The parts in order. */
  readonly content: MessageContent;
  /** The rating of a reply. Undefined: it has no rating. */
  readonly rating?: MessageRating | undefined;
  /**
   * The messages that were at this place: edits of a question, or replies to the same question. Undefined: there is no other.
   * Undefined, too, until a turn that replaces others has ended, and in an agent with `live: false`.
   */
  readonly variants?: MessageVariants | undefined;
  /** ISO 8601, UTC. */
  readonly createdAt: string;
}

/** A person who answers for the assistant. */
export interface MessageAuthor {
  /** The name to show to the user. */
  readonly displayName: string;
  /** `member`: a member of the workspace. `api_key`: a person of a connected system. */
  readonly kind: AuthorKind;
}

/**
 * The messages that were at one place of a conversation.
 *
 * @example
 * const label = `${variants.position}/${variants.itemIds.length}`; // 2/3
 * const previous = variants.itemIds[variants.position - 2]; // for selectVariant
 */
export interface MessageVariants {
  /** The position of this message among them, from 1. */
  readonly position: number;
  /** The IDs of all of them, oldest first. */
  readonly itemIds: readonly string[];
}

/** A user's rating of a reply. */
export interface MessageRating {
  /** `up`: the reply helped. */
  readonly value: RatingValue;
  /** The user's comment. */
  readonly comment: string | null;
  /** ISO 8601, UTC. */
  readonly ratedAt: string;
}

/** A part in the REST API. */
export interface WirePart {
  readonly type: ContentPart['type'];
  readonly text?: string;
  readonly mime_type?: string;
  readonly file_uri?: string;
  readonly data?: string;
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
