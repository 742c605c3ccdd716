import type { Request, Response } from 'express';
import { ServiceError } from '../contract/errors.ts';
import { LIMITS } from '../contract/limits.ts';
import { addressKey } from '../domain/access/rate-limits.ts';
import type { Services } from '../domain/context.ts';
import { finishUpload } from '../domain/files/check.ts';
import { type FileRow, isDirect } from '../domain/files/file.ts';
import { findUpload, receiveBytes, wrongOffset } from '../domain/files/receive.ts';
import type { SignedFile } from '../domain/files/signed-url.ts';
import { requestBody } from '../http/body/receive.ts';

const OFFSET = /^\d{1,10}$/;

/** The requests that send bytes of files to this process. */
export class UploadRequests {
  readonly #services: Services;
  /** The files whose bytes are arriving. */
  readonly #files = new Set<string>();
  readonly #perAddress = new Map<string, number>();

  constructor(services: Services) {
    this.#services = services;
  }

  /** Tells where an upload continues. */
  async report(file: SignedFile, response: Response): Promise<void> {
    const row = await findUpload(this.#services, file);
    setOffset(response, row.status === 'ready' ? row.sizeBytes : row.receivedBytes, row.sizeBytes);
    response.status(200).end();
  }

  async receive(file: SignedFile, request: Request, response: Response): Promise<void> {
    try {
      await this.#receive(file, request, response);
    } catch (error) {
      // The rest of the body is not read.
      response.setHeader('Connection', 'close');
      throw error;
    }
  }

  async #receive(file: SignedFile, request: Request, response: Response): Promise<void> {
    if (request.headers['content-encoding'] !== undefined) {
      throw new ServiceError('unsupported_media_type', 'Send the bytes of the file without Content-Encoding.');
    }
    const row = await findUpload(this.#services, file);
    if (isDirect(this.#services, row))
      throw new ServiceError('not_found', 'This upload goes to the URL of its storage.');
    const isComplete = row.status !== 'uploading' || row.receivedBytes === row.sizeBytes;
    if (isComplete) {
      // A repeated request changes nothing. Its bytes are read and dropped, because some clients never read an early response.
      await finishUpload(this.#services, row);
      await this.#inSlot(row, request, () => drop(request, row.sizeBytes));
      return this.#respond(response, row.sizeBytes, row.sizeBytes);
    }
    const offset = offsetOf(request);
    if (offset !== 0 && offset !== row.receivedBytes) {
      setOffset(response, row.receivedBytes, row.sizeBytes);
      throw wrongOffset(row.receivedBytes);
    }
    const state = await this.#inSlot(row, request, () =>
      receiveBytes(this.#services, row, {
        offset,
        length: lengthOf(request),
        sender: addressKey(request.ip ?? ''),
        bytes: timed(request),
      }),
    );
    this.#respond(response, state.offset, row.sizeBytes);
  }

  #respond(response: Response, offset: number, size: number): void {
    setOffset(response, offset, size);
    response.status(204).end();
  }

  /** Limits the requests of a file to one, and those of an address. @throws {ServiceError} */
  async #inSlot<T>({ id, shareKey }: FileRow, request: Request, work: () => Promise<T>): Promise<T> {
    if (this.#files.has(id)) {
      throw new ServiceError('request_in_progress', 'Another request sends bytes of this upload. Wait until it ends.');
    }
    if (this.#services.stores.storage.signUpload && this.#files.size >= LIMITS.bucketUploadsAtOnce)
      throw tooMany(LIMITS.bucketUploadsAtOnce);
    const address = addressKey(request.ip ?? '');
    const count = this.#perAddress.get(address) ?? 0;
    const most =
      this.#services.stores.storage.signUpload && shareKey ? LIMITS.bucketUploadsOfStranger : LIMITS.uploadsAtOnce;
    if (count >= most) throw tooMany(most);
    this.#files.add(id);
    this.#perAddress.set(address, count + 1);
    try {
      return await work();
    } finally {
      this.#files.delete(id);
      const left = (this.#perAddress.get(address) ?? 1) - 1;
      if (left > 0) this.#perAddress.set(address, left);
      else this.#perAddress.delete(address);
    }
  }
}

function tooMany(most: number): ServiceError {
  const message = `The maximum of ${most} uploads at the same time is reached. Wait until one ends.`;
  return new ServiceError('rate_limited', message, { retryAfterMs: 1_000 });
}

function setOffset(response: Response, offset: number, size: number): void {
  response.set({ 'Upload-Offset': String(offset), 'Upload-Length': String(size), 'Cache-Control': 'no-store' });
}

/** @throws {ServiceError} invalid_request */
function offsetOf(request: Request): number {
  const text = request.get('upload-offset') ?? '0';
  if (OFFSET.test(text)) return Number(text);
  throw new ServiceError('invalid_request', 'Upload-Offset must be a number of bytes.');
}

function lengthOf({ headers }: Request): number | undefined {
  const length = headers['content-length'];
  return length === undefined ? undefined : Number(length);
}

/** The bytes of a request. They end with an error if the client is too slow, or takes too long. */
async function* timed(request: Request): AsyncGenerator<Uint8Array> {
  requestBody(request);
  const end = () => request.destroy(new Error('the upload is too slow'));
  const total = setTimeout(end, LIMITS.uploadSeconds * 1_000);
  const startIdle = () => setTimeout(end, LIMITS.uploadIdleSeconds * 1_000);
  let idle = startIdle();
  try {
    for await (const chunk of request as AsyncIterable<Buffer>) {
      // While the storage writes, the client has to wait.
      clearTimeout(idle);
      yield chunk;
      idle = startIdle();
    }
  } finally {
    clearTimeout(total);
    clearTimeout(idle);
  }
}

async function drop(request: Request, most: number): Promise<void> {
  let size = 0;
  for await (const chunk of timed(request)) {
    size += chunk.byteLength;
    if (size > most) return;
  }
}
