import type { IncomingMessage } from 'node:http';
import type { Transform } from 'node:stream';
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib';
import { ServiceError } from '../../contract/errors.ts';
import type { BodyBuffer } from './body-buffer.ts';

const CODINGS = ['br', 'gzip', 'deflate'] as const;

type Coding = (typeof CODINGS)[number];

/** Larger pieces save rounds of the event loop. */
const PIECE = { chunkSize: 64 * 1024 };

const INFLATERS: Readonly<Record<Coding, () => Transform>> = {
  br: () => createBrotliDecompress(PIECE),
  gzip: () => createGunzip(PIECE),
  deflate: () => createInflate(PIECE),
};

/** The coding of a body. Undefined: it is not compressed. @throws {ServiceError} unsupported_media_type */
export function codingOfBody({ headers }: Pick<IncomingMessage, 'headers'>): Coding | undefined {
  const named = headers['content-encoding']?.trim().toLowerCase() ?? 'identity';
  if (named === 'identity' || named === '') return undefined;
  const coding = CODINGS.find((known) => known === named);
  if (coding) return coding;
  const message = `Compress the body once, with a Content-Encoding of ${CODINGS.join(', ')}, or not at all.`;
  throw new ServiceError('unsupported_media_type', message);
}

/**
 * Decompresses a body in other threads, up to the limit of `inflated`.
 * @throws {ServiceError} payload_too_large, rate_limited, unavailable, invalid_json
 */
export async function inflate(bytes: Buffer, coding: Coding, inflated: BodyBuffer): Promise<void> {
  const inflater = INFLATERS[coding]();
  // A copy, because a thread can still read it when the request is over.
  inflater.end(Buffer.from(bytes));
  try {
    // Leaving the loop destroys the inflater.
    for await (const piece of inflater) inflated.add(piece as Buffer);
  } catch (error) {
    if (error instanceof ServiceError) throw error;
    throw new ServiceError('invalid_json', 'The body cannot be decompressed.');
  }
}
