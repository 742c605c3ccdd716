import { ServiceError } from '../../contract/errors.ts';
import { LIMITS } from '../../contract/limits.ts';
import { formatCount } from '../../contract/quantities.ts';
import { Prisma } from '../../db/generated/client.ts';
import type { Transaction } from '../../db/transaction.ts';
import type { Context } from '../context.ts';
import { ownerOf } from './file.ts';

const MIB = 1024 * 1024;

interface UsedSpace {
  readonly most: number;
  readonly stored: bigint;
  readonly expected: bigint;
  readonly unused: bigint;
}

/**
 * Requires space for a new file. What other uploads have announced counts, so that many uploads at once cannot exceed the
 * limit. Files that an end user, or all callers without credentials, upload and do not use have a limit of their own: they
 * cannot use up the space of everybody else. The row lock of the environment makes the sums exact.
 * @throws {ServiceError} payload_too_large
 */
export async function requireSpace(ctx: Context, tx: Transaction, sizeBytes: number): Promise<void> {
  const { id } = ctx.environment;
  const [space] = await tx.$queryRaw<UsedSpace[]>`
    SELECT coalesce(e.file_megabytes, ${LIMITS.defaultFileMegabytes})::int AS most
    FROM environment e WHERE e.id = ${id}::uuid FOR NO KEY UPDATE`;
  const [used] = await tx.$queryRaw<UsedSpace[]>`
    SELECT (SELECT coalesce(sum(size_bytes), 0) FROM file_content WHERE environment_id = ${id}::uuid)::int8 AS stored,
           coalesce(sum(size_bytes) FILTER (WHERE status = 'uploading'), 0)::int8 AS expected,
           coalesce(sum(size_bytes) FILTER (WHERE ${ofStrangers(ctx)}), 0)::int8 AS unused
    FROM file WHERE environment_id = ${id}::uuid AND used_at IS NULL`;
  if (!space || !used) throw new Error('the environment of the caller does not exist');
  if (exceeds(used.stored + used.expected, sizeBytes, space.most)) throw full(space.most);
  if (isStranger(ctx) && exceeds(used.unused, sizeBytes, LIMITS.anonymousFileMegabytes)) {
    throw full(LIMITS.anonymousFileMegabytes);
  }
}

function isStranger({ caller }: Context): boolean {
  return caller.kind === 'anonymous' || caller.kind === 'end_user';
}

/** The files that count against the limit of the caller. Members and keys are no owners of unused files. */
function ofStrangers(ctx: Context): Prisma.Sql {
  if (ctx.caller.kind === 'end_user') return Prisma.sql`owner = ${ownerOf(ctx)}`;
  return Prisma.sql`owner IS NOT NULL AND owner !~ '^(end_user|key)_'`;
}

function exceeds(used: bigint, more: number, mostMegabytes: number): boolean {
  return Number(used) + more > mostMegabytes * MIB;
}

function full(megabytes: number): ServiceError {
  const message = `The files of this environment would exceed its limit of ${formatCount(megabytes)} MiB. Delete conversations with files, or ask an administrator for a higher limit.`;
  return new ServiceError('payload_too_large', message, { param: ['sizeBytes'] });
}
