import type { Response } from 'undici';
import { GuardedFetchError } from './guarded-fetch-error.ts';

/** The body, decompressed. It is read no further than to the limit, so that little that unpacks to much does no harm. */
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

/** The fault of an answer that goes on beyond its limit. */
export function tooLarge(maxBytes: number): GuardedFetchError {
  return new GuardedFetchError('too_large', `The answer is larger than ${maxBytes.toLocaleString('en')} bytes.`);
}
