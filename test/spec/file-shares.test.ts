import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { LIMITS } from '../../src/contract/limits.ts';
import { expectError } from '../support/error-bodies.ts';
import { sendSome } from '../support/large-uploads.ts';
import { S3_KEYS, type S3Server, startS3Server } from '../support/s3-server.ts';
import { startService, type TestService } from '../support/service.ts';
import { makeDeployment } from '../support/tenants.ts';
import { PNG, startUpload, uploadFile } from '../support/uploads.ts';

const MIB = 1024 * 1024;

let service: TestService;
let open: string;
beforeAll(async () => {
  service = await startService({ trustProxy: 1 });
  ({ id: open } = await makeDeployment(service, {}, { authRequired: false, maxFileBytes: 1024 * MIB }));
});
afterAll(() => service.close());
beforeEach(async () => {
  await prisma().fileUse.deleteMany();
  await prisma().storedFile.deleteMany();
  await prisma().fileContent.deleteMany();
  await setMegabytes(null);
});

const prisma = () => service.service.services.stores.prisma;
const setMegabytes = (fileMegabytes: number | null) => prisma().environment.updateMany({ data: { fileMegabytes } });
const from = (address: string) => ({ key: null, headers: { 'x-forwarded-for': address } }) as const;

/** An announcement without credentials. */
const announce = (address: string, size_bytes: number) =>
  startUpload(service, { size_bytes, deployment_id: open }, from(address));

const newFile = (bytes: number) => Buffer.concat([PNG, randomBytes(bytes - PNG.length)]);

const noSpace = (sizeBytes: number, megabytes: number) => ({ size_bytes: sizeBytes, max_total_bytes: megabytes * MIB });

describe('the uploads of one address', () => {
  it('can be announced without bytes only in a number', async () => {
    for (let number = 0; number < LIMITS.strangerUploads; number += 1) {
      expect((await announce('192.0.2.1', 1_000)).status).toBe(201);
    }
    expectError(await announce('192.0.2.1', 1_000), 'rate_limited', { message: /20 of your uploads are not complete/ });
    expect((await announce('192.0.2.2', 1_000)).status).toBe(201);
    await prisma().storedFile.updateMany({ data: { expiresAt: new Date(0) } });
    expect((await announce('192.0.2.1', 1_000)).status).toBe(201);
  });

  it('have a share of the space until messages use them', async () => {
    const most = LIMITS.strangerUnusedMegabytes;
    expect((await announce('192.0.2.1', (most - 1) * MIB)).status).toBe(201);
    expectError(await announce('192.0.2.1', 2 * MIB), 'payload_too_large', {
      message: /your share of the space, 128 MiB/,
      facts: noSpace(2 * MIB, most),
    });
    expect((await announce('192.0.2.1', MIB)).status).toBe(201);
    expect((await announce('192.0.2.2', 2 * MIB)).status).toBe(201);
    // One file can be as large as the deployment accepts.
    expect((await announce('192.0.2.3', 1_000 * MIB)).status).toBe(201);
    expectError(await announce('192.0.2.3', 1_000), 'payload_too_large', { facts: noSpace(1_000, most) });
  });

  it('share one key in an IPv6 network, and the database has no address', async () => {
    await announce('2001:db8:1:2::1', 100 * MIB);
    expectError(await announce('2001:db8:1:2:3::1', 100 * MIB), 'payload_too_large', {
      facts: noSpace(100 * MIB, LIMITS.strangerUnusedMegabytes),
    });
    const [row] = await prisma().storedFile.findMany();
    expect(row?.shareKey).toMatch(/^address_[\w-]{43}$/);
  });
});

describe('the files of strangers', () => {
  it('count to the shares of strangers when messages use them, and leave space to the workspace', async () => {
    await setMegabytes(10);
    const bytes = 900 * 1024;
    const file = { bytes: newFile(bytes), deployment_id: open };
    const uploaded = await uploadFile(service, file, from('192.0.2.1'));
    const turn = await service.send('POST', `/v1/runner/${open}/conversation`, {
      body: { content: [uploaded.part] },
      ...from('192.0.2.1'),
    });
    expect(turn.status).toBe(200);
    // A tenth of 10 MiB.
    expectError(await announce('192.0.2.1', 200 * 1024), 'payload_too_large', {
      message: /your share of the space, 1 MiB/,
      facts: noSpace(200 * 1024, 1),
    });
    for (let number = 2; number <= 8; number += 1) {
      expect((await announce(`192.0.2.${number}`, bytes)).status).toBe(201);
    }
    const refused = await announce('192.0.2.9', bytes);
    expectError(refused, 'payload_too_large', { message: /its limit of 7.5 MiB/, facts: noSpace(bytes, 7.5) });
    expect((await startUpload(service, { size_bytes: 2 * MIB })).status).toBe(201);
    expectError(await startUpload(service, { size_bytes: 2 * MIB }), 'payload_too_large', {
      message: /10 MiB/,
      facts: noSpace(2 * MIB, 10),
    });
  });

  it('no longer count when they are rejected', async () => {
    const { body } = await announce('192.0.2.1', 100 * MIB);
    await prisma().storedFile.updateMany({ where: { id: body.upload.id }, data: { status: 'rejected' } });
    expect((await announce('192.0.2.1', 100 * MIB)).status).toBe(201);
  });
});

describe('the uploads of an address to a bucket', () => {
  let s3: S3Server;
  let bucket: TestService;
  beforeAll(async () => {
    s3 = await startS3Server();
    bucket = await startService({ files: { kind: 's3', endpoint: s3.url, bucket: s3.bucket, ...S3_KEYS } });
  });
  afterAll(async () => {
    await bucket.close();
    await s3.close();
  });

  it('take a share of the places of the process', async () => {
    const { id } = await makeDeployment(bucket, {}, { authRequired: false, maxFileBytes: 100 * MIB });
    const most = LIMITS.bucketUploadsOfStranger;
    const started = await Promise.all(
      Array.from({ length: most + 1 }, () =>
        startUpload(bucket, { size_bytes: 17 * MIB, deployment_id: id }, { key: null }),
      ),
    );
    const held = started.map(({ body }) => sendSome(bucket, body.upload.url, PNG));
    const responses = held.map((sending) => new Promise((resolve) => sending.once('response', resolve)));
    expect(await Promise.race(responses)).toMatchObject({ statusCode: 429, headers: { 'retry-after': '1' } });
    for (const sending of held) sending.destroy();
  });
});
