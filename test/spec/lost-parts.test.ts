import { randomBytes } from 'node:crypto';
import { mkdtemp, readdir, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { LIMITS } from '../../src/contract/limits.ts';
import { findUpload } from '../../src/domain/files/receive.ts';
import { sweepFiles } from '../../src/domain/files/sweeper.ts';
import { claimWrite } from '../../src/domain/files/write-claim.ts';
import { expectError } from '../support/error-bodies.ts';
import { offsetOf, sendSome } from '../support/large-uploads.ts';
import { startService, type TestService } from '../support/service.ts';
import { makeDeployment } from '../support/tenants.ts';
import { until } from '../support/until.ts';
import { addressOf, newPicture, PNG, sendBytes, startUpload } from '../support/uploads.ts';

const MIB = 1024 * 1024;

let directory: string;
let service: TestService;
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'parley-test-parts-'));
  service = await startService({ files: { kind: 'directory', path: directory } });
});
afterAll(async () => {
  await service.close();
  await rm(directory, { recursive: true });
});
beforeEach(async () => {
  await prisma().$executeRaw`DELETE FROM rate_limit`;
});

const services = () => service.service.services;
const prisma = () => services().stores.prisma;
const newFile = (mebibytes: number) => Buffer.concat([PNG, randomBytes(mebibytes * MIB - PNG.length)]);

/** The stored files of an upload, and their bytes together. */
async function storedFor(id: string): Promise<{ files: number; bytes: number }> {
  const { environmentId } = await prisma().storedFile.findFirstOrThrow({ where: { id } });
  const folder = join(directory, environmentId, id);
  const names = await readdir(folder).catch(() => []);
  const sizes = await Promise.all(
    names.map((name) =>
      stat(join(folder, name)).then(
        ({ size }) => size,
        () => 0,
      ),
    ),
  );
  return { files: names.length, bytes: sizes.reduce((sum, size) => sum + size, 0) };
}

const removals = (id: string) => prisma().fileRemoval.count({ where: { prefix: { contains: `${id}/` } } });

async function* chunksOf(bytes: Uint8Array) {
  yield bytes;
}

async function responseOf(response: Response) {
  return { status: response.status, headers: response.headers, body: await response.json() };
}

describe('the parts of an upload', () => {
  it('are deleted when it starts again, and it fails after a multiple of its size', async () => {
    const bytes = newFile(1);
    const { body } = await startUpload(service, { bytes });
    const { id } = body.upload;
    for (let attempt = 0; attempt < LIMITS.uploadSentTimes; attempt += 1) {
      expect((await sendBytes(service, body, bytes.subarray(1))).status).toBe(204);
      expect(await storedFor(id)).toEqual({ files: 1, bytes: MIB - 1 });
      expect(await removals(id)).toBe(0);
    }
    const last = await responseOf(await sendBytes(service, body, bytes));
    expectError(last, 'invalid_request', { message: /more than 4 times its size. Create another upload/ });
    expect(await storedFor(id)).toEqual({ files: 0, bytes: 0 });
    expectError(await responseOf(await sendBytes(service, body, bytes)), 'invalid_request');
    const completed = await service.send('POST', `/v1/uploads/${id}/complete`, { body: {} });
    expectError(completed, 'invalid_request', { param: 'file_id' });
  });

  it('are deleted if the body is too long, and if nothing arrives', async () => {
    const { body } = await startUpload(service, { bytes: newFile(1) });
    const { url, id } = body.upload;
    for (let attempt = 0; attempt < 3; attempt += 1) {
      const chunks = [newFile(1), Buffer.from('x')];
      const stream = new Blob(chunks).stream();
      const init = { method: 'PUT', body: stream, duplex: 'half', headers: body.upload.headers } as RequestInit;
      expectError(await responseOf(await fetch(addressOf(service, url), init)), 'payload_too_large');
      expect([await storedFor(id), await removals(id)]).toEqual([{ files: 0, bytes: 0 }, 0]);
    }
    expect((await sendBytes(service, body, PNG.subarray(0, 10))).status).toBe(204);
    const empty = await sendBytes(service, body, new Uint8Array());
    expect([empty.status, empty.headers.get('upload-offset')]).toEqual([204, '10']);
    expect([await storedFor(id), await removals(id)]).toEqual([{ files: 1, bytes: 10 }, 0]);
  });

  it('replace each other when clients disconnect, and only bytes that arrived are counted', async () => {
    const bytes = newFile(2);
    const { body } = await startUpload(service, { bytes });
    const { url, id } = body.upload;
    for (let attempt = 1; attempt <= 5; attempt += 1) {
      const sent = MIB + attempt;
      const before = (await storedFor(id)).bytes;
      const sending = sendSome(service, url, bytes.subarray(0, sent));
      await until(async () => (await storedFor(id)).bytes === before + sent);
      sending.destroy();
      await until(async () => (await offsetOf(service, url)) === sent);
      await until(async () => (await storedFor(id)).files === 1);
    }
    const { sentBytes } = await prisma().storedFile.findFirstOrThrow({ where: { id } });
    expect(Number(sentBytes)).toBe(5 * MIB + 15);
    const rest = await sendBytes(service, body, bytes.subarray(MIB + 5), { 'Upload-Offset': String(MIB + 5) });
    expect(rest.status).toBe(204);
    expect([await storedFor(id), await removals(id)]).toEqual([{ files: 1, bytes: 2 * MIB }, 0]);
  });

  it('are deleted if another request was faster', async () => {
    const bytes = newFile(2);
    const { body } = await startUpload(service, { bytes });
    const { url, id } = body.upload;
    const sending = sendSome(service, url, bytes.subarray(0, MIB));
    await until(async () => (await storedFor(id)).bytes >= MIB);
    // Another process receives other bytes meanwhile.
    await prisma().storedFile.updateMany({ where: { id }, data: { receivedBytes: 5, parts: ['part_other'] } });
    const responded = new Promise<number | undefined>((resolve) => {
      sending.once('response', (response) => resolve(response.resume().statusCode));
    });
    sending.end(bytes.subarray(MIB));
    expect(await responded).toBe(409);
    expect([await storedFor(id), await removals(id)]).toEqual([{ files: 0, bytes: 0 }, 0]);
  });

  it('are deleted by the sweeper if their process dies, and stay counted', async () => {
    const bytes = newFile(1);
    const { body } = await startUpload(service, { bytes });
    const { id } = body.upload;
    const row = await findUpload(services(), { id, environmentId: undefined });
    const claim = () => claimWrite(services(), row, { bytes: MIB, sender: '192.0.2.1' });
    for (let attempt = 0; attempt < LIMITS.uploadSentTimes; attempt += 1) {
      const { key } = (await claim()) ?? { key: '' };
      await services().stores.storage.write(key, chunksOf(bytes));
    }
    expect(await claim()).toBeUndefined();
    await sweepFiles(services());
    expect(await storedFor(id)).toEqual({ files: 4, bytes: 4 * MIB });
    await prisma().$executeRaw`UPDATE file_removal SET remove_after = now() WHERE prefix LIKE ${`%${id}/%`}`;
    await sweepFiles(services());
    expect([await storedFor(id), await removals(id)]).toEqual([{ files: 0, bytes: 0 }, 0]);
  });

  it('are not added after the sweeper has begun to delete them', async () => {
    const bytes = newFile(2);
    const { body } = await startUpload(service, { bytes });
    const { url, id } = body.upload;
    const sending = sendSome(service, url, bytes.subarray(0, MIB));
    await until(async () => (await storedFor(id)).bytes >= MIB);
    // As the sweeper takes a removal, before it deletes the bytes.
    await prisma().$executeRaw`
      UPDATE file_removal SET remove_after = now() + interval '10 minutes' WHERE prefix LIKE ${`%${id}/%`}`;
    const responded = new Promise<number | undefined>((resolve) => {
      sending.once('response', (response) => resolve(response.resume().statusCode));
    });
    sending.end(bytes.subarray(MIB));
    expect(await responded).toBe(409);
    expect(await offsetOf(service, url)).toBe(0);
  });
});

