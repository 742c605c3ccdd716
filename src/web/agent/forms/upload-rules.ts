import { LIMITS } from '../../../contract/limits.ts';
import type { DataPart, JsonObject } from '../../../sdk/index.ts';
import type { UploadRequest } from '../../timeline/client-tools.ts';
import { sizeOf } from '../../ui/size.ts';

/** A file that is going to be given. */
export interface Chosen {
  readonly name: string;
  readonly bytes: number;
  readonly part: DataPart;
}

/** What stands around each file in the output, its type included. */
const PART_ROOM = LIMITS.mimeTypeLength + 64;

/** Bytes that all files may have together: an output is JSON, in which files are base64. In steps of 50 kB, to be said. */
const MOST_BYTES = floorTo(50 * 1024, (LIMITS.toolOutputBytes - LIMITS.contentParts * PART_ROOM) * 0.75);

/** What may be chosen, in words. */
export function limitsOf({ accept, multiple }: UploadRequest): string {
  const count = multiple ? `Up to ${LIMITS.contentParts} files` : 'One file';
  const size = `${multiple ? 'together up to' : 'up to'} ${sizeOf(MOST_BYTES)}`;
  return `${count}, ${size}${accept.length > 0 ? `: ${accept.map(typeWord).join(', ')}` : ''}.`;
}

/** Why files cannot be added to those that are chosen; undefined where they can. Nothing is read for it. */
export function fileFault(
  { accept, multiple }: UploadRequest,
  files: readonly File[],
  chosen: readonly Chosen[],
): string | undefined {
  const [wrong] = files.filter((file) => !isAccepted(file, accept));
  if (wrong) return `${wrong.name} is not one of ${accept.map(typeWord).join(', ')}.`;
  const [empty] = files.filter(({ size }) => size === 0);
  if (empty) return `${empty.name} is empty.`;
  if (!multiple && files.length > 1) return 'Choose one file.';
  const kept = multiple ? chosen : [];
  if (kept.length + files.length > LIMITS.contentParts) return `Choose at most ${LIMITS.contentParts} files.`;
  const sizes = [...kept.map(({ bytes }) => bytes), ...files.map(({ size }) => size)];
  const total = sizes.reduce((sum, size) => sum + size, 0);
  if (total <= MOST_BYTES) return undefined;
  const [only] = sizes.length === 1 ? files : [];
  const limit = sizeOf(MOST_BYTES);
  return only
    ? `${only.name} has ${sizeOf(only.size)}. It may have up to ${limit}.`
    : `Together the files have ${sizeOf(total)}. They may have up to ${limit}.`;
}

/** The output of upload_document (SPEC 4.1). */
export function uploadOutput(chosen: readonly Chosen[]): JsonObject {
  return { content: chosen.map(({ part: { type, mimeType, data } }) => ({ type, mime_type: mimeType, data })) };
}

function floorTo(step: number, value: number): number {
  return Math.floor(value / step) * step;
}

/** By its type, or by the end of its name where an entry is one, as file inputs have it too. */
function isAccepted({ name, type }: File, accept: readonly string[]): boolean {
  if (accept.length === 0) return true;
  const mimeType = type.toLowerCase().split(';')[0] ?? '';
  return accept.some((entry) => {
    const wanted = entry.trim().toLowerCase();
    if (wanted === '*/*' || wanted === '*') return true;
    if (wanted.startsWith('.')) return name.toLowerCase().endsWith(wanted);
    return wanted.endsWith('/*') ? mimeType.startsWith(wanted.slice(0, -1)) : mimeType === wanted;
  });
}

/** `application/pdf` is PDF to people. */
function typeWord(accepted: string): string {
  const [family = '', kind = ''] = accepted.split('/');
  if (kind === '*') return `any ${family === 'application' ? 'document' : family}`;
  return /^[a-z]{2,5}$/.test(kind) ? (kind === 'plain' ? 'text' : kind.toUpperCase()) : accepted;
}
