import type { Context } from '../context.ts';
import { finishUpload } from './check.ts';
import { fileNotFound, type ReadyFile } from './file.ts';
import { isFileInReach } from './reach.ts';
import { findReadyFiles } from './reads.ts';

/**
 * Checks an upload whose bytes have arrived, and returns its file. Needed after an upload to the storage, where this
 * service does not see the bytes arrive. Elsewhere the last bytes have done it already.
 * @throws {ServiceError} not_found, invalid_request, request_in_progress
 */
export async function completeUpload(ctx: Context, fileId: string): Promise<ReadyFile> {
  const row = await ctx.db.storedFile.findFirst({ where: { id: fileId } });
  if (!row || !isFileInReach(ctx, row, { action: 'complete' })) throw fileNotFound();
  if (row.status === 'uploading' && row.expiresAt <= ctx.now()) throw fileNotFound();
  await finishUpload(ctx.services, row);
  const [file] = await findReadyFiles(ctx, [fileId]);
  if (!file) throw fileNotFound();
  return file;
}
