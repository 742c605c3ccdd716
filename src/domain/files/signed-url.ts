import type { SomeServices } from '../context.ts';

/** What a signature allows: to send the bytes of an upload, or to read a file. */
export type SignedUse = 'upload' | 'read';

/** A file as a signed URL names it. */
export interface SignedFile {
  readonly id: string;
  /** Undefined: the URL is of an earlier release. */
  readonly environmentId: string | undefined;
}

/**
 * Signs the use of one file until a time. Everyone who has the URL has the right, so it is short-lived. The signature is an
 * authenticated encryption: its comparison takes constant time. It does not contain the environment: in another one, the
 * file is not found.
 */
export function signFile(
  { settings: { secretBox } }: SomeServices<'secretBox'>,
  use: SignedUse,
  { id, environmentId }: SignedFile,
  until: Date,
): URLSearchParams {
  const sealed = secretBox.seal(String(until.getTime()), ownerOf(use, id));
  return new URLSearchParams({
    signature: Buffer.from(sealed).toString('base64url'),
    ...(environmentId && { environment: environmentId }),
  });
}

/** Whether the signature allows this use of the file now. */
export function isSigned(
  { settings: { secretBox } }: SomeServices<'secretBox'>,
  use: SignedUse,
  id: string,
  signature: string,
  now: Date,
): boolean {
  try {
    return Number(secretBox.open(Buffer.from(signature, 'base64url'), ownerOf(use, id))) > now.getTime();
  } catch {
    // It was not signed here, or it was signed for something else.
    return false;
  }
}

function ownerOf(use: SignedUse, id: string): string {
  return `${use} of ${id}`;
}
