import { hash } from 'node:crypto';
import type { RequestHandler } from 'express';
import { type Coding, codingOf, compress } from '../http/compression.ts';
import { isNotModified } from '../http/conditional.ts';
import { countTraffic } from './address-traffic.ts';

/** A file, with the codings that the build has compressed. */
export interface BuiltFile extends Partial<Readonly<Record<Coding, Buffer>>> {
  readonly plain: Buffer;
}

type Content = string | Buffer | BuiltFile;

/** Reads a file's content. Called once, for the first request. */
export type ReadFile = () => Content | Promise<Content>;

interface LoadedFile {
  readonly plain: Buffer;
  readonly compressed: Readonly<Record<Coding, Buffer>>;
  readonly tag: string;
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
    const { plain, compressed, tag } = await loaded;
    const coding = codingOf(request);
    const content = coding ? compressed[coding] : plain;
    const isKnown = isNotModified(request, tag);
    if (!isKnown) await countTraffic(request.ip ?? '', content.length);
    // A weak tag, because the compressed content has the same tag.
    response.set({ 'Content-Type': type, 'Cache-Control': caching, ETag: `W/${tag}` });
    response.vary('Accept-Encoding');
    if (isKnown) {
      response.status(304).end();
      return;
    }
    if (coding) response.set('Content-Encoding', coding);
    response.end(content);
  };
}

async function load(read: ReadFile): Promise<LoadedFile> {
  const content = await read();
  const isPlain = typeof content === 'string' || Buffer.isBuffer(content);
  const { plain, ...built }: BuiltFile = isPlain ? { plain: Buffer.from(content) } : content;
  const digest = hash('sha256', plain, 'base64url');
  const coded = (coding: Coding) => built[coding] ?? compress(plain, coding, 'often');
  const [br, gzip] = await Promise.all([coded('br'), coded('gzip')]);
  return { plain, compressed: { br, gzip }, tag: `"${digest.slice(0, 27)}"` };
}
