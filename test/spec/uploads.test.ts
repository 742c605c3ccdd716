import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { LIMITS } from '../../src/contract/limits.ts';
import { expectError } from '../support/error-bodies.ts';
import { startService, type TestService } from '../support/service.ts';
import { addressOf, newPicture, PNG, sendBytes, sha256Of, startUpload, uploadFile } from '../support/uploads.ts';

let service: TestService;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.close());

const readFile = (id: string, key = service.keys.live) => service.send('GET', `/v1/files/${id}`, { key });

const stateOf = (url: string) => fetch(addressOf(service, url), { method: 'HEAD' });

describe('uploading a file', () => {
  it('takes the bytes at a signed URL, and shows the file in both APIs', async () => {
    const bytes = newPicture();
    const { status, body } = await startUpload(service, { bytes, name: 'My photo.png', sha256: sha256Of(bytes) });
    expect(status).toBe(201);
    expect(body).toEqual({
      upload: {
        id: expect.stringMatching(/^file_[0-9a-z]{26}$/),
        method: 'PUT',
        url: expect.stringContaining('/v1/uploads/file_'),
        headers: { 'Content-Type': 'image/png' },
        resumable: true,
        expires_at: expect.stringMatching(/Z$/),
      },
      file_uri: `parley:${body.upload.id}`,
    });
    const sent = await sendBytes(service, body, bytes);
    expect([sent.status, sent.headers.get('upload-offset')]).toEqual([204, String(bytes.byteLength)]);
    const { body: file } = await readFile(body.upload.id);
    const facts = {
      name: 'My photo.png',
      mime_type: 'image/png',
      size_bytes: bytes.byteLength,
      sha256: sha256Of(bytes),
    };
    expect(file).toMatchObject({ id: body.upload.id, ...facts });
    const { body: read } = await service.graphql(
      'query ($id: ID!) { file(id: $id) { fileId name mimeType sizeBytes sha256 url createdAt } }',
      { id: body.upload.id },
    );
    expect(read.data.file).toMatchObject({ fileId: body.upload.id, name: 'My photo.png', sha256: facts.sha256 });
  });

  it('continues a broken upload at the offset that HEAD returns', async () => {
    const bytes = newPicture();
    const { body } = await startUpload(service, { bytes });
    const first = await sendBytes(service, body, bytes.subarray(0, 20));
    expect([first.status, first.headers.get('upload-offset')]).toEqual([204, '20']);
    expectError(await readFile(body.upload.id), 'not_found');
    const state = await stateOf(body.upload.url);
    expect([state.headers.get('upload-offset'), state.headers.get('upload-length')]).toEqual(['20', `${bytes.length}`]);
    const wrong = await sendBytes(service, body, bytes.subarray(30), { 'Upload-Offset': '30' });
    expect([wrong.status, wrong.headers.get('upload-offset')]).toEqual([412, '20']);
    const second = await sendBytes(service, body, bytes.subarray(20, 40), { 'Upload-Offset': '20' });
    expect(second.status).toBe(204);
    const last = await sendBytes(service, body, bytes.subarray(40), { 'Upload-Offset': '40' });
    expect(last.status).toBe(204);
    const { body: file } = await readFile(body.upload.id);
    expect(file.sha256).toBe(sha256Of(bytes));
    const content = await fetch(addressOf(service, file.url));
    expect(Buffer.from(await content.arrayBuffer())).toEqual(bytes);
  });

  it('starts again if bytes are sent without an offset', async () => {
    const bytes = newPicture();
    const { body } = await startUpload(service, { bytes });
    await sendBytes(service, body, randomBytes(20));
    expect((await sendBytes(service, body, bytes)).status).toBe(204);
    expect((await readFile(body.upload.id)).body.sha256).toBe(sha256Of(bytes));
  });

  it('gives the same result when the bytes are sent again', async () => {
    const { body } = await startUpload(service);
    expect((await sendBytes(service, body, PNG)).status).toBe(204);
    expect((await sendBytes(service, body, PNG)).status).toBe(204);
    const completed = await service.send('POST', `/v1/uploads/${body.upload.id}/complete`, { body: {} });
    expect([completed.status, completed.body.id]).toEqual([200, body.upload.id]);
  });

  it('returns the same upload for the same idempotency key', async () => {
    const headers = { 'Idempotency-Key': 'upload-once' };
    const first = await startUpload(service, {}, { headers });
    const second = await startUpload(service, {}, { headers });
    expect(second.body.file_uri).toBe(first.body.file_uri);
  });

  it('takes no more bytes than announced, with or without Content-Length', async () => {
    const { body } = await startUpload(service);
    const long = Buffer.concat([PNG, Buffer.from('x')]);
    expectError(await responseOf(await sendBytes(service, body, long)), 'payload_too_large');
    const stream = new ReadableStream({
      start(controller) {
        controller.enqueue(new Uint8Array(PNG));
        controller.enqueue(new Uint8Array([1]));
        controller.close();
      },
    });
    const init = { method: 'PUT', body: stream, duplex: 'half', headers: body.upload.headers } as RequestInit;
    expectError(await responseOf(await fetch(addressOf(service, body.upload.url), init)), 'payload_too_large');
    expectError(await readFile(body.upload.id), 'not_found');
    // The upload itself is not lost.
    expect((await sendBytes(service, body, PNG)).status).toBe(204);
  });

  it('is not complete before all bytes have arrived', async () => {
    const { body } = await startUpload(service);
    await sendBytes(service, body, PNG.subarray(0, 5));
    const completed = await service.send('POST', `/v1/uploads/${body.upload.id}/complete`, { body: {} });
    expectError(completed, 'invalid_request', { param: 'file_id' });
    expect(completed.body.error.message).toContain(`5 of ${PNG.length} bytes`);
  });
});

