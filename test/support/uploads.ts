import { createHash, randomBytes } from 'node:crypto';
import type { Client, SendOptions } from './client.ts';

/** The first bytes of a PNG file. */
export const PNG = Buffer.from('89504e470d0a1a0a0000000d494844520000000100000001080600000000000000', 'hex');

export const sha256Of = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex');

/** A PNG that no other test has. */
export const newPicture = () => Buffer.concat([PNG, randomBytes(32)]);

export interface NewFile {
  readonly bytes?: Uint8Array;
  readonly name?: string;
  readonly mime_type?: string;
  readonly [field: string]: unknown;
}

/** Starts an upload. */
export function startUpload(client: Client, { bytes = PNG, ...fields }: NewFile = {}, options: SendOptions = {}) {
  const body = { name: 'photo.png', mime_type: 'image/png', size_bytes: bytes.byteLength, ...fields };
  return client.send('POST', '/v1/uploads', { body, ...options });
}

interface StartedUpload {
  readonly upload: { readonly id: string; readonly url: string; readonly headers: Record<string, string> };
}

/** The address of a signed URL at the test's port. */
export function addressOf(client: Client, url: string): string {
  const { pathname, search } = new URL(url);
  return `${client.url}${pathname}${search}`;
}

/** Sends bytes to the URL of an upload. */
export function sendBytes(
  client: Client,
  { upload }: StartedUpload,
  bytes: Uint8Array,
  headers: Record<string, string> = {},
): Promise<Response> {
  const body = new Uint8Array(bytes);
  return fetch(addressOf(client, upload.url), { method: 'PUT', body, headers: { ...upload.headers, ...headers } });
}

export interface TestFile {
  readonly id: string;
  readonly uri: string;
  /** The URI as a part of a message. */
  readonly part: { readonly type: 'url'; readonly mime_type: string; readonly file_uri: string };
}

/** Uploads a file completely. */
export async function uploadFile(client: Client, file: NewFile = {}, options: SendOptions = {}): Promise<TestFile> {
  const { status, body } = await startUpload(client, file, options);
  if (status !== 201) throw new Error(`the upload was refused: ${JSON.stringify(body)}`);
  const sent = await sendBytes(client, body, file.bytes ?? PNG);
  if (sent.status !== 204) throw new Error(`the bytes were refused: ${await sent.text()}`);
  const uri: string = body.file_uri;
  return { id: body.upload.id, uri, part: { type: 'url', mime_type: file.mime_type ?? 'image/png', file_uri: uri } };
}
