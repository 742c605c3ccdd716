import { hasInexactInteger } from '../../contract/exact-json.ts';
import type { McpResult } from '../../domain/actions/mcp-port.ts';
import { objectOf } from './json-object.ts';

/** Each part is judged alone: a part that the model cannot read becomes a note. */
export function resultOf(result: unknown): McpResult {
  const { content, structuredContent, toolResult, isError } = objectOf(result);
  const text = (Array.isArray(content) ? content : []).map(partText).join('\n');
  const value = structuredContent ?? toolResult ?? undefined;
  // The text has the same data, with numbers that parsing has changed.
  const isText = value === undefined || (text !== '' && hasInexactInteger(value));
  return { isError: isError === true, content: isText ? text : value };
}

function partText(part: unknown): string {
  const { type, text, uri, name, mimeType, resource } = objectOf(part);
  if (type === 'text' && typeof text === 'string') return text;
  if (type === 'resource_link' && typeof uri === 'string') return typeof name === 'string' ? `${name}: ${uri}` : uri;
  const embedded = objectOf(resource);
  if (typeof embedded.text === 'string') return embedded.text;
  const kind = typeof type === 'string' && KIND.test(type) ? type : 'part';
  const media = [mimeType, embedded.mimeType].find((one) => typeof one === 'string' && MEDIA_TYPE.test(one));
  return media === undefined ? `[${kind} omitted]` : `[${kind} omitted: ${media}]`;
}

const KIND = /^[a-z_]{1,32}$/;
const MEDIA_TYPE = /^[\w.+-]{1,64}\/[\w.+-]{1,64}$/;
