import { printableName } from '../contract/file-name.ts';
import { decodeText, firstCharacters } from '../contract/text-encoding.ts';
import type { TextPart } from '../domain/agent/model-port.ts';

/** Describes a file in place of it, or before its text. */
export interface FileLabel {
  readonly mediaType: string;
  readonly name: string | undefined;
}

/** The limit of a text file, in UTF-16 units. */
export const MOST_TEXT = 200_000;

/** Enough for such a text in each encoding, so a large file does not block the process. */
const MOST_TEXT_BYTES = 4 * MOST_TEXT;

const LONGEST_NAME = 100;

/** The last segment of a URL's path, as a display name. Without the query, which can contain a signature. */
export function fileNameOf(url: URL): string | undefined {
  const segment = url.pathname.split('/').at(-1) ?? '';
  const name = printableName(decode(segment)).trim();
  return name === '' ? undefined : name.slice(0, LONGEST_NAME);
}

/** Explains to the model why a file is missing, so that it can inform the user. */
export function missingFile(label: FileLabel, reason: string): TextPart {
  return { type: 'text', text: `[The file ${titleOf(label)} could not be given to you: ${reason}.]` };
}

/** Converts a text file to a text part. Returns undefined if the bytes are not text. */
export function textFile(label: FileLabel, bytes: Uint8Array, charset?: string): TextPart | undefined {
  const isCut = bytes.byteLength > MOST_TEXT_BYTES;
  const { text, isExact } = decodeText(bytes.subarray(0, MOST_TEXT_BYTES), charset, isCut);
  if (text.includes('\0')) return undefined;
  return readableFile(label, text, { isCut, warning: isExact ? '' : UNKNOWN_ENCODING });
}

/** Gives the beginning of a text to the model. */
export function readableFile(label: FileLabel, text: string, { isCut = false, warning = '' } = {}): TextPart {
  const beginning = firstCharacters(text, MOST_TEXT);
  const mark = isCut || text.length > MOST_TEXT ? '\n[The file is longer: this is its beginning.]' : '';
  return { type: 'text', text: `[The file ${titleOf(label)}:${warning}]\n${beginning}${mark}` };
}

/** The user can send the file again. */
const UNKNOWN_ENCODING =
  ' \uFFFD stands for characters that could not be read, because the file is not UTF-8 and its type names no valid charset.';

function titleOf({ mediaType, name }: FileLabel): string {
  return name === undefined ? `of type ${mediaType}` : `"${name}" of type ${mediaType}`;
}

function decode(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}
