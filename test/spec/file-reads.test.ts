import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { expectError } from '../support/error-bodies.ts';
import { startService, type TestService } from '../support/service.ts';
import { addressOf, newPicture, PNG, sendBytes, startUpload, uploadFile } from '../support/uploads.ts';

let service: TestService;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.close());

async function urlOf(id: string): Promise<string> {
  const { status, body } = await service.send('GET', `/v1/files/${id}`);
  expect(status).toBe(200);
  return addressOf(service, body.url);
}

const json = async (response: Response) => ({
  status: response.status,
  headers: response.headers,
  body: await response.json(),
});

describe('reading the bytes of a file', () => {
  it('needs no credentials but the signature, and lets a browser run nothing', async () => {
    const bytes = newPicture();
    const { id } = await uploadFile(service, { bytes, name: 'Käse "1".png' });
    const url = await urlOf(id);
    const response = await fetch(url);
    expect(Buffer.from(await response.arrayBuffer())).toEqual(bytes);
    const headers = Object.fromEntries(response.headers);
    expect(headers).toMatchObject({
      'content-type': 'image/png',
      'content-length': String(bytes.length),
      'content-disposition': `inline; filename="K_se _1_.png"; filename*=UTF-8''K%C3%A4se%20%221%22.png`,
      'x-content-type-options': 'nosniff',
      'content-security-policy': expect.stringContaining('sandbox'),
      'cache-control': 'private, max-age=300',
      'accept-ranges': 'bytes',
    });
    const head = await fetch(url, { method: 'HEAD' });
    expect([head.status, head.headers.get('content-length')]).toEqual([200, String(bytes.length)]);
    for (const wrong of [url.replace(/\?.*/, ''), url.replace(/signature=..../, 'signature=AAAA')]) {
      expectError(await json(await fetch(wrong)), 'forbidden');
    }
    expect((await fetch(url, { method: 'POST' })).status).toBe(405);
  });

  it('downloads what a browser could run', async () => {
    for (const [mime_type, text] of [
      ['text/html', '<script>alert(1)</script>'],
      ['image/svg+xml', '<svg xmlns="http://www.w3.org/2000/svg" onload="alert(1)"/>'],
      ['text/plain', 'Hello'],
    ] as const) {
      const { id } = await uploadFile(service, { bytes: Buffer.from(text), mime_type, name: 'a.html' });
      const { headers } = await fetch(await urlOf(id));
      expect(headers.get('content-disposition')).toMatch(/^attachment;/);
      expect(headers.get('content-security-policy')).toContain('sandbox');
    }
  });

  it('takes one range', async () => {
    const bytes = newPicture();
    const { id } = await uploadFile(service, { bytes });
    const url = await urlOf(id);
    const size = bytes.length;
    const cases = [
      ['bytes=0-3', 206, bytes.subarray(0, 4)],
      ['bytes=10-', 206, bytes.subarray(10)],
      ['bytes=-5', 206, bytes.subarray(size - 5)],
      ['bytes=5-100000', 206, bytes.subarray(5)],
      ['bytes=0-1,3-4', 200, bytes],
      ['bytes=5-2', 200, bytes],
      ['lines=1-2', 200, bytes],
    ] as const;
    for (const [range, status, expected] of cases) {
      const response = await fetch(url, { headers: { Range: range } });
      expect([range, response.status]).toEqual([range, status]);
      expect(Buffer.from(await response.arrayBuffer())).toEqual(Buffer.from(expected));
    }
    const beyond = await fetch(url, { headers: { Range: `bytes=${size}-` } });
    expect([beyond.status, beyond.headers.get('content-range')]).toEqual([416, `bytes */${size}`]);
  });

  it('ends when the signature has expired', async () => {
    const { id } = await uploadFile(service, { bytes: newPicture() });
    const { services } = service.service;
    const { environmentId } = await services.stores.prisma.storedFile.findFirstOrThrow({ where: { id } });
    const { signFile } = await import('../../src/domain/files/signed-url.ts');
    const url = (until: Date) =>
      `${service.url}/v1/files/${id}/content?${signFile(services, 'read', { id, environmentId }, until)}`;
    expect((await fetch(url(new Date(Date.now() + 60_000)))).status).toBe(200);
    expectError(await json(await fetch(url(new Date(Date.now() - 1)))), 'forbidden');
  });
});

describe('the scan command', () => {
  let directory: string;
  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'parley-test-scan-'));
  });
  afterAll(() => rm(directory, { recursive: true }));

  async function withScan(script: string, work: (scanned: TestService) => Promise<void>): Promise<void> {
    const scanned = await startService({ scanCommand: [process.execPath, '-e', script] });
    try {
      await work(scanned);
    } finally {
      await scanned.close();
    }
  }

  it('gets the bytes, without a shell and without the secrets of the service, and decides', async () => {
    const script = `
      let text = '';
      process.stdin.on('data', (bytes) => { text += bytes.toString('latin1'); });
      process.stdin.on('end', () => process.exit(text.includes('EVIL') || Object.keys(process.env).some((name) => name !== 'PATH') ? 1 : 0));`;
    await withScan(script, async (scanned) => {
      const evil = Buffer.concat([PNG, Buffer.from('EVIL')]);
      const { body } = await startUpload(scanned, { bytes: evil });
      const refused = await json(await sendBytes(scanned, body, evil));
      expectError(refused, 'invalid_request', { message: /scan/ });
      expectError(await scanned.send('GET', `/v1/files/${body.upload.id}`), 'not_found');
      const good = await uploadFile(scanned, { bytes: newPicture() });
      expect((await scanned.send('GET', `/v1/files/${good.id}`)).status).toBe(200);
    });
  });

  it('can decide before it has read everything', async () => {
    await withScan('process.exit(1)', async (scanned) => {
      const bytes = Buffer.concat([PNG, Buffer.alloc(2 * 1024 * 1024)]);
      const { body } = await startUpload(scanned, { bytes });
      expectError(await json(await sendBytes(scanned, body, bytes)), 'invalid_request');
    });
  });

  it('that cannot start is a fault, and the file stays unreadable until a later check', async () => {
    const scanned = await startService({ scanCommand: ['/nothing/here'] });
    const { body } = await startUpload(scanned);
    expectError(await json(await sendBytes(scanned, body, PNG)), 'internal_error');
    expectError(await scanned.send('GET', `/v1/files/${body.upload.id}`), 'not_found');
    const again = await scanned.send('POST', `/v1/uploads/${body.upload.id}/complete`, { body: {} });
    expectError(again, 'internal_error');
    await scanned.close();
  });
});
