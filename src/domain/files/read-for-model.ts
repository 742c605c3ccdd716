import { ServiceError } from '../../contract/errors.ts';
import { fileIdOfUri } from '../../contract/file-uri.ts';
import { formatBytes } from '../../contract/quantities.ts';
import type { Context } from '../context.ts';
import { requireBytes } from './content-faults.ts';
import { findReadyFiles } from './reads.ts';

interface FileContent {
  readonly bytes: Uint8Array;
  readonly mediaType: string;
  readonly name: string;
}

/**
 * Reads a file that a message of the prompt names. The message was accepted, so its author could use the file. Returns
 * the reason if it cannot be read: a file never fails a turn.
 */
export async function readForModel(
  ctx: Context,
  uri: URL,
  mostBytes: number,
): Promise<FileContent | { readonly problem: string }> {
  const id = fileIdOfUri(uri.href);
  const [file] = id === undefined ? [] : await findReadyFiles(ctx, [id]);
  if (!file) return { problem: 'it was deleted' };
  if (file.sizeBytes > mostBytes) return { problem: `it is larger than ${formatBytes(mostBytes)}` };
  try {
    await requireBytes(ctx.services, file);
    const chunks: Buffer[] = [];
    for await (const chunk of (await ctx.services.stores.storage.read(file.storageKey)) as AsyncIterable<Buffer>) {
      chunks.push(chunk);
    }
    return { bytes: Buffer.concat(chunks), mediaType: file.mimeType, name: file.name };
  } catch (error) {
    if (error instanceof ServiceError) return { problem: 'the storage has lost its bytes' };
    ctx.services.process.log.warn({ err: error, request_id: ctx.request.id, file_id: id }, 'a file could not be read');
    return { problem: 'it could not be read' };
  }
}
