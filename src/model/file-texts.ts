import type { TextPart } from 'ai';

/** What is said of a file in place of it or before its text. */
export interface FileLabel {
  readonly mediaType: string;
  readonly name: string | undefined;
}

/** UTF-16 units of a text file that a model is given. */
const MOST_TEXT = 200_000;

const LONGEST_NAME = 100;

/** The last segment of a URL's path, as a name to be shown; never its query, which may hold a signature. */
export function fileNameOf(url: URL): string | undefined {
  const segment = url.pathname.split('/').at(-1) ?? '';
  const name = decode(segment)
    .replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, '')
    .trim();
  return name === '' ? undefined : name.slice(0, LONGEST_NAME);
}

/** Tells the model of a file that it is not given, and why, so that it can tell its user. */
export function missingFile(label: FileLabel, reason: string): TextPart {
  return { type: 'text', text: `[The file ${titleOf(label)} could not be given to you: ${reason}.]` };
}

/** A text file as text. Bytes that are no text are undefined. */
export function textFile(label: FileLabel, bytes: Uint8Array, charset = 'utf-8'): TextPart | undefined {
  const text = decoderFor(charset).decode(bytes);
  if (text.includes('\0')) return undefined;
  // Half of a surrogate pair at the end would not be valid in a request.
  const beginning = text.slice(0, MOST_TEXT).replace(/[\uD800-\uDBFF]$/, '');
  const mark = text.length > MOST_TEXT ? '\n[The file is longer: this is its beginning.]' : '';
  return { type: 'text', text: `[The file ${titleOf(label)}:]\n${beginning}${mark}` };
}

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

function decoderFor(charset: string): TextDecoder {
  try {
    return new TextDecoder(charset);
  } catch {
    return new TextDecoder();
  }
}
