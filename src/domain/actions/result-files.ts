import { ServiceError } from '../../contract/errors.ts';
import { printableName } from '../../contract/file-name.ts';
import { fileIdOfUri, fileUriOf } from '../../contract/file-uri.ts';
import { LIMITS } from '../../contract/limits.ts';
import { formatBytes, formatCount } from '../../contract/quantities.ts';
import type { Context } from '../context.ts';
import { typeForModels } from '../files/file-type.ts';
import { pictureSize } from '../files/picture-size.ts';
import { type KeptFile, storeReceived } from '../files/store-received.ts';
import { decodedBase64, decodedLength } from '../message-content.ts';
import type { McpFile } from './mcp-port.ts';
import type { Mask } from './secrets.ts';

/** A file of a result, as the stored output of its call names it. */
export interface ResultFile {
  readonly file_id: string;
  readonly file_uri: string;
  readonly name: string;
  readonly mime_type: string;
  readonly size_bytes: number;
}

/** The files of a stored output. Only outputs of the workflow's actions have them: the service writes these. */
export function resultFilesOf({ kind, output }: { readonly kind: string; readonly output: unknown }): ResultFile[] {
  const files = kind === 'action' ? (output as { readonly files?: unknown } | null | undefined)?.files : undefined;
  if (!Array.isArray(files)) return [];
  return files.filter(
    (file): file is ResultFile =>
      typeof file === 'object' &&
      file !== null &&
      typeof file.file_uri === 'string' &&
      typeof file.mime_type === 'string' &&
      fileIdOfUri(file.file_uri) !== undefined,
  );
}

/** Whose files they are, and what may not be in their names. */
export interface ResultOwner {
  readonly conversationId: string | undefined;
  readonly mask: Mask;
  readonly signal: AbortSignal;
}

/**
 * Stores the files of a result, one after another. Returns for each its reference, or why the model does not get it: a file
 * never fails a call.
 * @throws the reason of the signal
 */
export async function storeResultFiles(
  ctx: Context,
  files: readonly McpFile[],
  owner: ResultOwner,
): Promise<(ResultFile | string)[]> {
  const stored: (ResultFile | string)[] = [];
  for (const [index, file] of files.entries()) {
    owner.signal.throwIfAborted();
    if (index >= LIMITS.resultFiles) stored.push(`a result can have ${LIMITS.resultFiles} files`);
    else stored.push(await storeOne(ctx, file, { ...owner, number: index + 1 }));
  }
  return stored;
}

async function storeOne(
  ctx: Context,
  file: McpFile,
  { conversationId, mask, number }: ResultOwner & { readonly number: number },
): Promise<ResultFile | string> {
  const judged = judge(file);
  if (typeof judged === 'string') return judged;
  const { bytes, mimeType } = judged;
  const name = mask(nameOf(file, mimeType, number));
  try {
    return referenceTo(await storeReceived(ctx, { name, mimeType, bytes, conversationId }));
  } catch (error) {
    const facts = { request_id: ctx.request.id, conversation_id: conversationId };
    ctx.services.process.log.warn({ ...facts, err: error }, 'a file of a tool result was not stored');
    return (error instanceof ServiceError && REASONS[error.code]) || 'it could not be stored';
  }
}

/** In words for the model. The message of the error is for people who upload files. */
const REASONS: Partial<Record<ServiceError['code'], string>> = {
  payload_too_large: 'the files of this service have no more space',
  insufficient_storage: 'the files of this service have no more space',
  rate_limited: 'the limit of bytes per hour is reached',
  invalid_request: 'its content was rejected',
};

interface Judged {
  readonly bytes: Buffer;
  readonly mimeType: string;
}

/** Checks a file before anything is stored. Returns why the model cannot get it. */
function judge({ kind, mediaType, base64 }: McpFile): Judged | string {
  if (decodedLength(base64) > LIMITS.resultFileBytes) return `it is larger than ${formatBytes(LIMITS.resultFileBytes)}`;
  const bytes = decodedBase64(base64);
  if (!bytes) return 'it is not base64';
  const mimeType = typeForModels(mediaType, bytes.subarray(0, LIMITS.fileTypeBytes));
  if (mimeType === undefined || (kind !== 'resource' && !mimeType.startsWith(`${kind}/`))) {
    return 'no model takes its content';
  }
  if (!mimeType.startsWith('image/')) return { bytes, mimeType };
  const size = pictureSize(mimeType, bytes);
  if (!size) return 'it is not a complete picture';
  const { width, height } = size;
  if (Math.max(width, height) <= LIMITS.resultPictureSide) return { bytes, mimeType };
  const most = formatCount(LIMITS.resultPictureSide);
  return `it has ${formatCount(width)} × ${formatCount(height)} pixels, and a side can have ${most}`;
}

/** The last part of its address, or a name from its type. */
function nameOf({ kind, uri = '' }: McpFile, mimeType: string, number: number): string {
  const [path = ''] = uri.slice(0, LIMITS.fileUriLength).split(/[?#]/, 1);
  const segment = printableName(decoded(path.split(/[/\\:]/).at(-1) ?? '')).trim();
  const name = segment.replace(/[/\\]/g, '_').slice(0, LIMITS.fileNameLength).toWellFormed();
  if (name !== '' && name !== '.' && name !== '..') return name;
  return `${kind === 'resource' ? 'file' : kind}-${number}${ENDINGS[mimeType] ?? ''}`;
}

const ENDINGS: Readonly<Record<string, string>> = {
  'image/png': '.png',
  'image/jpeg': '.jpg',
  'image/gif': '.gif',
  'image/webp': '.webp',
  'application/pdf': '.pdf',
  'application/json': '.json',
  'audio/wav': '.wav',
  'audio/mpeg': '.mp3',
  'text/plain': '.txt',
  'text/csv': '.csv',
};

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

function referenceTo({ id, name, mimeType, sizeBytes }: KeptFile): ResultFile {
  return { file_id: id, file_uri: fileUriOf(id), name, mime_type: mimeType, size_bytes: sizeBytes };
}
