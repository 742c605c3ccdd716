import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { LIMITS } from '../../src/contract/limits.ts';
import { sweepFiles } from '../../src/domain/files/sweeper.ts';
import { createClient } from '../../src/sdk/index.ts';
import { expectError } from '../support/error-bodies.ts';
import { offsetOf, sendSome } from '../support/large-uploads.ts';
import { S3_KEYS, type S3Server, startS3Server } from '../support/s3-server.ts';
import { DEMO_CHAT_ID, startService, type TestService } from '../support/service.ts';
import { until } from '../support/until.ts';
import { addressOf, PNG, sendBytes, sha256Of, startUpload } from '../support/uploads.ts';

const MIB = 1024 * 1024;

let s3: S3Server;
let service: TestService;
beforeAll(async () => {
  s3 = await startS3Server();
  service = await startService({ files: { kind: 's3', endpoint: s3.url, bucket: s3.bucket, ...S3_KEYS } });
});
afterAll(async () => {
  await service.close();
  await s3.close();
});
beforeEach(() => {
  s3.requests.length = 0;
  s3.broken.clear();
});

const newFile = (mebibytes: number) => Buffer.concat([PNG, randomBytes(mebibytes * MIB - PNG.length)]);

const complete = (id: string) => service.send('POST', `/v1/uploads/${id}/complete`, { body: {} });

const keysOf = (id: string) => [...s3.objects.keys()].filter((key) => key.includes(id));

async function contentOf(id: string): Promise<Buffer> {
  const { body } = await service.send('GET', `/v1/files/${id}`);
  return Buffer.from(await (await fetch(addressOf(service, body.url))).arrayBuffer());
}

