import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type DataStore, postgresStore, startOn } from '../support/data-stores.ts';
import { POSTGRES_URL } from '../support/database.ts';
import { megabytesOf, offsetOf, sendSome, uploadRandom } from '../support/large-uploads.ts';
import { killAll } from '../support/process.ts';
import { S3_KEYS, type S3Server, startS3Server } from '../support/s3-server.ts';
import { until } from '../support/until.ts';
import { PNG, sendBytes, sha256Of, startUpload } from '../support/uploads.ts';

const MIB = 1024 * 1024;

let store: DataStore;
let s3: S3Server;

const start = () =>
  startOn(store, {
    S3_ENDPOINT: s3.url,
    S3_BUCKET: s3.bucket,
    S3_REGION: S3_KEYS.region,
    S3_ACCESS_KEY_ID: S3_KEYS.accessKeyId,
    S3_SECRET_ACCESS_KEY: S3_KEYS.secretAccessKey,
  });

describe.skipIf(!POSTGRES_URL)('uploads to an S3-compatible storage', () => {
  beforeAll(async () => {
    store = await postgresStore();
    s3 = await startS3Server();
  });
  afterAll(async () => {
    await killAll();
    await store.remove();
    await s3.close();
  });

  it('continue in another process if one is killed, and leave no parts of the killed one', async () => {
    const [one, two] = await Promise.all([start(), start()]);
    const bytes = Buffer.concat([PNG, randomBytes(20 * MIB)]);
    const { body } = await startUpload(one, { bytes });
    expect((await sendBytes(one, body, bytes.subarray(0, MIB))).status).toBe(204);
    const sending = sendSome(two, body.upload.url, bytes.subarray(0, 18 * MIB));
    await until(async () => [...s3.uploads.values()].some(({ parts }) => parts.size === 2));
    await two.kill('SIGKILL');
    sending.destroy();
    expect(s3.uploads.size).toBe(1);
    const three = await start();
    expect(await offsetOf(three, body.upload.url)).toBe(MIB);
    const rest = await sendBytes(three, body, bytes.subarray(MIB), { 'Upload-Offset': String(MIB) });
    expect(rest.status).toBe(204);
    const { body: file } = await one.send('GET', `/v1/files/${body.upload.id}`);
    expect(file.sha256).toBe(sha256Of(bytes));
    expect([s3.uploads.size, s3.objects.size, s3.refusals]).toEqual([0, 1, []]);
    await Promise.all([one.kill('SIGTERM'), three.kill('SIGTERM')]);
  });

  it('of 100 MiB need the memory of a few parts', async () => {
    const service = await start();
    await uploadRandom(service, 20);
    const before = megabytesOf(service, 'VmRSS');
    await uploadRandom(service, 100);
    expect(megabytesOf(service, 'VmHWM') - before).toBeLessThan(80);
    await service.kill('SIGTERM');
  });
});
