import { hash } from 'node:crypto';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { RequestHandler } from 'express';

const compress = promisify(gzip);

/** What a file is made of, asked for once and only when somebody wants it. */
export type ReadFile = () => string | Buffer | Promise<string | Buffer>;

interface Held {
  readonly plain: Buffer;
  readonly zipped: Buffer;
  readonly etag: string;
}

/** How long a browser may use a file that is named by its content: for ever. */
export const IMMUTABLE = 'public, max-age=31536000, immutable';

/**
 * Serves a file that stays the same while the process lives. Browsers keep it and, unless `caching` says otherwise, ask
 * each time whether it is still the one (304), since another version of the service serves another file under the same
 * name.
 */
export function file(type: string, read: ReadFile, caching = 'no-cache'): RequestHandler {
  let held: Promise<Held> | undefined;
  return async (request, response) => {
    held ??= hold(read).catch((error: unknown) => {
      held = undefined;
      throw error;
    });
    const { plain, zipped, etag } = await held;
    response.set({ 'Content-Type': type, 'Cache-Control': caching, ETag: etag });
    response.vary('Accept-Encoding');
    if (request.fresh) {
      response.status(304).end();
      return;
    }
    const isZipped = request.acceptsEncodings('gzip') === 'gzip';
    if (isZipped) response.set('Content-Encoding', 'gzip');
    response.end(isZipped ? zipped : plain);
  };
}

async function hold(read: ReadFile): Promise<Held> {
  const plain = Buffer.from(await read());
  const digest = hash('sha256', plain, 'base64url');
  // Weak: the compressed one has it too.
  return { plain, zipped: await compress(plain), etag: `W/"${digest.slice(0, 27)}"` };
}
