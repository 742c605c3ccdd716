import { fork } from 'node:child_process';
import { createHash } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import { BoundedCache } from '../cache/bounded-cache.ts';
import { LIMITS } from '../contract/limits.ts';
import { FileMissingError } from './download.ts';
import { MOST_TEXT } from './file-texts.ts';

const OOXML = 'application/vnd.openxmlformats-officedocument';

const FILE_TYPES: Readonly<Record<string, string>> = {
  [`${OOXML}.wordprocessingml.document`]: 'docx',
  [`${OOXML}.spreadsheetml.sheet`]: 'xlsx',
  [`${OOXML}.presentationml.presentation`]: 'pptx',
};

/** Whether the file is an Office document, which becomes text for every model. */
export function isOffice(mediaType: string): boolean {
  return mediaType in FILE_TYPES;
}

/** When a step stops waiting, in milliseconds of `performance.now()`, and its signal. */
interface Waiting {
  readonly deadline: number;
  readonly signal: AbortSignal;
}

/** The text, or the reason why it is missing, in words for the model. */
type Conversion = { readonly text: string } | { readonly problem: string };

/** The documents of a conversation are sent again with each step. */
const conversions = new BoundedCache<Conversion>('officeTexts');

const TOO_LATE = 'it could not be read in time';

/**
 * Converts an Office document to Markdown.
 * @throws {FileMissingError} or the reason of the signal
 */
export async function officeText(mediaType: string, bytes: Uint8Array, waiting: Waiting): Promise<string> {
  const fileType = String(FILE_TYPES[mediaType]);
  const key = `${fileType} ${createHash('sha256').update(bytes).digest('base64url')}`;
  let conversion = conversions.get(key);
  if (!conversion) {
    conversion = await inTurn(() => convert(fileType, bytes, waiting));
    conversions.set(key, conversion, 2 * JSON.stringify(conversion).length);
  }
  if ('problem' in conversion) throw new FileMissingError(conversion.problem);
  return conversion.text;
}

let last: Promise<unknown> = Promise.resolve();

/** One conversion at a time in a process: it uses a whole core. */
function inTurn<Result>(work: () => Promise<Result>): Promise<Result> {
  const result = last.then(work);
  last = result.catch(() => {});
  return result;
}

async function convert(fileType: string, bytes: Uint8Array, { deadline, signal }: Waiting): Promise<Conversion> {
  signal.throwIfAborted();
  // The documents before this one took the time of the step. A later step can try again.
  if (performance.now() > deadline) throw new FileMissingError(TOO_LATE);
  const limits = {
    uncompressedBytes: LIMITS.officeUncompressedBytes,
    entries: LIMITS.officeEntries,
    characters: MOST_TEXT,
  };
  // A process of its own, not a thread: V8 ends the whole process of a thread that exceeds its heap in native code.
  const child = fork(CONVERTER, [String(process.pid)], {
    execArgv: [`--max-old-space-size=${LIMITS.officeHeapMegabytes}`],
    // The environment contains secrets, which the conversion does not need.
    env: {},
    serialization: 'advanced',
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    timeout: LIMITS.officeSeconds * 1_000,
    killSignal: 'SIGKILL',
  });
  return new Promise<Conversion>((resolve) => {
    child.once('message', (text: string) => {
      child.kill('SIGKILL');
      resolve(text === '' ? { problem: UNREADABLE } : { text });
    });
    child.once('error', () => resolve({ problem: UNREADABLE }));
    child.once('exit', () => resolve({ problem: child.killed ? TOO_LATE : UNREADABLE }));
    child.send({ bytes, fileType, limits }, () => {});
  });
}

const CONVERTER = fileURLToPath(new URL('./office-converter.mjs', import.meta.url));

const UNREADABLE = 'it is damaged, encrypted or too large, or it has no text';
