import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Request, Response } from 'express';
import { ServiceError } from '../contract/errors.ts';
import { withoutParameters } from '../contract/file-name.ts';
import type { Services } from '../domain/context.ts';
import { contentMissing, requireBytes } from '../domain/files/content-faults.ts';
import type { ReadyFile } from '../domain/files/file.ts';
import { fileToServe } from '../domain/files/reads.ts';
import type { SignedFile } from '../domain/files/signed-url.ts';
import { type ByteRange, MissingBytesError } from '../domain/files/storage-port.ts';

/** Types that browsers show without running anything. All others are downloads. */
const SHOWN = new Set([
  'application/pdf',
  'audio/mpeg',
  'audio/wav',
  'audio/webm',
  'image/gif',
  'image/jpeg',
  'image/png',
  'image/webp',
  'video/mp4',
  'video/webm',
]);

/** The document can load and run nothing, and has an origin of its own. Chromium shows no PDF in a sandbox. */
const POLICY = "default-src 'none'; frame-ancestors 'none'; sandbox";
const PDF_POLICY = "default-src 'none'; frame-ancestors 'none'";

/** Shorter than the life of a signed URL, so a deleted file disappears from caches soon. */
const CACHING = 'private, max-age=300';

/** Sends the bytes of a file, or one range of them. */
export async function serveContent(
  services: Services,
  signed: SignedFile,
  request: Request,
  response: Response,
): Promise<void> {
  const file = await fileToServe(services, signed);
  if (!file) throw new ServiceError('not_found', 'This file does not exist. It may have been deleted.');
  await requireBytes(services, file);
  const range = rangeOf(request, file);
  const isRead = range !== 'unsatisfiable' && request.method !== 'HEAD';
  const bytes = isRead ? await bytesOf(services, file, range) : undefined;
  response.set({
    'Accept-Ranges': 'bytes',
    'Cache-Control': CACHING,
    'Content-Disposition': dispositionOf(file),
    'Content-Security-Policy': isPdf(file) ? PDF_POLICY : POLICY,
    'Content-Type': file.mimeType,
    'Cross-Origin-Resource-Policy': 'cross-origin',
    ETag: `"${file.sha256}"`,
    'X-Content-Type-Options': 'nosniff',
  });
  if (range === 'unsatisfiable') {
    response.setHeader('Content-Range', `bytes */${file.sizeBytes}`);
    response.status(416).end();
    return;
  }
  const { start, end } = range ?? { start: 0, end: file.sizeBytes - 1 };
  if (range) response.status(206).setHeader('Content-Range', `bytes ${start}-${end}/${file.sizeBytes}`);
  response.setHeader('Content-Length', end - start + 1);
  if (bytes) await send(services, file, bytes, response);
  else response.end();
}

function isPdf({ mimeType }: ReadyFile): boolean {
  return withoutParameters(mimeType).toLowerCase() === 'application/pdf';
}

/** Opened before the headers are set, because the bytes can disappear at any time. */
async function bytesOf(
  { stores: { storage } }: Services,
  file: ReadyFile,
  range: ByteRange | undefined,
): Promise<Readable> {
  try {
    return await storage.read(file.storageKey, range);
  } catch (error) {
    throw error instanceof MissingBytesError ? contentMissing() : error;
  }
}

async function send(
  { process: { log } }: Services,
  file: ReadyFile,
  bytes: Readable,
  response: Response,
): Promise<void> {
  try {
    await pipeline(bytes, response);
  } catch (error) {
    // The client disconnected, or the storage did: then the response is incomplete, and its length says so.
    log.info({ err: error, file_id: file.id }, 'a download ended early');
    response.destroy();
  }
}

/** One range. Other forms and several ranges are ignored, as HTTP allows. */
function rangeOf(request: Request, { sizeBytes, sha256 }: ReadyFile): ByteRange | 'unsatisfiable' | undefined {
  const condition = request.get('if-range');
  if (condition !== undefined && condition !== `"${sha256}"`) return undefined;
  const [, from = '', to = ''] = /^bytes=(\d{0,15})-(\d{0,15})$/.exec(request.get('range') ?? '') ?? [];
  if (from === '' && to === '') return undefined;
  const start = from === '' ? Math.max(0, sizeBytes - Number(to)) : Number(from);
  const end = from === '' || to === '' ? sizeBytes - 1 : Math.min(Number(to), sizeBytes - 1);
  if (from !== '' && to !== '' && Number(to) < Number(from)) return undefined;
  return start > end ? 'unsatisfiable' : { start, end };
}

/** The name in both forms of RFC 6266: plain ASCII, and percent-encoded. */
function dispositionOf({ name, mimeType }: ReadyFile): string {
  const kind = SHOWN.has(withoutParameters(mimeType).toLowerCase()) ? 'inline' : 'attachment';
  const plain = name.replace(/[^\x20-\x7e]|["\\%]/g, '_');
  const encoded = encodeURIComponent(name).replace(/['()*]/g, (c) => `%${c.charCodeAt(0).toString(16).toUpperCase()}`);
  return `${kind}; filename="${plain}"; filename*=UTF-8''${encoded}`;
}
