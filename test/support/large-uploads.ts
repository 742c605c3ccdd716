import { createHash, randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { type ClientRequest, request } from 'node:http';
import { expect } from 'vitest';
import type { Client } from './client.ts';
import type { ServiceProcess } from './process.ts';
import { addressOf, startUpload } from './uploads.ts';

const MIB = 1024 * 1024;

/** A request that sends `bytes`, and then stops without an end. */
export function sendSome(service: Client, url: string, bytes: Uint8Array): ClientRequest {
  const sending = request(addressOf(service, url), { method: 'PUT', headers: { 'Content-Type': 'image/png' } });
  sending.on('error', () => undefined);
  sending.write(bytes);
  return sending;
}

/** Bytes of an upload that have arrived. */
export async function offsetOf(service: Client, url: string): Promise<number> {
  const { headers } = await fetch(addressOf(service, url), { method: 'HEAD' });
  return Number(headers.get('upload-offset'));
}

/** Uploads random bytes, which it makes while it sends them, and compares the hash. */
export async function uploadRandom(service: Client, mebibytes: number): Promise<string> {
  const size_bytes = mebibytes * MIB;
  const { body } = await startUpload(service, { mime_type: 'application/octet-stream', size_bytes });
  const hash = createHash('sha256');
  const sending = request(addressOf(service, body.upload.url), {
    method: 'PUT',
    headers: { 'Content-Length': size_bytes },
  });
  const answered = new Promise<number | undefined>((resolve, reject) => {
    sending.once('response', (response) => resolve(response.resume().statusCode)).once('error', reject);
  });
  for (let sent = 0; sent < mebibytes; sent += 1) {
    const bytes = randomBytes(MIB);
    hash.update(bytes);
    if (!sending.write(bytes)) await new Promise((resolve) => sending.once('drain', resolve));
  }
  sending.end();
  expect(await answered).toBe(204);
  const { body: file } = await service.send('GET', `/v1/files/${body.upload.id}`);
  expect(file.sha256).toBe(hash.digest('hex'));
  return file.sha256;
}

/** The memory of a process: now, or the peak. */
export function megabytesOf({ child }: ServiceProcess, field: 'VmHWM' | 'VmRSS'): number {
  const text = readFileSync(`/proc/${child.pid}/status`, 'utf8');
  return Number(new RegExp(`${field}:\\s+(\\d+)`).exec(text)?.[1] ?? 0) / 1024;
}
