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

/** The space of the file system that holds the files. */
export interface StorageSpace {
  readonly freeBytes: number;
  readonly totalBytes: number;
  /** Uploads leave this much free, for everything else that needs the file system. */
  readonly reservedBytes: number;
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
  /** The free space. Undefined: the storage does not say. */
  space(): Promise<StorageSpace | undefined>;
  /**
   * Stores the bytes of a stream in flat memory, and returns how many there were. After an error the key does not exist.
   * @throws {StorageFullError}
   */
  write(key: string, bytes: AsyncIterable<Uint8Array>): Promise<number>;
  /** Bytes of a key. Undefined: the storage does not have it. */
  sizeOf(key: string): Promise<number | undefined>;
  /**
   * Makes one key of the parts, which a client can no longer change, and returns it: `key`, or the only part.
   * @throws {StorageFullError}
   * @throws {MissingBytesError}
   */
  join(parts: readonly string[], key: string): Promise<string>;
  /** @throws {MissingBytesError} */
  read(key: string, range?: ByteRange): Promise<Readable>;
  /** All keys of this form, in any order and without those that are only begun. */
  list(): AsyncGenerator<string, undefined>;
  /** Deletes everything whose key starts with `prefix/`, except `keep`. That includes unfinished writes. */
  remove(prefix: string, keep?: string): Promise<void>;
  /** Deletes keys of one file, if they exist, and their unfinished writes. */
  removeKeys(keys: readonly string[]): Promise<void>;
}

/** The storage has no space for more bytes. */
export class StorageFullError extends Error {
  constructor(options?: ErrorOptions) {
    super('the file storage is full', options);
  }
}

/** The storage does not have the bytes of a key. */
export class MissingBytesError extends Error {
  constructor(options?: ErrorOptions) {
    super('the file storage does not have the bytes', options);
  }
}

/** Inspects the bytes of a file. @throws {FileRejection} if it does not accept them */
export type FileScan = (bytes: Readable) => Promise<void>;

/** A file that must not be used. The message is for people and says why. */
export class FileRejection extends Error {}
