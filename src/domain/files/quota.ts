import { ServiceError } from '../../contract/errors.ts';
import { LIMITS } from '../../contract/limits.ts';
import type { Transaction } from '../../db/transaction.ts';
import { strangerParts } from '../access/shares.ts';
import type { Context } from '../context.ts';

const MIB = 1024 * 1024;

interface UsedSpace {
  readonly stored: bigint;
  readonly expected: bigint;
}

/**
 * Requires space for a new file. What other uploads have announced counts, so that many uploads at once cannot exceed the
 * limit. Strangers have a share of the space: see {@link requireShare}. The row lock of the environment makes the sums
 * exact.
 * @throws {ServiceError} payload_too_large, rate_limited
 */
export async function requireSpace(
  ctx: Context,
  tx: Transaction,
  { sizeBytes, shareKey }: { readonly sizeBytes: number; readonly shareKey: string | null },
): Promise<void> {
  const { id } = ctx.environment;
  const [space] = await tx.$queryRaw<{ readonly most: number }[]>`
    SELECT coalesce(e.file_megabytes, ${LIMITS.defaultFileMegabytes})::int AS most
    FROM environment e WHERE e.id = ${id}::uuid FOR NO KEY UPDATE`;
  const [used] = await tx.$queryRaw<UsedSpace[]>`
    SELECT (SELECT coalesce(sum(size_bytes), 0) FROM file_content WHERE environment_id = ${id}::uuid)::int8 AS stored,
           coalesce(sum(size_bytes) FILTER (WHERE status = 'uploading'), 0)::int8 AS expected
    FROM file WHERE environment_id = ${id}::uuid AND used_at IS NULL`;
  if (!space || !used) throw new Error('the environment of the caller does not exist');
  if (exceeds(used.stored + used.expected, sizeBytes, space.most * MIB)) throw full(sizeBytes, space.most);
  if (shareKey !== null) await requireShare(ctx, tx, { sizeBytes, shareKey, most: space.most });
}

interface StrangersSpace {
  readonly of_all: bigint;
  readonly of_one: bigint;
  readonly unused: bigint;
  readonly open: number;
}

/**
 * Requires space in the share of a stranger, and in that of all strangers. Files that messages use count too, so strangers
 * cannot use up the space of the workspace. Announcements count with their size, and have a number of their own.
 */
async function requireShare(
  ctx: Context,
  tx: Transaction,
  { sizeBytes, shareKey, most }: { readonly sizeBytes: number; readonly shareKey: string; readonly most: number },
): Promise<void> {
  const [used] = await tx.$queryRaw<StrangersSpace[]>`
    SELECT coalesce(sum(size_bytes), 0)::int8 AS of_all,
           coalesce(sum(size_bytes) FILTER (WHERE share_key = ${shareKey}), 0)::int8 AS of_one,
           coalesce(sum(size_bytes) FILTER (WHERE share_key = ${shareKey} AND used_at IS NULL), 0)::int8 AS unused,
           (count(*) FILTER (WHERE share_key = ${shareKey} AND status = 'uploading' AND expires_at > now()))::int AS open
    FROM file WHERE environment_id = ${ctx.environment.id}::uuid AND share_key IS NOT NULL AND status <> 'rejected'`;
  if (!used) throw new Error('a query of sums has no row');
  const parts = strangerParts(most * MIB);
  if (exceeds(used.of_all, sizeBytes, parts.all)) throw full(sizeBytes, parts.all / MIB);
  if (exceeds(used.of_one, sizeBytes, parts.one)) throw shareFull(sizeBytes, parts.one / MIB);
  if (used.unused > 0n && exceeds(used.unused, sizeBytes, LIMITS.strangerUnusedMegabytes * MIB)) {
    throw shareFull(sizeBytes, LIMITS.strangerUnusedMegabytes);
  }
  if (used.open >= LIMITS.strangerUploads) throw tooManyOpen(ctx);
}

function exceeds(used: bigint, more: number, most: number): boolean {
  return Number(used) + more > most;
}

function full(sizeBytes: number, megabytes: number): ServiceError {
  const message = `The files of this environment would exceed its limit of ${formatMegabytes(megabytes)} MiB. Delete conversations with files, or ask an administrator for a higher limit.`;
  return noSpace(message, sizeBytes, megabytes);
}

function shareFull(sizeBytes: number, megabytes: number): ServiceError {
  const message = `Your files would exceed your share of the space, ${formatMegabytes(megabytes)} MiB. Use the uploaded files in messages, or try again later.`;
  return noSpace(message, sizeBytes, megabytes);
}

function formatMegabytes(megabytes: number): string {
  return (Math.floor(megabytes * 10) / 10).toLocaleString('en-US');
}

function tooManyOpen({ request }: Context): ServiceError {
  const limit = { name: 'stranger-uploads', points: LIMITS.strangerUploads, seconds: 60 };
  request.reportLimit({ limit, result: { allowed: false, remaining: 0, resetSeconds: limit.seconds } });
  const message = `${limit.points} of your uploads are not complete, which is the limit. Send their bytes first.`;
  return new ServiceError('rate_limited', message, { retryAfterMs: limit.seconds * 1_000 });
}

function noSpace(message: string, sizeBytes: number, megabytes: number): ServiceError {
  const facts = { size_bytes: sizeBytes, max_total_bytes: Math.floor(megabytes * MIB) };
  return new ServiceError('payload_too_large', message, { param: ['sizeBytes'], facts });
}
