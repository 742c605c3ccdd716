import {
  type BrotliOptions,
  brotliCompress,
  brotliCompressSync,
  constants,
  gzip,
  gzipSync,
  type ZlibOptions,
} from 'node:zlib';
import type { Request, Response } from 'express';
import { tagOfCoding } from '../contract/entity-tags.ts';
import { CALLER_HEADERS } from './response-headers.ts';

/** Preferred first. */
const CODINGS = ['br', 'gzip'] as const;

export type Coding = (typeof CODINGS)[number];

/** `once` is for a body that is sent once, `often` for a file that is compressed once and sent to many clients. */
type Use = 'once' | 'often';

/** The lowest levels save almost as much as the highest. test/bench/MEASUREMENTS.md has the figures. */
const GZIP: Readonly<Record<Use, ZlibOptions>> = { once: { level: 1 }, often: { level: 6 } };
const BROTLI: Readonly<Record<Use, BrotliOptions>> = { once: quality(2), often: quality(6) };

function quality(level: number): BrotliOptions {
  return { params: { [constants.BROTLI_PARAM_QUALITY]: level } };
}

/** Smaller bodies fit into one packet anyway. */
const MIN_BYTES = 1_024;

/** Compressing more would block the process for over 0.2 ms. A thread costs more CPU than compressing a small body. */
const MAX_BLOCKING_BYTES = 64 * 1_024;

/** The coding for a response, if the client accepts one and does not prefer `identity`. */
export function codingOf(request: Request): Coding | undefined {
  // Without the header, only the identity coding is acceptable.
  if (request.headers['accept-encoding'] === undefined) return undefined;
  return CODINGS.find((coding) => request.acceptsEncodings(coding, 'identity') === coding);
}

/** Compresses in another thread. */
export function compress(content: Buffer, coding: Coding, use: Use): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const done = (error: Error | null, compressed: Buffer) => (error ? reject(error) : resolve(compressed));
    if (coding === 'br') brotliCompress(content, BROTLI[use], done);
    else gzip(content, GZIP[use], done);
  });
}

/** Chooses the coding of a JSON body, and sets the headers that depend on it. */
export function chooseCoding(response: Response, text: string): Coding | undefined {
  varyByCoding(response);
  const isLarge = text.length > MIN_BYTES || Buffer.byteLength(text) > MIN_BYTES;
  const coding = isLarge ? codingOf(response.req) : undefined;
  const etag = response.getHeader('ETag');
  if (coding && typeof etag === 'string') response.setHeader('ETag', tagOfCoding(etag, coding));
  return coding;
}

const CALLER_AND_CODING = `${CALLER_HEADERS}, Accept-Encoding`;

/** Almost every response has the same `Vary`, so it is not parsed again for each one. */
function varyByCoding(response: Response): void {
  if (response.getHeader('Vary') === CALLER_HEADERS) response.setHeader('Vary', CALLER_AND_CODING);
  else response.vary('Accept-Encoding');
}

/** Ends a response with a JSON body in its coding. */
export async function endJson(response: Response, text: string, coding = chooseCoding(response, text)): Promise<void> {
  // Node would convert a text twice: for its length, and for the socket.
  const content = Buffer.from(text);
  response.locals.size = content.length;
  const body = coding ? await coded(content, coding) : content;
  if (coding) response.setHeader('Content-Encoding', coding);
  response.setHeader('Content-Length', body.length);
  response.end(body);
}

function coded(content: Buffer, coding: Coding): Buffer | Promise<Buffer> {
  if (content.length > MAX_BLOCKING_BYTES) return compress(content, coding, 'once');
  return coding === 'br' ? brotliCompressSync(content, BROTLI.once) : gzipSync(content, GZIP.once);
}
