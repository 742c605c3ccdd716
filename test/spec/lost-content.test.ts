import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Services } from '../../src/domain/context.ts';
import { verifyFiles } from '../../src/domain/files/verify.ts';
import { expectError } from '../support/error-bodies.ts';
import { type ProviderService, startProviderService } from '../support/provider-service.ts';
import { S3_KEYS, type S3Server, startS3Server } from '../support/s3-server.ts';
import { startService, type TestService } from '../support/service.ts';
import { addressOf, newPicture, sendBytes, startUpload, type TestFile, uploadFile } from '../support/uploads.ts';

let directory: string;
let provided: ProviderService;
let service: TestService;
let services: Services;
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'parley-test-lost-'));
  provided = await startProviderService({ files: { kind: 'directory', path: directory } });
  service = provided.service;
  ({ services } = service.service);
});
afterAll(async () => {
  await provided.close();
  await rm(directory, { recursive: true });
});

const contentOf = async (id: string) => {
  const { content } = await services.stores.prisma.storedFile.findFirstOrThrow({
    where: { id },
    include: { content: true },
  });
  if (!content) throw new Error('the file is not complete');
  return content;
};
const pathOf = async (id: string) => join(directory, (await contentOf(id)).storageKey);
const read = (id: string) => service.send('GET', `/v1/files/${id}`);

const signedUrlOf = async ({ id }: TestFile) => addressOf(service, (await read(id)).body.url);

async function bodyOf(url: string, init?: RequestInit) {
  const response = await fetch(url, init);
  return { status: response.status, headers: response.headers, body: await response.json().catch(() => undefined) };
}

const entriesOf = async (subjectId: string) => {
  const entries = await services.stores.prisma.auditEntry.findMany({ where: { subjectId }, orderBy: { id: 'asc' } });
  return entries.map(({ action, actorKind, details }) => ({ action, actorKind, details }));
};

const MISSING = { action: 'file.content_missing', actorKind: 'service' };
const RESTORED = { action: 'file.content_restored', actorKind: 'service' };

const FILE = 'query ($id: ID!) { file(id: $id) { name } }';

describe('a file whose bytes the storage has lost', () => {
  it('is 404 file_content_missing on each transport, and its owner gets one audit entry', async () => {
    const file = await uploadFile(service, { bytes: newPicture() });
    const url = await signedUrlOf(file);
    await rm(await pathOf(file.id));
    const lost = { message: /Upload the same bytes again/ };
    expectError(await bodyOf(url), 'file_content_missing', lost);
    expectError(await bodyOf(url, { headers: { Range: 'bytes=2-5' } }), 'file_content_missing', lost);
    expect((await fetch(url, { method: 'HEAD' })).status).toBe(404);
    expectError(await read(file.id), 'file_content_missing', { ...lost, param: 'file_id' });
    const { body } = await service.graphql(FILE, { id: file.id });
    expect(body.errors[0].extensions).toMatchObject({ code: 'FILE_CONTENT_MISSING', status: 404 });
    expect(await entriesOf(file.id)).toEqual([{ ...MISSING, details: { files: 1, fault: 'missing' } }]);
  });

  it('is readable again with its bytes, even if only some of them were lost', async () => {
    const file = await uploadFile(service, { bytes: newPicture() });
    const path = await pathOf(file.id);
    const bytes = await readFile(path);
    await writeFile(path, bytes.subarray(0, 10));
    expectError(await read(file.id), 'file_content_missing');
    await writeFile(path, bytes);
    expect((await read(file.id)).status).toBe(200);
    expect(await entriesOf(file.id)).toEqual([
      { ...MISSING, details: { files: 1, fault: 'wrong_size' } },
      { ...RESTORED, details: { files: 1 } },
    ]);
  });

  it('does not fail a turn: the model gets a note instead of the file', async () => {
    const { provider } = provided;
    const agent = await provided.agent({});
    provider.reply({ kind: 'answer', deltas: ['I see.'] });
    const file = await uploadFile(service, { bytes: newPicture() });
    await rm(await pathOf(file.id));
    const turn = await provided.turn(agent, { content: [file.part] });
    expect([turn.status, turn.body.content]).toEqual([200, 'I see.']);
    expect(JSON.stringify(provider.requests.at(-1)?.body)).toContain('the storage has lost its bytes');
    expect(await entriesOf(file.id)).toEqual([expect.objectContaining(MISSING)]);
  });

  it.each(['missing', 'wrong_size', 'wrong_hash'] as const)(
    'is healed by an upload of the same bytes, with all files that share them (%s)',
    async (fault) => {
      const bytes = newPicture();
      const [first, second] = [await uploadFile(service, { bytes }), await uploadFile(service, { bytes })];
      const path = await pathOf(first.id);
      if (fault === 'missing') await rm(path);
      else await writeFile(path, fault === 'wrong_size' ? bytes.subarray(1) : bytes.map((byte) => byte ^ 1));
      await verifyFiles(services, { repair: true, hash: true });
      expectError(await read(first.id), 'file_content_missing');
      const third = await uploadFile(service, { bytes });
      for (const file of [first, second, third]) {
        const response = await fetch(await signedUrlOf(file));
        expect(Buffer.from(await response.arrayBuffer())).toEqual(bytes);
      }
      expect((await contentOf(first.id)).id).toBe((await contentOf(third.id)).id);
      expect((await entriesOf(first.id)).map(({ action }) => action)).toEqual([MISSING.action, RESTORED.action]);
      // The damaged bytes are deleted, and a further upload uses the healthy ones.
      const healed = await pathOf(first.id);
      await uploadFile(service, { bytes });
      expect(await pathOf(first.id)).toBe(healed);
    },
  );
});

