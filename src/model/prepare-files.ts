import type { FilePart, ModelMessage, ModelRequest, TextPart } from '../domain/agent/model-port.ts';
import type { GuardedFetcher } from '../outbound/guarded-fetch.ts';
import { FileMissingError } from './download.ts';
import type { FileRules } from './file-rules.ts';
import { fileNameOf, missingFile } from './file-texts.ts';
import { prepareFile } from './prepare-file.ts';

const DOWNLOADS_AT_ONCE = 4;

/** Leaves at least half of a step's time to the model. */
const LONGEST_WAIT_MS = 20_000;

/**
 * The limit of all files of a request, before base64. It keeps the request below the limits of providers (Anthropic: 32
 * MB).
 */
const BYTES_TOGETHER = 20 * 1024 * 1024;

/**
 * Converts the files of the messages for the provider. The newest files are first in time and space, because the
 * conversation is about them now.
 */
export async function prepareFiles(
  { messages, timeoutMs, readStoredFile }: Pick<ModelRequest, 'messages' | 'timeoutMs' | 'readStoredFile'>,
  means: { readonly rules: FileRules; readonly fetcher: GuardedFetcher; readonly signal: AbortSignal },
): Promise<ModelMessage[]> {
  const deadline = performance.now() + Math.min(LONGEST_WAIT_MS, timeoutMs / 2);
  const claim = claimsUpTo(BYTES_TOGETHER);
  const prepared = new Map<FilePart, FilePart | TextPart>();
  const waiting = filesOf(messages).reverse().values();
  const work = async () => {
    // All workers share this iterator.
    for (const part of waiting)
      prepared.set(part, await prepareFile(part, { ...means, readStoredFile, deadline, claim }));
  };
  await Promise.all(Array.from({ length: DOWNLOADS_AT_ONCE }, work));
  return replaceFiles(messages, (part) => prepared.get(part) ?? part);
}

/** Replaces each file with a note. Returns undefined if there are no files. */
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
  const replaced = (part: TextPart | FilePart) => (part.type === 'file' ? replace(part) : part);
  return messages.map((message): ModelMessage => {
    if (message.role === 'assistant' || typeof message.content === 'string') return message;
    if (message.role === 'user') return { ...message, content: message.content.map(replaced) };
    const content = message.content.map((part) => (part.files ? { ...part, files: part.files.map(replaced) } : part));
    return { ...message, content };
  });
}

/** In the order of the prompt. */
function filesOf(messages: readonly ModelMessage[]): FilePart[] {
  return messages.flatMap(partsOf).filter((part) => part.type === 'file');
}

function partsOf(message: ModelMessage): readonly (TextPart | FilePart)[] {
  if (message.role === 'assistant' || typeof message.content === 'string') return [];
  return message.role === 'user' ? message.content : message.content.flatMap(({ files = [] }) => files);
}

function claimsUpTo(most: number): (bytes: number) => void {
  let left = most;
  return (bytes) => {
    if (bytes > left) throw new FileMissingError('the files of this conversation are too large together');
    left -= bytes;
  };
}
