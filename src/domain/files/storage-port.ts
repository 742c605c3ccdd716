import type { Readable } from 'node:stream';

/** Where a client sends the bytes of a small file with one request, if not to this service. */
export interface UploadTarget {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** The first and the last byte to read. */
export interface ByteRange {
  readonly start: number;
  readonly end: number;
}

/**
 * Keeps the bytes of files, by keys of the form `ENVIRONMENT/FILE/NAME`. No part of a key comes from a client. A key is
 * written once.
 */
export interface FileStorage {
  /** Where clients send the bytes of small files. Undefined: to this service, as those of large files: it calls `write`. */
  readonly signUpload:
    | ((
        key: string,
        facts: { readonly mimeType: string; readonly sizeBytes: number; readonly seconds: number },
      ) => Promise<UploadTarget>)
    | undefined;
  /** The origin that browsers upload to, if it is not this service. */
  readonly uploadOrigin: string | undefined;
  /** Stores the bytes of a stream in flat memory, and returns how many there were. */
  write(key: string, bytes: AsyncIterable<Uint8Array>): Promise<number>;
  /** Bytes of a key. Undefined: the storage does not have it. */
  sizeOf(key: string): Promise<number | undefined>;
  /** Makes one key of the parts, which a client can no longer change, and returns it: `key`, or the only part. */
  join(parts: readonly string[], key: string): Promise<string>;
  read(key: string, range?: ByteRange): Promise<Readable>;
  /** Deletes everything whose key starts with `prefix/`, except `keep`. That includes unfinished writes. */
  remove(prefix: string, keep?: string): Promise<void>;
}

/** Inspects the bytes of a file. @throws {FileRejection} if it does not accept them */
export type FileScan = (bytes: Readable) => Promise<void>;

/** A file that must not be used. The message is for people and says why. */
export class FileRejection extends Error {}