describe('the bytes of an address', () => {
  const anonymous = { key: null } as const;
  const used = (kind: string, kib: number) =>
    prisma().$executeRaw`UPDATE rate_limit SET points = ${kib} WHERE key LIKE ${`upload-bytes:${kind}:%`}`;

  it('are limited in an hour, separately for files of strangers', async () => {
    const open = await makeDeployment(service, {}, { authRequired: false });
    const start = async () =>
      (await startUpload(service, { bytes: newPicture(), deployment_id: open.id }, anonymous)).body;
    const first = await start();
    expect((await sendBytes(service, first, PNG.subarray(0, 5))).status).toBe(204);
    await used('strangers', LIMITS.strangerUploadMegabytesPerHour * 1024);
    const refused = await responseOf(await sendBytes(service, await start(), PNG));
    expectError(refused, 'rate_limited', { message: /2,048 MiB of uploads in an hour/ });
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(3_000);
    // The upload that was refused stays as it was.
    await used('strangers', 0);
    expect((await sendBytes(service, first, PNG.subarray(0, 5))).status).toBe(204);
    await used('strangers', LIMITS.strangerUploadMegabytesPerHour * 1024);
    const own = (await startUpload(service, { bytes: PNG })).body;
    expect((await sendBytes(service, own, PNG)).status).toBe(204);
    await prisma().$executeRaw`UPDATE rate_limit SET expire = 1 WHERE key LIKE 'upload-bytes:%'`;
    expect((await sendBytes(service, await start(), PNG)).status).toBe(204);
    await used('strangers', 7);
    await prisma().$executeRaw`UPDATE rate_limit SET expire = 1 WHERE key LIKE 'upload-bytes:%'`;
    await sweepFiles(services());
    expect(await used('strangers', 1)).toBe(0);
  });

  it('are counted under a keyed hash of the address', async () => {
    const { body } = await startUpload(service);
    await sendBytes(service, body, PNG);
    const rows = await prisma().$queryRaw<
      { key: string }[]
    >`SELECT key FROM rate_limit WHERE key LIKE 'upload-bytes:%'`;
    expect(rows.map(({ key }) => key)).toEqual([expect.stringMatching(/^upload-bytes:others:[\w-]{43}$/)]);
  });
});

describe('a check that cannot end', () => {
  it('leaves no copy of the file', async () => {
    const own = await mkdtemp(join(tmpdir(), 'parley-test-scan-'));
    const scanned = await startService({
      files: { kind: 'directory', path: own },
      scanCommand: ['/nothing/here'],
    });
    const bytes = newPicture();
    const { body } = await startUpload(scanned, { bytes });
    await sendBytes(scanned, body, bytes.subarray(0, 20));
    const last = await responseOf(await sendBytes(scanned, body, bytes.subarray(20), { 'Upload-Offset': '20' }));
    expectError(last, 'internal_error');
    for (let attempt = 0; attempt < 3; attempt += 1) {
      const completed = await scanned.send('POST', `/v1/uploads/${body.upload.id}/complete`, { body: {} });
      expectError(completed, 'internal_error');
    }
    const entries = await readdir(own, { recursive: true, withFileTypes: true });
    expect(entries.filter((entry) => entry.isFile()).length).toBe(2);
    expect(await scanned.service.services.stores.prisma.fileRemoval.count()).toBe(0);
    await scanned.close();
    await rm(own, { recursive: true });
  });
});
