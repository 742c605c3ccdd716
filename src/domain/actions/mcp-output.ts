import { hasInexactInteger } from '../../contract/exact-json.ts';
import type { Context } from '../context.ts';
import type { McpFile, McpResult } from './mcp-port.ts';
import { modelOutput } from './output.ts';
import { type ResultFile, type ResultOwner, storeResultFiles } from './result-files.ts';

/**
 * The output of a call: the structured content of the result, or its texts, and the files that were stored. A file that the
 * model does not get is a note. @throws the reason of the signal
 */
export async function mcpOutput(
  ctx: Context,
  { parts, value }: McpResult,
  owner: ResultOwner,
): Promise<Readonly<Record<string, unknown>>> {
  const sent = parts.filter((part): part is McpFile => typeof part !== 'string');
  const stored = await storeResultFiles(ctx, sent, owner);
  const labels = new Map(sent.map((file, index) => [file, labelOf(file, stored[index] as ResultFile | string)]));
  const text = parts.map((part) => (typeof part === 'string' ? part : labels.get(part))).join('\n');
  // The text has the same data, with numbers that parsing has changed.
  const isText = value === undefined || (text !== '' && hasInexactInteger(value));
  const omitted = [...labels.values()].filter((_, index) => typeof stored[index] === 'string');
  const note = isText || omitted.length === 0 ? undefined : omitted.join(' ');
  const files = stored.filter((file): file is ResultFile => typeof file !== 'string');
  return { ...modelOutput(isText ? text : value, owner.mask, note), ...(files.length > 0 && { files }) };
}

function labelOf({ kind, mediaType }: McpFile, stored: ResultFile | string): string {
  if (typeof stored !== 'string') return `[${kind}: ${stored.name}]`;
  return `[${kind} omitted${mediaType === undefined ? '' : `: ${mediaType}`}, because ${stored}]`;
}