describe('large files in an S3-compatible storage', () => {
  it('continue after a broken connection, and have the announced SHA-256', async () => {
    const bytes = newFile(20);
    const { body } = await startUpload(service, { bytes, sha256: sha256Of(bytes) });
    const { id, url } = body.upload;
    expect(body.upload).toMatchObject({
      resumable: true,
      url: expect.stringContaining(`/v1/uploads/${id}?signature=`),
    });
    const sending = sendSome(service, url, bytes.subarray(0, 18 * MIB));
    await until(async () => [...s3.uploads.values()].some(({ parts }) => parts.size === 2));
    sending.destroy();
    await until(async () => (await offsetOf(service, url)) > 0);
    const offset = await offsetOf(service, url);
    expect(offset).toBeGreaterThanOrEqual(16 * MIB);
    expectError(await complete(id), 'invalid_request', { param: 'file_id', message: new RegExp(`${offset} of`) });
    const rest = await sendBytes(service, body, bytes.subarray(offset), { 'Upload-Offset': String(offset) });
    expect([rest.status, rest.headers.get('upload-offset')]).toEqual([204, String(bytes.length)]);
    expect((await contentOf(id)).equals(bytes)).toBe(true);
    expect((await complete(id)).body.sha256).toBe(sha256Of(bytes));
    expect([keysOf(id).length, s3.uploads.size, s3.refusals]).toEqual([1, 0, []]);
  });

  it('take requests of any length, and are sent by the SDK in many of them', async () => {
    const client = createClient({ baseUrl: service.url, deploymentId: DEMO_CHAT_ID, apiKey: service.keys.live });
    const bytes = newFile(17);
    const progress: number[] = [];
    const file = await client.files.upload(new Blob([bytes], { type: 'image/png' }), {
      onProgress: ({ sentBytes }) => progress.push(sentBytes),
    });
    expect(progress.length).toBe(18);
    expect(file.sha256).toBe(sha256Of(bytes));
    expect((await contentOf(file.id)).equals(bytes)).toBe(true);
    expect([keysOf(file.id).length, s3.uploads.size]).toEqual([1, 0]);
  });

  it('must have the announced size and an offset that fits', async () => {
    const bytes = newFile(17);
    const { body } = await startUpload(service, { bytes });
    expect((await sendBytes(service, body, bytes.subarray(0, MIB))).status).toBe(204);
    const wrong = await sendBytes(service, body, bytes.subarray(2 * MIB), { 'Upload-Offset': String(2 * MIB) });
    expect([wrong.status, wrong.headers.get('upload-offset')]).toEqual([412, String(MIB)]);
    const long = await sendBytes(service, body, bytes, { 'Upload-Offset': String(MIB) });
    expect(long.status).toBe(413);
    expect(await offsetOf(service, body.upload.url)).toBe(MIB);
  });

  it('are sent to the service only above the limit of one request', async () => {
    const most = LIMITS.directUploadBytes;
    const small = (await startUpload(service, { size_bytes: most })).body.upload;
    const large = (await startUpload(service, { size_bytes: most + 1 })).body.upload;
    expect([small.resumable, large.resumable]).toEqual([false, true]);
    const signature = new URL(large.url).search;
    const other = await fetch(`${service.url}/v1/uploads/${small.id}${signature}`, { method: 'PUT', body: PNG });
    expect(other.status).toBe(403);
  });

  it('are aborted in the bucket if the storage fails', async () => {
    const bytes = newFile(20);
    const { body } = await startUpload(service, { bytes });
    s3.broken.add('POST uploadId');
    expect((await sendBytes(service, body, bytes)).status).toBe(500);
    expect(s3.requests).toContain('DELETE uploadId');
    expect([s3.uploads.size, await offsetOf(service, body.upload.url)]).toEqual([0, 0]);
    s3.broken.clear();
    expect((await sendBytes(service, body, bytes)).status).toBe(204);
    expect((await contentOf(body.upload.id)).equals(bytes)).toBe(true);
  });

  it('are not stored if the storage refuses the parts after it has sent status 200', async () => {
    const bytes = newFile(20);
    const { body } = await startUpload(service, { bytes });
    const sending = sendSome(service, body.upload.url, bytes.subarray(0, 18 * MIB));
    const upload = await until(async () => [...s3.uploads.values()].find(({ parts }) => parts.size === 2));
    upload.parts.set(1, Buffer.from('other bytes'));
    const responded = new Promise((resolve) => {
      sending.once('response', (response) => resolve(response.resume().statusCode));
    });
    sending.end(bytes.subarray(18 * MIB));
    expect(await responded).toBe(500);
    expect([s3.uploads.size, await offsetOf(service, body.upload.url)]).toEqual([0, 0]);
  });

  it('leave no parts in the bucket when an unfinished upload expires', async () => {
    const { body } = await startUpload(service, { bytes: newFile(20) });
    const { id } = body.upload;
    // Without the abort, the bucket looks like one whose process was killed.
    s3.broken.add('POST uploadId').add('DELETE uploadId');
    expect((await sendBytes(service, body, newFile(18))).status).toBe(500);
    s3.broken.clear();
    expect((await sendBytes(service, body, newFile(1))).status).toBe(204);
    expect([s3.uploads.size, keysOf(id).length]).toEqual([1, 1]);
    const { prisma } = service.service.services.stores;
    await prisma.$executeRaw`UPDATE file SET expires_at = now() WHERE id = ${id}`;
    await sweepFiles(service.service.services);
    // A request may still write. The removal waits for it.
    expect(s3.uploads.size).toBe(1);
    await prisma.$executeRaw`UPDATE file_removal SET remove_after = now() WHERE prefix LIKE ${`%/${id}`}`;
    await sweepFiles(service.service.services);
    expect([s3.uploads.size, keysOf(id)]).toEqual([0, []]);
    expect(s3.refusals).toEqual([]);
  });

  it('are refused while the process receives as many as it has memory for', async () => {
    const most = LIMITS.bucketUploadsAtOnce;
    const started = await Promise.all(
      Array.from({ length: most + 1 }, () => startUpload(service, { size_bytes: 17 * MIB })),
    );
    const held = started.map(({ body }) => sendSome(service, body.upload.url, PNG));
    const responses = held.map((sending) => new Promise((resolve) => sending.once('response', resolve)));
    // All others wait for their next bytes.
    expect(await Promise.race(responses)).toMatchObject({ statusCode: 429 });
    for (const sending of held) sending.destroy();
    await until(async () => (await sendBytes(service, started[0]?.body, PNG)).status === 204);
  });
});
