import type { TextPart } from '../domain/agent/model-port.ts';

/** Describes a file in place of it, or before its text. */
export interface FileLabel {
  readonly mediaType: string;
  readonly name: string | undefined;
}

/** The limit of a text file, in UTF-16 units. */
const MOST_TEXT = 200_000;

const LONGEST_NAME = 100;

/** The last segment of a URL's path, as a display name. Without the query, which can contain a signature. */
export function fileNameOf(url: URL): string | undefined {
  const segment = url.pathname.split('/').at(-1) ?? '';
  const name = decode(segment)
    .replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, '')
    .trim();
  return name === '' ? undefined : name.slice(0, LONGEST_NAME);
}

/** Explains to the model why a file is missing, so that it can inform the user. */
export function missingFile(label: FileLabel, reason: string): TextPart {
  return { type: 'text', text: `[The file ${titleOf(label)} could not be given to you: ${reason}.]` };
}

/** Converts a text file to a text part. Returns undefined if the bytes are not text. */
export function textFile(label: FileLabel, bytes: Uint8Array, charset = 'utf-8'): TextPart | undefined {
  const text = decoderFor(charset).decode(bytes);
  if (text.includes('\0')) return undefined;
  // A lone half of a surrogate pair would make the request invalid.
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
