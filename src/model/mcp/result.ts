import type { McpFile, McpResult } from '../../domain/actions/mcp-port.ts';
import { objectOf } from './json-object.ts';

/** Each part is judged alone: a part that nobody can read becomes a note. */
export function resultOf(result: unknown): McpResult {
  const { content, structuredContent, toolResult, isError } = objectOf(result);
  return {
    isError: isError === true,
    parts: (Array.isArray(content) ? content : []).map(partOf),
    value: structuredContent ?? toolResult ?? undefined,
  };
}

function partOf(part: unknown): string | McpFile {
  const { type, text, uri, name, mimeType, resource } = objectOf(part);
  if (type === 'text' && typeof text === 'string') return text;
  if (type === 'resource_link' && typeof uri === 'string') return typeof name === 'string' ? `${name}: ${uri}` : uri;
  const embedded = objectOf(resource);
  if (typeof embedded.text === 'string') return embedded.text;
  const mediaType = mediaTypeOf(mimeType) ?? mediaTypeOf(embedded.mimeType);
  const file = fileOf(objectOf(part), mediaType);
  if (file) return file;
  const kind = typeof type === 'string' && KIND.test(type) ? type : 'part';
  return mediaType === undefined ? `[${kind} omitted]` : `[${kind} omitted: ${mediaType}]`;
}

function fileOf({ type, data, resource }: ReturnType<typeof objectOf>, mediaType: McpFile['mediaType']) {
  if ((type === 'image' || type === 'audio') && typeof data === 'string') {
    return { kind: type, mediaType, base64: data, uri: undefined } as const;
  }
  const { blob, uri } = objectOf(resource);
  if (type !== 'resource' || typeof blob !== 'string') return undefined;
  return { kind: 'resource', mediaType, base64: blob, uri: typeof uri === 'string' ? uri : undefined } as const;
}

const mediaTypeOf = (text: unknown) => (typeof text === 'string' && MEDIA_TYPE.test(text) ? text : undefined);

const KIND = /^[a-z_]{1,32}$/;
const MEDIA_TYPE = /^[\w.+-]{1,64}\/[\w.+-]{1,64}$/;