describe('an upload whose parts the storage has lost', () => {
  it('is refused with 400, and can be sent again', async () => {
    const bytes = newPicture();
    const { body } = await startUpload(service, { bytes });
    await sendBytes(service, body, bytes.subarray(0, 20));
    const row = await services.stores.prisma.storedFile.findFirstOrThrow({ where: { id: body.upload.id } });
    await rm(join(directory, row.environmentId, row.id), { recursive: true });
    const rest = await sendBytes(service, body, bytes.subarray(20), { 'Upload-Offset': '20' });
    expect([rest.status, (await rest.json()).error.message]).toEqual([
      400,
      expect.stringMatching(/Send the file again/),
    ]);
    expect((await sendBytes(service, body, bytes)).status).toBe(204);
    expect((await read(row.id)).status).toBe(200);
  });
});

describe('the comparison of files with their bytes', () => {
  const found = { missing: 0, wrong_size: 0, wrong_hash: 0, orphan: 0, unknown: 0 };

  it('changes nothing without repair, and names each finding with its files', async () => {
    const fresh = await startService({ files: { kind: 'directory', path: join(directory, 'fresh') } });
    const own = fresh.service.services;
    const files = await Promise.all([0, 1, 2, 3].map(() => uploadFile(fresh, { bytes: newPicture() })));
    const rows = await own.stores.prisma.storedFile.findMany({ include: { content: true }, orderBy: { id: 'asc' } });
    const keyOf = (file: TestFile | undefined) => rows.find(({ id }) => id === file?.id)?.content?.storageKey ?? '';
    const at = (key: string) => join(directory, 'fresh', key);
    const [missing, short, wrong] = files;
    await rm(at(keyOf(missing)));
    await writeFile(at(keyOf(short)), 'short');
    const bytes = await readFile(at(keyOf(wrong)));
    await writeFile(
      at(keyOf(wrong)),
      bytes.map((byte) => byte ^ 1),
    );
    const orphan = `${keyOf(missing)}-orphan`;
    await writeFile(at(orphan), 'nobody needs this');
    // The part of an upload that is not complete is needed.
    const { body } = await startUpload(fresh, { bytes });
    await sendBytes(fresh, body, bytes.subarray(0, 20));

    const plain = await verifyFiles(own, { repair: false, hash: false });
    expect(plain).toMatchObject({ contents: 4, keys: 5, found: { ...found, missing: 1, wrong_size: 1, orphan: 1 } });
    const hashed = await verifyFiles(own, { repair: false, hash: true });
    expect(hashed).toMatchObject({ found: { ...found, missing: 1, wrong_size: 1, wrong_hash: 1, orphan: 1 } });
    expect(hashed).toMatchObject({ marked: 0, restored: 0, deleted: 0 });
    expect(hashed.findings).toContainEqual({ kind: 'wrong_hash', storageKey: keyOf(wrong), fileIds: [wrong?.id] });
    expect(await own.stores.prisma.fileContent.count({ where: { fault: { not: null } } })).toBe(0);

    const repaired = await verifyFiles(own, { repair: true, hash: true });
    expect(repaired).toMatchObject({ marked: 3, restored: 0, deleted: 1 });
    expectError(await fresh.send('GET', `/v1/files/${wrong?.id}`), 'file_content_missing');
    await writeFile(at(keyOf(wrong)), bytes);
    const again = await verifyFiles(own, { repair: true, hash: true });
    expect(again).toMatchObject({ found: { ...found, missing: 1, wrong_size: 1 }, marked: 0, restored: 1, deleted: 0 });
    expect((await fresh.send('GET', `/v1/files/${wrong?.id}`)).status).toBe(200);
    // The upload goes on.
    expect((await sendBytes(fresh, body, bytes.subarray(20), { 'Upload-Offset': '20' })).status).toBe(204);
    await fresh.close();
  });

  it('never deletes the bytes of an environment that the database does not have', async () => {
    const folder = join(directory, '00000000-0000-4000-8000-00000000abcd', 'file_other');
    await mkdir(folder, { recursive: true });
    await writeFile(join(folder, 'part_other'), 'of another database');
    const { found: all, deleted } = await verifyFiles(services, { repair: true, hash: false });
    expect([all.unknown, deleted]).toEqual([1, 0]);
    expect(await readFile(join(folder, 'part_other'), 'utf8')).toBe('of another database');
  });
});

