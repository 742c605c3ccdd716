import type { ContentPart, MessageContent } from '../../../contract/content.ts';
import { fileIdOfUri, fileIdsIn } from '../../../contract/file-uri.ts';
import { LIMITS } from '../../../contract/limits.ts';
import { firstBytes } from '../../../contract/text-encoding.ts';
import type { CallEntry, MessageEntry, TimelineEntry } from '../../conversations/timeline.ts';
import { asksForDecision } from '../tools/decision.ts';
import { handBackText } from './hand-back-text.ts';

/** The most that an argument list or a result takes in a transcript, in bytes. Summaries need what was done, not all of it. */
const CALL_BYTES = 4_000;

/**
 * An item as a line of JSON, for the model that summarizes: so no text of a user can look like another line. Undefined: there
 * is nothing to say of it.
 */
export function transcriptOf(entry: TimelineEntry, mostBytes: number): string | undefined {
  if (entry.kind === 'message') return messageLine(entry, mostBytes);
  // The summary before is in the request already. The model did not call a tool of the service.
  if (entry.kind === 'summary' || asksForDecision(entry)) return undefined;
  if (entry.kind === 'handling') return JSON.stringify({ service: handBackText(entry.change) });
  return callLine(entry);
}

function messageLine({ role, content, priorEffects, author }: MessageEntry, mostBytes: number): string | undefined {
  const text = textWithFiles(content);
  if (text === '') return undefined;
  const done = {
    ...(priorEffects && { actions_of_replaced_attempts: priorEffects.calls }),
    ...(author && { person_of_the_team: author.displayName }),
  };
  const line = JSON.stringify({ ...done, [role]: text });
  const share = mostBytes / Buffer.byteLength(line);
  if (share >= 1) return line;
  return JSON.stringify({ ...done, [role]: shortenedText(text, Math.floor(Buffer.byteLength(text) * share)) });
}

/** The text of a message, with what its files are. */
export function textWithFiles(content: MessageContent): string {
  return content.map(partText).join('\n').trim();
}

/** A file keeps its address: a later step can name it. */
function partText(part: ContentPart): string {
  if (part.type === 'text') return part.text;
  if (part.type === 'data') return `[file of type ${part.mimeType}]`;
  const id = fileIdOfUri(part.fileUri);
  const where = id === undefined ? part.fileUri : `file ID ${id}`;
  return `[file of type ${part.mimeType}, ${where}]`;
}

function callLine({ name, arguments: args, status, output }: CallEntry): string {
  const result = output == null ? null : shortenedText(JSON.stringify(output), CALL_BYTES);
  return JSON.stringify({ tool: name, status, arguments: shortenedText(JSON.stringify(args), CALL_BYTES), result });
}

/** A shortened text, with the IDs of the latest files that its middle names: a later step can open them. */
function shortenedText(text: string, mostBytes: number): string {
  const kept = shortened(text, mostBytes);
  if (kept === text) return text;
  const named = new Set(fileIdsIn(kept));
  const lost = fileIdsIn(text).filter((id) => !named.has(id));
  return lost.length > 0 ? `${kept} [files: ${lost.slice(-LIMITS.summaryFiles).join(', ')}]` : kept;
}

/** The beginning and the end of a text. What matters most is rarely in the middle. */
function shortened(text: string, mostBytes: number): string {
  if (Buffer.byteLength(text) <= mostBytes) return text;
  const end = text.slice(-Math.floor(mostBytes / 12));
  return `${firstBytes(text, Math.floor((mostBytes * 2) / 3))} […] ${end}`.toWellFormed();
}
