import { Readable } from 'node:stream';
import type { ReadableStream } from 'node:stream/web';
import type { ByteRange, FileStorage } from '../domain/files/storage-port.ts';
import { missing, S3Requests, type S3Settings } from './s3-requests.ts';
import { abortUploads, writeObject } from './s3-write.ts';

/** The keys that this service writes. No other key is deleted. */
const LISTED_KEY = /<Key>([0-9a-z/_-]+)<\/Key>/g;

/** `ENVIRONMENT/FILE/NAME` */
const KEY_NAMES = 3;

const DELETIONS_AT_ONCE = 16;

/** Reading 1 GiB can take long. */
const READ_LIMIT_MS = 600_000;

/**
 * Keeps files in a bucket of an S3-compatible storage. Clients send small files there, with a signed URL. Large files
 * arrive in several requests to this service, each of which becomes an object of its own.
 */
export function s3Storage(settings: S3Settings): FileStorage {
  const s3 = new S3Requests(settings);
  const { bucket } = settings;

  async function read(key: string, range?: ByteRange): Promise<Readable> {
    const headers: Record<string, string> = range ? { Range: `bytes=${range.start}-${range.end}` } : {};
    const response = await s3.send(s3.urlOf(key), { headers }, READ_LIMIT_MS);
    if (response.status === 404 || !response.body) throw missing(await response.text());
    return Readable.fromWeb(response.body as ReadableStream);
  }

  async function* allOf(parts: readonly string[]): AsyncGenerator<Uint8Array> {
    for (const part of parts) yield* await read(part);
  }

  async function* list(): AsyncGenerator<string, undefined> {
    for (let next = ''; ; ) {
      const { text } = await s3.change(`${s3.base}?list-type=2${next}`, {});
      for (const [, key = ''] of text.matchAll(LISTED_KEY)) if (key.split('/').length === KEY_NAMES) yield key;
      const [, token] = /<NextContinuationToken>([^<&]+)<\/NextContinuationToken>/.exec(text) ?? [];
      if (token === undefined) return;
      next = `&continuation-token=${encodeURIComponent(token)}`;
    }
  }

  return {
    list,
    uploadOrigin: new URL(settings.endpoint).origin,
    async signUpload(key, { mimeType, sizeBytes, seconds }) {
      const url = new URL(s3.urlOf(key));
      url.searchParams.set('X-Amz-Expires', String(seconds));
      // The type and the length are signed: the storage takes nothing longer, and no other type.
      const headers = { 'Content-Type': mimeType, 'Content-Length': String(sizeBytes) };
      const signed = await s3.client.sign(url.href, {
        method: 'PUT',
        headers,
        aws: { signQuery: true, allHeaders: true },
      });
      return { url: signed.url, headers: { 'Content-Type': mimeType } };
    },
    space: async () => undefined,
    write: (key, bytes) => writeObject(s3, key, bytes),
    async sizeOf(key) {
      const response = await s3.send(s3.urlOf(key), { method: 'HEAD' });
      return response.status === 404 ? undefined : Number(response.headers.get('content-length'));
    },
    async join(parts, key) {
      const [only = ''] = parts;
      // The storage copies parts only from 5 MiB on, and clients send shorter ones too.
      if (parts.length > 1) await writeObject(s3, key, allOf(parts));
      else {
        const headers = { 'x-amz-copy-source': `/${bucket}/${only}` };
        await s3.change(s3.urlOf(key), { method: 'PUT', headers }, READ_LIMIT_MS);
      }
      return key;
    },
    read,
    async remove(prefix, keep) {
      for (let isMore = true; isMore; ) {
        const { text } = await s3.change(`${s3.base}?list-type=2&prefix=${encodeURIComponent(`${prefix}/`)}`, {});
        const keys = [...text.matchAll(LISTED_KEY)].map(([, key = '']) => key);
        const deleted = keys.filter((key) => key !== keep && key.startsWith(`${prefix}/`));
        for (const key of deleted) await s3.delete(s3.urlOf(key));
        // A list has at most 1,000 keys. The next one has those that are left.
        isMore = deleted.length > 0 && text.includes('<IsTruncated>true</IsTruncated>');
      }
      await abortUploads(s3, `${prefix}/`);
    },
    async removeKeys(keys) {
      for (let at = 0; at < keys.length; at += DELETIONS_AT_ONCE) {
        await Promise.all(keys.slice(at, at + DELETIONS_AT_ONCE).map((key) => s3.delete(s3.urlOf(key))));
      }
      const [first] = keys;
      if (first !== undefined) await abortUploads(s3, first.replace(/[^/]+$/, ''), (key) => keys.includes(key));
    },
  };
}
