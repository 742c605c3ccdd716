import type { FilePart, ModelMessage, TextPart } from 'ai';
import type { ModelRequest } from '../domain/agent/model-port.ts';
import type { GuardedFetcher } from '../outbound/guarded-fetch.ts';
import { FileMissingError } from './download.ts';
import type { FileRules } from './file-rules.ts';
import { fileNameOf, missingFile } from './file-texts.ts';
import { giveFile } from './give-file.ts';

const DOWNLOADS_AT_ONCE = 4;

/** Files leave at least half of a step's time to the model. */
const LONGEST_WAIT_MS = 20_000;

/** Bytes of all files of a request before base64, so that it stays below what providers take (Anthropic: 32 MB). */
const BYTES_TOGETHER = 20 * 1024 * 1024;

/**
 * The messages with their files as the provider takes them. The newest files come first to time and space, because
 * they are what the conversation is about now.
 */
export async function giveFiles(
  { messages, timeoutMs }: Pick<ModelRequest, 'messages' | 'timeoutMs'>,
  means: { readonly rules: FileRules; readonly fetcher: GuardedFetcher; readonly signal: AbortSignal },
): Promise<ModelMessage[]> {
  const deadline = performance.now() + Math.min(LONGEST_WAIT_MS, timeoutMs / 2);
  const claim = claimsUpTo(BYTES_TOGETHER);
  const given = new Map<FilePart, FilePart | TextPart>();
  const waiting = filesOf(messages).reverse().values();
  const work = async () => {
    // Shared by all who work on it: each takes the next one.
    for (const part of waiting) given.set(part, await giveFile(part, { ...means, deadline, claim }));
  };
  await Promise.all(Array.from({ length: DOWNLOADS_AT_ONCE }, work));
  return replaceFiles(messages, (part) => given.get(part) ?? part);
}

/** The messages with a note in place of each file; undefined where there is none. */
export function withoutFiles(messages: readonly ModelMessage[]): ModelMessage[] | undefined {
  if (filesOf(messages).length === 0) return undefined;
  return replaceFiles(messages, ({ mediaType, data }) => {
    const name = data instanceof URL ? fileNameOf(data) : undefined;
    return missingFile({ mediaType, name }, 'the provider of this model refused it');
  });
}

function replaceFiles(
  messages: readonly ModelMessage[],
  replace: (part: FilePart) => FilePart | TextPart,
): ModelMessage[] {
  return messages.map((message) => {
    if (message.role !== 'user' || typeof message.content === 'string') return message;
    return { ...message, content: message.content.map((part) => (part.type === 'file' ? replace(part) : part)) };
  });
}

function filesOf(messages: readonly ModelMessage[]): FilePart[] {
  return messages.flatMap(({ role, content }) =>
    role === 'user' && typeof content !== 'string' ? content.filter((part) => part.type === 'file') : [],
  );
}

function claimsUpTo(most: number): (bytes: number) => void {
  let left = most;
  return (bytes) => {
    if (bytes > left) throw new FileMissingError('the files of this conversation are too large together');
    left -= bytes;
  };
}
