import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type DataStore, postgresStore, startOn } from '../support/data-stores.ts';
import { POSTGRES_URL } from '../support/database.ts';
import { busyMs } from '../support/event-loop.ts';
import { megabytesOf, offsetOf, sendSome, uploadRandom } from '../support/large-uploads.ts';
import { killAll, LEASE_SECONDS, RECOVERY_MS } from '../support/process.ts';
import { until } from '../support/until.ts';
import { addressOf, PNG, sendBytes, sha256Of, startUpload } from '../support/uploads.ts';

const MIB = 1024 * 1024;

let store: DataStore;
let directory: string;
const start = () => startOn(store, { FILES_DIR: directory });

const storedBytes = async () => {
  const entries = await readdir(directory, { recursive: true, withFileTypes: true }).catch(() => []);
  const sizes = entries
    .filter((entry) => entry.isFile())
    .map((entry) => readFileSync(join(entry.parentPath, entry.name)));
  return sizes.reduce((sum, { byteLength }) => sum + byteLength, 0);
};

describe.skipIf(!POSTGRES_URL)('uploads', () => {
  beforeAll(async () => {
    store = await postgresStore();
    directory = await mkdtemp(join(tmpdir(), 'parley-uploads-'));
  });
  afterAll(async () => {
    await killAll();
    await store.remove();
    await rm(directory, { recursive: true, force: true });
  });

  it('leave no readable file if the process is killed, and can be repeated', async () => {
    const first = await start();
    const bytes = Buffer.concat([PNG, randomBytes(4 * MIB)]);
    const { body } = await startUpload(first, { bytes });
    const before = await storedBytes();
    sendSome(first, body.upload.url, bytes.subarray(0, 2 * MIB));
    await until(async () => (await storedBytes()) > before + MIB);
    await first.kill('SIGKILL');
    const second = await start();
    const read = await second.send('GET', `/v1/files/${body.upload.id}`);
    expect(read.status).toBe(404);
    const completed = await second.send('POST', `/v1/uploads/${body.upload.id}/complete`, { body: {} });
    expect(completed.status).toBe(400);
    expect(await offsetOf(second, body.upload.url)).toBe(0);
    expect((await sendBytes(second, body, bytes)).status).toBe(204);
    const { body: file } = await second.send('GET', `/v1/files/${body.upload.id}`);
    expect(file.sha256).toBe(sha256Of(bytes));
    await second.kill('SIGTERM');
  });

  it('continue in another process with the bytes that arrived before the client disconnected', async () => {
    const [one, two] = await Promise.all([start(), start()]);
    const bytes = Buffer.concat([PNG, randomBytes(4 * MIB)]);
    const { body } = await startUpload(one, { bytes });
    const before = await storedBytes();
    const sending = sendSome(one, body.upload.url, bytes.subarray(0, 2 * MIB));
    await until(async () => (await storedBytes()) >= before + 2 * MIB);
    sending.destroy();
    await until(async () => (await offsetOf(two, body.upload.url)) > 0);
    const offset = await offsetOf(two, body.upload.url);
    expect(offset).toBe(2 * MIB);
    const rest = await sendBytes(two, body, bytes.subarray(offset), { 'Upload-Offset': String(offset) });
    expect(rest.status).toBe(204);
    const { body: file } = await one.send('GET', `/v1/files/${body.upload.id}`);
    const content = await fetch(addressOf(one, file.url));
    expect(sha256Of(new Uint8Array(await content.arrayBuffer()))).toBe(sha256Of(bytes));
    await Promise.all([one.kill('SIGTERM'), two.kill('SIGTERM')]);
  });

  it('are checked by another process within 2.5 leases if theirs is killed during the scan, and not before', async () => {
    const scan = join(directory, 'scan.sh');
    const begun = join(directory, 'begun');
    // The first scan never ends. Later ones accept the file.
    await writeFile(scan, `test -e ${begun} && exec cat; touch ${begun}; exec sleep 60`, { mode: 0o700 });
    const startScanning = () => startOn(store, { FILES_DIR: directory, FILES_SCAN_COMMAND: `/bin/sh ${scan}` });
    const [one, two] = await Promise.all([startScanning(), startScanning()]);
    const bytes = Buffer.concat([PNG, randomBytes(64)]);
    const { body } = await startUpload(one, { bytes });
    const sending = sendBytes(one, body, bytes).catch(() => undefined);
    await until(async () => existsSync(begun));
    const complete = () => two.send('POST', `/v1/uploads/${body.upload.id}/complete`, { body: {} });
    // The process renews its lease while the scan runs.
    await new Promise((resolve) => setTimeout(resolve, LEASE_SECONDS * 1_500));
    const early = await complete();
    expect([early.status, early.body.error.code]).toEqual([409, 'request_in_progress']);
    await one.kill('SIGKILL');
    await sending;
    const killedMs = performance.now();
    await until(async () => (await complete()).status === 200);
    expect(performance.now() - killedMs).toBeLessThan(busyMs(RECOVERY_MS));
    const { body: file } = await two.send('GET', `/v1/files/${body.upload.id}`);
    expect(file.sha256).toBe(sha256Of(bytes));
    await two.kill('SIGTERM');
  });

  it('of 100 MiB leave the memory of the process as it was, and end if nothing arrives for 30 s', async () => {
    const service = await start();
    const idle = await startUpload(service, {});
    const stalled = sendSome(service, idle.body.upload.url, PNG.subarray(0, 5));
    const stalledMs = performance.now();
    const ended = new Promise((resolve) => stalled.once('close', resolve));

    // The first upload makes the heap and the buffers as large as any upload needs them.
    await uploadRandom(service, 32);
    const before = megabytesOf(service, 'VmRSS');
    const sha256 = await uploadRandom(service, 100);
    expect(megabytesOf(service, 'VmHWM') - before).toBeLessThan(60);
    expect(sha256).toMatch(/^[0-9a-f]{64}$/);

    await ended;
    expect(performance.now() - stalledMs).toBeGreaterThan(29_000);
    // What has arrived is kept.
    await until(async () => (await offsetOf(service, idle.body.upload.url)) === 5);
    await service.kill('SIGTERM');
  });
});
