import type { FileUIPart, TextUIPart } from 'ai';
import { ServiceError } from '../../contract/errors.ts';
import { fileNameIn, withFileName, withoutFileName } from '../../contract/file-name.ts';

/** A part of a stored message, with the field names of REST. */
export type StoredPart =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'data'; readonly mime_type: string; readonly data: string }
  | { readonly type: 'url' | 'image' | 'video' | 'audio'; readonly mime_type: string; readonly file_uri: string };

/** A part of a message of the user, as the AI SDK has it. */
export function uiPart(part: StoredPart): TextUIPart | FileUIPart {
  if (part.type === 'text') return { type: 'text', text: part.text };
  const { mime_type: mimeType } = part;
  const mediaType = withoutFileName(mimeType);
  const filename = fileNameIn(mimeType);
  const url = part.type === 'data' ? `data:${mediaType};base64,${part.data}` : part.file_uri;
  return { type: 'file', mediaType, ...(filename && { filename }), url };
}

/** The text parts of a message, joined as the feed joins them. */
export function textIn(content: readonly StoredPart[]): string {
  return content.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('\n');
}

/** A part of a message of the user, as the runner takes it. The runner checks it. @throws {ServiceError} invalid_request */
export function contentPart(part: unknown, index: number): unknown {
  const { type, text, mediaType, url, filename } = isFields(part) ? part : {};
  if (type === 'text') return { type, text };
  if (type !== 'file' || typeof url !== 'string') {
    throw new ServiceError('invalid_request', '{param} must be a text or a file with a URL.', {
      param: ['content', index],
    });
  }
  const data = /^data:[^,]*;base64,/.exec(url)?.[0];
  const mime_type = mimeTypeOf(mediaType, filename);
  if (data === undefined) return { type: 'url', mime_type, file_uri: url };
  return { type: 'data', mime_type, data: url.slice(data.length) };
}

/** A part has no other field for the name of its file. Version 7 of the AI SDK has types like `image`. */
function mimeTypeOf(mediaType: unknown, filename: unknown): unknown {
  if (typeof mediaType !== 'string') return mediaType;
  // Browsers do not know the type of every file.
  const type = mediaType === '' ? 'application/octet-stream' : mediaType.includes('/') ? mediaType : `${mediaType}/*`;
  return typeof filename === 'string' ? withFileName(type, filename) : type;
}

type Fields = Readonly<Record<string, unknown>>;

export function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