async function responseOf(response: Response) {
  return { status: response.status, headers: response.headers, body: await response.json() };
}

describe('the signature of an upload', () => {
  it('is required, and is valid for one file and one use', async () => {
    const one = (await startUpload(service)).body;
    const two = (await startUpload(service)).body;
    const urls = [
      one.upload.url.replace(/\?.*/, ''),
      one.upload.url.replace(/signature=..../, 'signature=AAAA'),
      one.upload.url.replace(one.upload.id, two.upload.id),
      one.upload.url.replace(one.upload.id, '..%2f..%2fetc'),
    ];
    for (const url of urls) {
      const sent = await sendBytes(service, { upload: { ...one.upload, url } }, PNG);
      expectError(await responseOf(sent), 'forbidden');
    }
    const file = await uploadFile(service);
    const { body } = await readFile(file.id);
    const asUpload = body.url.replace(/.*\/v1\/files\/([^/]*)\/content/, `${service.url}/v1/uploads/$1`);
    expect((await fetch(asUpload, { method: 'HEAD' })).status).toBe(403);
  });
});

describe('the bytes of a file', () => {
  it('must have the type that was announced', async () => {
    const cases = [
      { bytes: Buffer.from('<html><script>alert(1)</script>'), mime_type: 'image/png' },
      { bytes: PNG, mime_type: 'application/pdf' },
      { bytes: PNG, mime_type: 'text/plain' },
      { bytes: Buffer.from([0, 1, 2, 3]), mime_type: 'text/csv' },
      { bytes: Buffer.from('%PDF-1.7 abc'), mime_type: 'image/svg+xml' },
    ];
    for (const file of cases) {
      const { body } = await startUpload(service, file);
      const sent = await responseOf(await sendBytes(service, body, file.bytes));
      expectError(sent, 'invalid_request');
      expect(sent.body.error.message).toContain(file.mime_type);
      expectError(await readFile(body.upload.id), 'not_found');
      // It stays rejected.
      expectError(await responseOf(await sendBytes(service, body, file.bytes)), 'invalid_request');
    }
  });

  it('may be text, JSON, or a type without a known beginning', async () => {
    for (const mime_type of ['text/plain', 'application/json', 'text/csv; charset=utf-8', 'application/x-own']) {
      await uploadFile(service, { bytes: Buffer.from(`{"type": "${mime_type}"}`), mime_type, name: 'a' });
    }
  });

  it('must have the hash that was announced', async () => {
    const { body } = await startUpload(service, { sha256: sha256Of(Buffer.from('other')) });
    const sent = await responseOf(await sendBytes(service, body, PNG));
    expectError(sent, 'invalid_request');
    expect(sent.body.error.message).toContain('SHA-256');
  });
});

describe('the input of an upload', () => {
  it('is checked before a byte is sent', async () => {
    const cases = [
      [{ name: '../../etc/passwd' }, 400, 'name'],
      [{ name: 'a\\b' }, 400, 'name'],
      [{ name: 'a\u0007b' }, 400, 'name'],
      [{ name: 'a\u202Eb' }, 400, 'name'],
      [{ name: '..' }, 400, 'name'],
      [{ name: 'x'.repeat(LIMITS.fileNameLength + 1) }, 400, 'name'],
      [{ mime_type: 'image/*' }, 400, 'mime_type'],
      [{ mime_type: 'picture' }, 400, 'mime_type'],
      [{ size_bytes: 0 }, 400, 'size_bytes'],
      [{ size_bytes: LIMITS.defaultFileBytes + 1 }, 413, 'size_bytes'],
      [{ sha256: 'abc' }, 400, 'sha256'],
      [{ deployment_id: '11111111-1111-4111-8111-111111111111' }, 404, 'deployment_id'],
      [{ conversation_id: '11111111-1111-4111-8111-111111111111' }, 404, 'conversation_id'],
    ] as const;
    for (const [fields, status, param] of cases) {
      const refused = await startUpload(service, fields);
      expect([refused.status, refused.body.error.param, fields]).toEqual([status, param, fields]);
    }
    expect((await startUpload(service, { name: 'x'.repeat(LIMITS.fileNameLength) })).status).toBe(201);
    expect((await startUpload(service, { size_bytes: LIMITS.defaultFileBytes })).status).toBe(201);
  });
});
