import { hash } from 'node:crypto';
import type { RequestHandler } from 'express';
import { type Coding, codingOf, compress } from '../http/compression.ts';

/** Reads a file's content. Called once, for the first request. */
export type ReadFile = () => string | Buffer | Promise<string | Buffer>;

interface LoadedFile {
  readonly plain: Buffer;
  readonly compressed: Readonly<Record<Coding, Buffer>>;
  readonly etag: string;
}

/** For files with a content hash in their name. */
export const IMMUTABLE = 'public, max-age=31536000, immutable';

/**
 * Serves a file that does not change while the process runs. By default, browsers revalidate it on each request, because
 * another version of the service can serve a different file with the same name.
 */
export function file(type: string, read: ReadFile, caching = 'no-cache'): RequestHandler {
  let loaded: Promise<LoadedFile> | undefined;
  return async (request, response) => {
    loaded ??= load(read).catch((error: unknown) => {
      loaded = undefined;
      throw error;
    });
    const { plain, compressed, etag } = await loaded;
    response.set({ 'Content-Type': type, 'Cache-Control': caching, ETag: etag });
    response.vary('Accept-Encoding');
    if (request.fresh) {
      response.status(304).end();
      return;
    }
    const coding = codingOf(request);
    if (coding) response.set('Content-Encoding', coding);
    response.end(coding ? compressed[coding] : plain);
  };
}

async function load(read: ReadFile): Promise<LoadedFile> {
  const plain = Buffer.from(await read());
  const digest = hash('sha256', plain, 'base64url');
  const [br, gzip] = await Promise.all([compress(plain, 'br', 'often'), compress(plain, 'gzip', 'often')]);
  // A weak tag, because the compressed content has the same tag.
  return { plain, compressed: { br, gzip }, etag: `W/"${digest.slice(0, 27)}"` };
}
