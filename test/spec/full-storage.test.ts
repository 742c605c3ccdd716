import { randomBytes } from 'node:crypto';
import { readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { createClient } from '../../src/sdk/index.ts';
import { defaultReserve } from '../../src/storage/free-space.ts';
import { expectError } from '../support/error-bodies.ts';
import { S3_KEYS, type S3Server, startS3Server } from '../support/s3-server.ts';
import { DEMO_CHAT_ID, startService, type TestService } from '../support/service.ts';
import { smallDisk } from '../support/small-disk.ts';
import { PNG, sendBytes, startUpload, uploadFile } from '../support/uploads.ts';

const MIB = 1024 * 1024;
const GIB = 1024 * MIB;
const newFile = (mebibytes: number) => Buffer.concat([PNG, randomBytes(mebibytes * MIB - PNG.length)]);

async function responseOf(response: Response) {
  return { status: response.status, headers: response.headers, body: await response.json() };
}

const disk = smallDisk(8);
afterAll(() => disk?.remove());

const storedBytes = async () =>
  (await readdir(disk?.path ?? '', { recursive: true, withFileTypes: true })).filter(
    (entry) => entry.isFile() && entry.name !== 'ballast',
  ).length;

/** Another program uses space. */
const fill = (mebibytes: number) => writeFile(join(disk?.path ?? '', 'ballast'), newFile(mebibytes));
const empty = () => rm(join(disk?.path ?? '', 'ballast'), { force: true });

const CREATE = `mutation { createUpload(input: { name: "a", mimeType: "text/plain", sizeBytes: 1000 }) { __typename } }`;

// Mounting a small file system needs root.
describe.skipIf(!disk)('a directory whose file system is almost full', () => {
  let service: TestService;
  beforeAll(async () => {
    service = await startService({ files: { kind: 'directory', path: disk?.path ?? '', minFreeBytes: 2 * MIB } });
  });
  afterAll(() => service.close());
  afterEach(empty);

  it('refuses uploads with 507 on each transport, while turns go on', async () => {
    await uploadFile(service, { bytes: newFile(1) });
    const before = await storedBytes();
    const { body: announced } = await startUpload(service, { bytes: newFile(1) });
    expectError(await startUpload(service, { size_bytes: 6 * MIB }), 'insufficient_storage');
    await fill(6);
    expectError(await startUpload(service), 'insufficient_storage', {
      message: /file storage of this service is full/,
    });
    const { body } = await service.graphql(CREATE);
    expect(body.errors[0].extensions).toMatchObject({ code: 'INSUFFICIENT_STORAGE', status: 507 });
    const sent = await responseOf(await sendBytes(service, announced, newFile(1)));
    expectError(sent, 'insufficient_storage');
    expect(await storedBytes()).toBe(before);
    const turn = await service.send('POST', `/v1/runner/${DEMO_CHAT_ID}/conversation`, {
      body: { content: [{ type: 'text', text: 'Hello' }] },
    });
    expect(turn.status).toBe(200);
    await empty();
    expect((await sendBytes(service, announced, newFile(1))).status).toBe(204);
  });

  it('shows its space in /readyz and in the metrics, and stays ready', async () => {
    const ready = () => service.send('GET', '/readyz', { key: null });
    expect((await ready()).body.files).toEqual({
      accepts_uploads: true,
      free_bytes: expect.any(Number),
      reserved_bytes: 2 * MIB,
    });
    await fill(6);
    expect(await ready()).toMatchObject({ status: 200, body: { status: 'ready', files: { accepts_uploads: false } } });
    const { body } = await service.send('GET', '/metrics', { key: null });
    expect(body).toMatch(/^parley_files_reserved_bytes 2097152$/m);
    expect(Number(/^parley_files_free_bytes (\d+)$/m.exec(body)?.[1])).toBeLessThan(2 * MIB);
  });

  it('is not filled by an upload that began with enough space', async () => {
    const large = await startService({
      files: { kind: 'directory', path: join(disk?.path ?? '', 'own'), minFreeBytes: 0 },
    });
    const { body } = await startUpload(large, { bytes: newFile(5) });
    const before = await storedBytes();
    await fill(4);
    const full = await responseOf(await sendBytes(large, body, newFile(5)));
    expectError(full, 'insufficient_storage');
    expect(await storedBytes()).toBe(before);
    await empty();
    // The parts of a file are joined in a copy, which needs space too.
    const bytes = newFile(5);
    expect((await sendBytes(large, body, bytes.subarray(0, MIB))).status).toBe(204);
    const rest = await responseOf(await sendBytes(large, body, bytes.subarray(MIB), { 'Upload-Offset': String(MIB) }));
    expectError(rest, 'insufficient_storage');
    expect(await storedBytes()).toBe(before + 2);
    const completed = await large.send('POST', `/v1/uploads/${body.upload.id}/complete`, { body: {} });
    expectError(completed, 'insufficient_storage');
    expect(await storedBytes()).toBe(before + 2);
    await large.close();
  });
});

describe('the default reserve', () => {
  it('is the greater of 1 GiB and 5 %, and at most 10 % of a small file system', () => {
    expect([2, 10, 15, 100].map((gib) => defaultReserve(gib * GIB) / GIB)).toEqual([
      expect.closeTo(0.2),
      1,
      1,
      expect.closeTo(5),
    ]);
  });
});

describe('a bucket that is full', () => {
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

  it.each(['QuotaExceeded', 'XMinioStorageFull', 'XMinioAdminBucketQuotaExceeded', ''])(
    'refuses uploads with 507, and keeps no part (%s)',
    async (code) => {
      const bytes = newFile(17);
      const { body } = await startUpload(service, { bytes });
      s3.full.set('PUT uploadId&partNumber', code);
      const sent = await responseOf(await sendBytes(service, body, bytes));
      expectError(sent, 'insufficient_storage');
      expect([s3.uploads.size, [...s3.objects.keys()].filter((key) => key.includes(body.upload.id))]).toEqual([0, []]);
      s3.full.clear();
      expect((await sendBytes(service, body, bytes)).status).toBe(204);
    },
  );

  it('keeps no part of an upload that starts again', async () => {
    const bytes = newFile(17);
    const { body } = await startUpload(service, { bytes });
    const keys = () => [...s3.objects.keys()].filter((key) => key.includes(body.upload.id)).length;
    for (let attempt = 0; attempt < 3; attempt += 1) {
      expect((await sendBytes(service, body, bytes.subarray(1))).status).toBe(204);
      expect([keys(), s3.uploads.size]).toEqual([1, 0]);
    }
  });

  it('is not asked again by the SDK', async () => {
    const client = createClient({ baseUrl: service.url, deploymentId: DEMO_CHAT_ID, apiKey: service.keys.live });
    s3.full.set('PUT ', 'QuotaExceeded').set('PUT uploadId&partNumber', 'QuotaExceeded');
    s3.requests.length = 0;
    const upload = client.files.upload(new Blob([newFile(17)], { type: 'image/png' }), {});
    await expect(upload).rejects.toMatchObject({ code: 'insufficient_storage', status: 507 });
    expect(s3.requests.filter((form) => form.startsWith('PUT')).length).toBe(1);
    s3.full.clear();
  });
});