describe('a bucket', () => {
  let s3: S3Server;
  let inBucket: TestService;
  beforeAll(async () => {
    s3 = await startS3Server();
    inBucket = await startService({ files: { kind: 's3', endpoint: s3.url, bucket: s3.bucket, ...S3_KEYS } });
  });
  afterAll(async () => {
    await inBucket.close();
    await s3.close();
  });

  async function upload(bytes: Uint8Array) {
    const { body } = await startUpload(inBucket, { bytes });
    await fetch(body.upload.url, { method: 'PUT', body: new Uint8Array(bytes), headers: body.upload.headers });
    return inBucket.send('POST', `/v1/uploads/${body.upload.id}/complete`, { body: {} });
  }

  it('heals a lost object, and lists all its pages for the comparison', async () => {
    const bytes = newPicture();
    const { body } = await upload(bytes);
    const { environmentId } = await inBucket.service.services.stores.prisma.storedFile.findFirstOrThrow({
      where: { id: body.id },
    });
    for (const key of s3.objects.keys()) if (key.includes(body.id)) s3.objects.delete(key);
    expectError(await bodyOf(addressOf(inBucket, body.url)), 'file_content_missing');
    expectError(await inBucket.send('GET', `/v1/files/${body.id}`), 'file_content_missing');
    expect((await upload(bytes)).status).toBe(200);
    const read = await fetch(addressOf(inBucket, body.url));
    expect(Buffer.from(await read.arrayBuffer())).toEqual(bytes);
    for (let index = 0; index < 250; index += 1) {
      s3.objects.set(`${environmentId}/file_gone/part_${index}`, Buffer.from('orphan'));
    }
    const report = await verifyFiles(inBucket.service.services, { repair: true, hash: true });
    expect(report).toMatchObject({ contents: 1, keys: 251, deleted: 250, found: { orphan: 250, missing: 0 } });
    expect(s3.objects.size).toBe(1);
  });
});
