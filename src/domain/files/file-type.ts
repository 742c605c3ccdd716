import { filetypemime } from 'magic-bytes.js';
import { withoutParameters } from '../../contract/file-name.ts';
import { charsetOf, decodeText } from '../../contract/text-encoding.ts';
import { FileRejection } from './storage-port.ts';

/** Types whose first bytes always show the type. A file with another beginning is not one of them. */
const RECOGNIZABLE = new Set([
  'application/gzip',
  'application/pdf',
  'application/vnd.ms-excel',
  'application/vnd.openxmlformats-officedocument.presentationml.presentation',
  'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
  'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
  'application/zip',
  'image/bmp',
  'image/gif',
  'image/jpeg',
  'image/png',
  'image/tiff',
  'image/webp',
]);

/** Other names of types that the library calls by one name. */
const SAME: Readonly<Record<string, string>> = {
  'application/x-gzip': 'application/gzip',
  'application/x-pdf': 'application/pdf',
  'application/x-zip-compressed': 'application/zip',
  'image/apng': 'image/png',
  'image/jpg': 'image/jpeg',
  'image/pjpeg': 'image/jpeg',
  'image/x-png': 'image/png',
  'audio/x-wav': 'audio/wav',
};

/** Types that a browser or an operating system runs. They are only accepted under their own name. */
const MEDIA = /^(image|audio|video|font)\/|^application\/pdf$/;

/**
 * Compares the type that the client announced with the first bytes. Only signatures are compared: nothing is parsed.
 * @throws {FileRejection} if the bytes are of another type
 */
export function requireType(mimeType: string, beginning: Uint8Array): void {
  const announced = plain(mimeType);
  const found = new Set(filetypemime(beginning).map(plain));
  if (found.has(announced) && !isText(announced)) return;
  if (RECOGNIZABLE.has(announced)) throw mismatch(announced, found);
  if (isText(announced)) {
    const { text } = decodeText(beginning, charsetOf(mimeType), true);
    const others = [...found].filter((type) => !isText(type));
    if (text.includes('\0') || others.some((type) => isBinary(text) || WRITTEN.has(type)))
      throw mismatch(announced, found);
    return;
  }
  // For example a picture with the type of a video.
  const other = [...found].find((type) => MEDIA.test(type));
  if (MEDIA.test(announced) && other !== undefined && kindOf(other) !== kindOf(announced)) {
    throw mismatch(announced, found);
  }
}

/** The types with a signature that models can take. */
const OF_MODELS = [
  'image/png',
  'image/jpeg',
  'image/gif',
  'image/webp',
  'application/pdf',
  'audio/wav',
  'audio/mpeg',
] as const;

const OFFICE = /^application\/vnd\.openxmlformats-officedocument\./;

/**
 * The type of a file that a server sent. Its signature decides: many servers send JPEG as PNG. Without a signature, text and
 * Office documents keep the announced type, which {@link requireType} checks. Undefined: no model takes the file.
 */
export function typeForModels(announced: string | undefined, beginning: Uint8Array): string | undefined {
  const found = new Set(filetypemime(beginning).map(plain));
  const type = announced === undefined ? undefined : plain(announced);
  // Of pictures only those with a signature: a drawing (SVG) is a text that can have scripts.
  if (type !== undefined && !type.startsWith('image/') && (isText(type) || OFFICE.test(type))) return type;
  return OF_MODELS.find((known) => found.has(known));
}

/** Documents whose first bytes are readable, and cannot be the beginning of another text by chance. */
const WRITTEN = new Set(['application/pdf', 'application/postscript', 'application/rtf']);

/** Signatures like `G`, `BM` and `ID3` also begin texts, which have no control characters but white space and escapes. */
function isBinary(text: string): boolean {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: finds control characters
  return /[\x00-\x08\x0e-\x1a\x1c-\x1f]/.test(text);
}

const TEXT = /^text\/|^application\/(json|xml|yaml|x-yaml|toml|javascript|sql|x-ndjson|xhtml\+xml)$|\+(json|xml|yaml)$/;

function isText(type: string): boolean {
  return TEXT.test(type);
}

/** Containers like Ogg and MP4 hold sound, pictures or both. */
function kindOf(type: string): string {
  const [kind = ''] = type.split('/');
  return kind === 'audio' || kind === 'video' ? 'sound or film' : kind;
}

function plain(type: string): string {
  const essence = withoutParameters(type).toLowerCase();
  return SAME[essence] ?? essence;
}

function mismatch(announced: string, found: ReadonlySet<string>): FileRejection {
  const [type] = found;
  const fact = type === undefined ? 'its content is something else' : `its content is ${type}`;
  return new FileRejection(`The file was announced as ${announced}, but ${fact}. Send it with its own type.`);
}

/** Whether a type is in a list of types and wildcards. An empty list contains every type. */
export function isAllowedType(mimeType: string, list: readonly string[]): boolean {
  const type = plain(mimeType);
  return list.length === 0 || list.some((entry) => entry === '*/*' || matches(type, plain(entry)));
}

function matches(type: string, entry: string): boolean {
  return entry.endsWith('/*') ? type.startsWith(entry.slice(0, -1)) : type === entry;
}
