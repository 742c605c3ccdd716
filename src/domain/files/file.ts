import { ServiceError } from '../../contract/errors.ts';
import { LIMITS } from '../../contract/limits.ts';
import type { ContentFault, StoredFile } from '../../db/generated/client.ts';
import { endUserDigest } from '../access/end-user-digest.ts';
import { type Reach, reachOf } from '../access/reach.ts';
import type { Context, SomeServices } from '../context.ts';

/** A file whose bytes are complete and checked. */
export interface ReadyFile {
  readonly id: string;
  readonly environmentId: string;
  readonly name: string;
  readonly mimeType: string;
  readonly sizeBytes: number;
  readonly sha256: string;
  readonly storageKey: string;
  /** What was wrong with the stored bytes when they were last needed. */
  readonly fault: ContentFault | null;
  readonly createdAt: Date;
}

/** Everything about a file that its rules need. */
export type FileRow = StoredFile;

const WITHOUT_COOKIE = 'anonymous';

/** Who owns an upload of this caller. Null: callers that reach the whole environment share its files. */
export function ownerOf(ctx: Context): string | null {
  const { caller } = ctx;
  if (caller.kind === 'anonymous') return caller.visitor?.id ?? WITHOUT_COOKIE;
  if (caller.kind === 'end_user') return endUserDigest(ctx.services, ctx.environment, caller.endUser);
  return reachOf(caller) ? caller.id : null;
}

/** The deployments and conversations that the caller is bound to. Undefined: it reaches the whole environment. */
export function boundsOf({ caller }: Context): Reach | undefined {
  return caller.kind === 'anonymous' ? { deploymentIds: [caller.id] } : reachOf(caller);
}

/**
 * Whether the client sends the bytes to the storage, with one request. Larger files come to this service, because such an
 * upload can continue after it broke off.
 */
export function isDirect(
  { stores: { storage } }: SomeServices<'storage'>,
  { sizeBytes }: Pick<FileRow, 'sizeBytes'>,
): boolean {
  return storage.signUpload !== undefined && sizeBytes <= LIMITS.directUploadBytes;
}

/** The start of all storage keys of a file. */
export function storagePrefix({ environmentId, id }: Pick<FileRow, 'environmentId' | 'id'>): string {
  return `${environmentId}/${id}`;
}

export function fileNotFound(): ServiceError {
  const message = 'There is no file with this ID in this environment, or it is not complete. Check {param}.';
  return new ServiceError('not_found', message, { param: ['fileId'] });
}
