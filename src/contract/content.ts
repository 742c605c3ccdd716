/** The parts of a message that refer to a file. */
export const FILE_PART_TYPES = ['url', 'image', 'video', 'audio'] as const;

export const CONTENT_PART_TYPES = ['text', ...FILE_PART_TYPES, 'data'] as const;

export type FilePartType = (typeof FILE_PART_TYPES)[number];

export interface TextPart {
  readonly type: 'text';
  readonly text: string;
}

/** A file by reference. `image`, `video` and `audio` are `url` with a media type hint. */
export interface FilePart {
  readonly type: FilePartType;
  readonly mimeType: string;
  readonly fileUri: string;
}

/** A file inline, as base64. */
export interface DataPart {
  readonly type: 'data';
  readonly mimeType: string;
  readonly data: string;
}

export type ContentPart = TextPart | FilePart | DataPart;

export type MessageContent = readonly ContentPart[];

/** The text parts of a message, joined by line breaks. */
export function textOf(content: MessageContent): string {
  return content.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('\n');
}
