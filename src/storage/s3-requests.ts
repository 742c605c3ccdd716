import { AwsClient } from 'aws4fetch';
import { MissingBytesError, StorageFullError } from '../domain/files/storage-port.ts';

export interface S3Settings {
  /** The base URL of the storage, without the bucket. */
  readonly endpoint: string;
  readonly bucket: string;
  readonly region: string;
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
}

const TIME_LIMIT_MS = 60_000;

/** After a response of 5xx or 429. */
const RETRIES = 3;

const INSUFFICIENT_STORAGE = 507;

/**
 * The error codes of a storage or bucket that is full. Amazon S3 does not fill up. MinIO: XMinioStorageFull and
 * XMinioAdminBucketQuotaExceeded. Ceph: QuotaExceeded. Others: ServiceQuotaExceeded, InsufficientStorage.
 */
const FULL = /<Code>\w*(QuotaExceeded|StorageFull|InsufficientStorage|InsufficientCapacity)\w*<\/Code>/;

function failure(status: number, text: string): Error {
  if (status === INSUFFICIENT_STORAGE || FULL.test(text)) return new StorageFullError();
  return new Error(`the file storage responded with ${status === 200 ? 'an error after ' : ''}status ${status}`);
}

/** The error of a response with 404. Without its bucket, nothing is known about a key. */
export function missing(text: string): Error {
  return text.includes('<Code>NoSuchBucket</Code>') ? failure(404, text) : new MissingBytesError();
}

/** Signed requests to one bucket. */
export class S3Requests {
  readonly client: AwsClient;
  readonly base: string;

  constructor({ endpoint, bucket, region, accessKeyId, secretAccessKey }: S3Settings) {
    this.client = new AwsClient({ accessKeyId, secretAccessKey, region, service: 's3', retries: RETRIES });
    this.base = `${endpoint.replace(/\/$/, '')}/${bucket}`;
  }

  urlOf(key: string): string {
    return `${this.base}/${key}`;
  }

  /** The caller decides whether 404 is an error. @throws {Error} for every other status of a failure; StorageFullError */
  async send(url: string, init: RequestInit = {}, limitMs = TIME_LIMIT_MS): Promise<Response> {
    const signal = AbortSignal.timeout(limitMs);
    const response = await this.client.fetch(url, { ...init, signal, redirect: 'error' });
    if (response.ok || response.status === 404) return response;
    throw failure(response.status, await response.text());
  }

  /** Sends a request whose key must exist, and returns the text of its response. */
  async change(url: string, init: RequestInit, limitMs?: number): Promise<{ text: string; headers: Headers }> {
    const response = await this.send(url, init, limitMs);
    const text = await response.text();
    if (response.status === 404) throw missing(text);
    // A copy, or the end of a multipart upload, can fail after the storage has sent status 200.
    if (text.includes('<Error')) throw failure(response.status, text);
    return { text, headers: response.headers };
  }

  /** Deletes what a URL names, if it exists. */
  async delete(url: string): Promise<void> {
    await (await this.send(url, { method: 'DELETE' })).body?.cancel();
  }
}
