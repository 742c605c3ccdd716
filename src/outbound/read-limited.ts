import type { Response } from 'undici';
import { formatCount } from '../contract/quantities.ts';
import { GuardedFetchError } from './guarded-fetch-error.ts';

/** Reads the decompressed body. Stops at the limit, so a small body that decompresses to a large one does no harm. */
export async function readLimited({ headers, body }: Response, maxBytes: number): Promise<Uint8Array> {
  if (!body) return new Uint8Array();
  if (Number(headers.get('content-length') ?? 0) > maxBytes) throw tooLarge(maxBytes);
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of body) {
    size += chunk.byteLength;
    if (size > maxBytes) throw tooLarge(maxBytes);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

/** The error for a response that exceeds its size limit. */
export function tooLarge(maxBytes: number): GuardedFetchError {
  return new GuardedFetchError('too_large', `The response is larger than ${formatCount(maxBytes)} bytes.`);
}
