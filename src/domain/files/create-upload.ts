import { ServiceError } from '../../contract/errors.ts';
import { fileUriOf } from '../../contract/file-uri.ts';
import { LIMITS } from '../../contract/limits.ts';
import { formatBytes } from '../../contract/quantities.ts';
import { inTransaction, type Transaction } from '../../db/transaction.ts';
import { recordEffect } from '../access/claimed-effect.ts';
import { addressKey, countRequest, RATE_LIMITS } from '../access/rate-limits.ts';
import { isStranger, shareOf } from '../access/shares.ts';
import type { Context } from '../context.ts';
import { parseInput } from '../input.ts';
import { newTypeId } from '../type-id.ts';
import { type FileRow, isDirect, ownerOf, storagePrefix } from './file.ts';
import { isAllowedType } from './file-type.ts';
import { requireStorage } from './insufficient-storage.ts';
import { requireSpace } from './quota.ts';
import { signFile } from './signed-url.ts';
import { type UploadInput, uploadInput } from './upload-input.ts';

const HOUR_MS = 3_600_000;

/** The part of an upload that the client sends to the storage. */
const DIRECT_PART = 'upload';

/** How a client sends the bytes of a new file. */
export interface Upload {
  readonly id: string;
  readonly method: 'PUT';
  readonly url: string;
  readonly headers: readonly { readonly name: string; readonly value: string }[];
  /** Whether the bytes can be sent in several requests. */
  readonly resumable: boolean;
  readonly expiresAt: Date;
}

export interface CreatedUpload {
  readonly upload: Upload;
  readonly fileUri: string;
}

/** What an idempotency key stores. */
type RecordedUpload = Readonly<Record<'fileId', string>>;

/**
 * Starts the upload of a file. All limits are checked before a byte is sent.
 * @throws {ServiceError} invalid_request, not_found, payload_too_large, rate_limited,
 * insufficient_storage
 */
export async function createUpload(ctx: Context, input: Readonly<Record<string, unknown>>): Promise<CreatedUpload> {
  const { caller, services, request } = ctx;
  const recorded = ctx.request.claim?.effect as RecordedUpload | null | undefined;
  if (recorded) return uploadOf(ctx, await ctx.db.storedFile.findFirstOrThrow({ where: { id: recorded.fileId } }));
  if (caller.kind === 'anonymous') {
    const key = addressKey(request.address);
    await countRequest(services.stores.rateLimiter, RATE_LIMITS.anonymousUploads, key, request.reportLimit);
  }
  const parsed = parseInput(uploadInput, input);
  const { deploymentId, conversationId, ...rules } = await destination(ctx, parsed);
  requireAllowed(ctx, parsed, rules);
  await requireStorage(services, parsed.sizeBytes);
  const hours = caller.kind === 'anonymous' ? LIMITS.anonymousUploadHours : LIMITS.uploadHours;
  const createdAt = ctx.now();
  const { name, mimeType, sizeBytes, sha256 = null } = parsed;
  const data = {
    id: newTypeId('file'),
    environmentId: ctx.environment.id,
    deploymentId,
    conversationId,
    owner: ownerOf(ctx),
    shareKey: isStranger(caller) ? shareOf(ctx) : null,
    ...{ name, mimeType, sizeBytes, sha256 },
    parts: isDirect(services, parsed) ? [DIRECT_PART] : [],
    createdAt,
    expiresAt: new Date(createdAt.getTime() + hours * HOUR_MS),
  };
  const row = await inTransaction(ctx.db, async (tx: Transaction) => {
    await requireSpace(ctx, tx, data);
    await recordEffect(tx, ctx.request.claim, { fileId: data.id } satisfies RecordedUpload);
    return tx.storedFile.create({ data });
  });
  return uploadOf(ctx, row);
}

/** The limits of a deployment for one file. */
interface FileRules {
  /** Null: the default. */
  readonly maxFileBytes: number | null;
  readonly fileTypes: readonly string[];
}

interface Destination extends FileRules {
  readonly deploymentId: string | null;
  readonly conversationId: string | null;
}

/** The conversation or deployment that the caller wants to write to. Callers without credentials need one of them. */
async function destination(ctx: Context, { deploymentId, conversationId }: UploadInput): Promise<Destination> {
  if (!deploymentId && !conversationId) {
    return { deploymentId: null, conversationId: null, maxFileBytes: null, fileTypes: [] };
  }
  const conversation =
    conversationId &&
    (await ctx.db.conversation.findFirst({
      where: { id: conversationId, ...(deploymentId && { deploymentId }) },
      select: { deploymentId: true },
    }));
  if (conversationId && !conversation) throw unknown('conversation', 'conversationId');
  const id = conversation ? conversation.deploymentId : deploymentId;
  const deployment = await ctx.db.deployment.findFirst({
    where: { id: id as string, publishedVersion: { not: null } },
    select: { id: true, maxFileBytes: true, fileTypes: true },
  });
  if (!deployment) throw unknown('published deployment', 'deploymentId');
  const { maxFileBytes, fileTypes } = deployment;
  return { deploymentId: deployment.id, conversationId: conversationId ?? null, maxFileBytes, fileTypes };
}

function unknown(what: string, param: string): ServiceError {
  return new ServiceError('not_found', `There is no ${what} with this ID in this environment. Check {param}.`, {
    param: [param],
  });
}

function requireAllowed({ caller }: Context, file: UploadInput, { maxFileBytes, fileTypes }: FileRules): void {
  const { mimeType, sizeBytes } = file;
  const byDefault = caller.kind === 'anonymous' ? LIMITS.defaultAnonymousFileBytes : LIMITS.defaultFileBytes;
  const most = maxFileBytes ?? byDefault;
  if (sizeBytes > most) throw tooLarge(sizeBytes, most);
  if (isAllowedType(mimeType, fileTypes)) return;
  const message = `{param} must be one of the types that this deployment accepts: ${fileTypes.join(', ')}.`;
  throw new ServiceError('invalid_request', message, { param: ['mimeType'] });
}

function tooLarge(sizeBytes: number, most: number): ServiceError {
  return new ServiceError('payload_too_large', `{param} must be at most ${formatBytes(most)}. Send a smaller file.`, {
    param: ['sizeBytes'],
    facts: { size_bytes: sizeBytes, max_bytes: most },
  });
}

async function uploadOf({ services }: Context, row: FileRow): Promise<CreatedUpload> {
  const { id, expiresAt, mimeType, sizeBytes } = row;
  const seconds = Math.max(1, Math.floor((expiresAt.getTime() - Date.now()) / 1_000));
  const key = `${storagePrefix(row)}/${DIRECT_PART}`;
  const target = isDirect(services, row)
    ? await services.stores.storage.signUpload?.(key, { mimeType, sizeBytes, seconds })
    : undefined;
  const own = `${services.settings.publicUrl}/v1/uploads/${id}?${signFile(services, 'upload', row, expiresAt)}`;
  const headers = Object.entries(target?.headers ?? { 'Content-Type': mimeType });
  return {
    upload: {
      id,
      method: 'PUT',
      url: target?.url ?? own,
      headers: headers.map(([name, value]) => ({ name, value })),
      resumable: target === undefined,
      expiresAt,
    },
    fileUri: fileUriOf(id),
  };
}
