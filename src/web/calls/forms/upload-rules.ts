import { LIMITS } from '../../../contract/limits.ts';
import type { DataPart, FilePart, JsonObject } from '../../../sdk/index.ts';
import type { Attachment } from '../../messages/attachments.ts';
import type { PageFiles } from '../../messages/page-files.ts';
import { texts } from '../../texts/current.ts';
import type { UploadRequest } from '../../timeline/client-tools.ts';
import { formatBytes } from '../../ui/numbers.ts';

/** A file that the user has chosen. */
export interface Chosen {
  readonly name: string;
  readonly bytes: number;
  readonly part: DataPart | FilePart;
  /** An address of the picture. Undefined if it is no picture. */
  readonly preview?: string | undefined;
}

/** What this tab stores of an attachment. */
export function chosenOf({ name, bytes, part, preview }: Attachment): Chosen {
  return { name, bytes, part, preview };
}

/** Limits of the form: of one file if the page uploads files, else of all together. */
interface Limits {
  readonly ofOne: number;
  readonly ofAll: number;
}

export function limitsOf(files: PageFiles | undefined): Limits {
  return files ? { ofOne: files.maxBytes, ofAll: Number.POSITIVE_INFINITY } : { ofOne: MAX_BYTES, ofAll: MAX_BYTES };
}

/** Bytes of JSON around each file in the output, including its type. */
const PART_BYTES = LIMITS.mimeTypeLength + 64;

/** The limit for all files together: an output is JSON with base64. A multiple of 50 kB, because users read it. */
const MAX_BYTES = roundDown(50 * 1024, (LIMITS.toolOutputBytes - LIMITS.contentParts * PART_BYTES) * 0.75);

/** The limits as a sentence. */
export function limitsText({ accept, multiple }: UploadRequest, { ofOne, ofAll }: Limits): string {
  const t = texts().upload;
  const size = formatBytes(ofOne);
  const many = ofAll === ofOne ? t.limitMany : t.limitEach;
  const limit = multiple ? many(LIMITS.contentParts, size) : t.limitOne(size);
  return `${limit}${accept.length > 0 ? `: ${accept.map(typeName).join(', ')}` : ''}.`;
}

/** The error text if files cannot be added to the chosen ones. Reads no content. */
export function fileError(
  { accept, multiple }: UploadRequest,
  files: readonly File[],
  chosen: readonly Chosen[],
  { ofOne, ofAll }: Limits,
): string | undefined {
  const t = texts().upload;
  const [wrong] = files.filter((file) => !isAccepted(file, accept));
  if (wrong) return t.wrongType(wrong.name, accept.map(typeName).join(', '));
  const [empty] = files.filter(({ size }) => size === 0);
  if (empty) return texts().composer.empty(empty.name);
  if (!multiple && files.length > 1) return t.chooseOne;
  const earlier = multiple ? chosen : [];
  if (earlier.length + files.length > LIMITS.contentParts) return t.atMost(LIMITS.contentParts);
  const sizes = [...earlier.map(({ bytes }) => bytes), ...files.map(({ size }) => size)];
  const total = sizes.reduce((sum, size) => sum + size, 0);
  const large = files.find(({ size }) => size > ofOne && (ofAll > ofOne || sizes.length === 1));
  if (large) return t.fileTooLarge(large.name, formatBytes(large.size), formatBytes(ofOne));
  return total > ofAll ? t.filesTooLarge(formatBytes(total), formatBytes(ofAll)) : undefined;
}

/** The output of upload_document. */
export function uploadOutput(chosen: readonly Chosen[]): JsonObject {
  return {
    content: chosen.map(({ part }) => {
      const { type, mimeType: mime_type } = part;
      return part.type === 'data' ? { type, mime_type, data: part.data } : { type, mime_type, file_uri: part.fileUri };
    }),
  };
}

function roundDown(step: number, value: number): number {
  return Math.floor(value / step) * step;
}

/** Compares the MIME type, or the end of the name if an entry is a file extension, like a file input does. */
function isAccepted({ name, type }: File, accept: readonly string[]): boolean {
  if (accept.length === 0) return true;
  const mimeType = type.toLowerCase().split(';')[0] ?? '';
  return accept.some((entry) => {
    const pattern = entry.trim().toLowerCase();
    if (pattern === '*/*' || pattern === '*') return true;
    if (pattern.startsWith('.')) return name.toLowerCase().endsWith(pattern);
    return pattern.endsWith('/*') ? mimeType.startsWith(pattern.slice(0, -1)) : mimeType === pattern;
  });
}

/** The short name of a type: `application/pdf` becomes PDF. */
function typeName(accepted: string): string {
  const [family = '', kind = ''] = accepted.split('/');
  if (kind === '*') return texts().upload.anyOf(family);
  return /^[a-z]{2,5}$/.test(kind) ? (kind === 'plain' ? texts().upload.text : kind.toUpperCase()) : accepted;
}
