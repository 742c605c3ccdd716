import { AwsV4Signer } from 'aws4fetch';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sweepFiles } from '../../src/domain/files/sweeper.ts';
import { createClient } from '../../src/sdk/index.ts';
import { expectError } from '../support/error-bodies.ts';
import { S3_KEYS, type S3Server, signatureOf, startS3Server } from '../support/s3-server.ts';
import { DEMO_CHAT_ID, startService, type TestService } from '../support/service.ts';
import { addressOf, newPicture, PNG, sha256Of, startUpload } from '../support/uploads.ts';

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

const put = (url: string, bytes: Uint8Array, headers: Record<string, string>) =>
  fetch(url, { method: 'PUT', body: new Uint8Array(bytes), headers });

const complete = (id: string) => service.send('POST', `/v1/uploads/${id}/complete`, { body: {} });

describe('files in an S3-compatible storage', () => {
  it('are sent to the storage with a signed URL, checked, and read through the service', async () => {
    const bytes = newPicture();
    const { body } = await startUpload(service, { bytes });
    expect(body.upload).toMatchObject({ resumable: false, url: expect.stringContaining(`${s3.url}/${s3.bucket}/`) });
    expectError(await complete(body.upload.id), 'invalid_request', { param: 'file_id', message: /0 of/ });
    expect((await put(body.upload.url, bytes, body.upload.headers)).status).toBe(200);
    expectError(await service.send('GET', `/v1/files/${body.upload.id}`), 'not_found');
    const done = await complete(body.upload.id);
    expect([done.status, done.body.sha256]).toEqual([200, sha256Of(bytes)]);
    expect((await complete(body.upload.id)).body.sha256).toBe(sha256Of(bytes));
    const url = addressOf(service, done.body.url);
    expect(Buffer.from(await (await fetch(url)).arrayBuffer())).toEqual(bytes);
    const range = await fetch(url, { headers: { Range: 'bytes=2-5' } });
    expect(Buffer.from(await range.arrayBuffer())).toEqual(bytes.subarray(2, 6));
    expect(s3.refusals).toEqual([]);
  });

  it('cannot be changed with the signed URL after the check', async () => {
    const bytes = newPicture();
    const { body } = await startUpload(service, { bytes });
    await put(body.upload.url, bytes, body.upload.headers);
    const done = await complete(body.upload.id);
    expect((await put(body.upload.url, newPicture(), body.upload.headers)).status).toBe(200);
    const read = await fetch(addressOf(service, done.body.url));
    expect(Buffer.from(await read.arrayBuffer())).toEqual(bytes);
  });

  it('must have the size and the type that were signed', async () => {
    const { body } = await startUpload(service);
    const refused = s3.refusals.length;
    expect((await put(body.upload.url, Buffer.concat([PNG, PNG]), body.upload.headers)).status).toBe(403);
    expect((await put(body.upload.url, PNG, { 'Content-Type': 'text/html' })).status).toBe(403);
    expect((await put(body.upload.url.replace('/file_', '/file_0'), PNG, body.upload.headers)).status).toBe(403);
    expect(s3.refusals.length).toBe(refused + 3);
    const html = Buffer.from('<html>'.padEnd(PNG.length, ' '));
    await put(body.upload.url, html, body.upload.headers);
    expectError(await complete(body.upload.id), 'invalid_request', { message: /image\/png/ });
  });

  it('are uploaded by the SDK, and disappear from the bucket with their conversation', async () => {
    const client = createClient({ baseUrl: service.url, deploymentId: DEMO_CHAT_ID, apiKey: service.keys.live });
    const bytes = newPicture();
    const file = await client.files.upload(new Blob([bytes], { type: 'image/png' }));
    const keysOf = () => [...s3.objects.keys()].filter((key) => key.includes(file.id));
    expect(keysOf().length).toBe(1);
    const { conversationId: id } = await client.conversation.stream({ content: [file.part] });
    await service.graphql('mutation ($id: ID!) { deleteConversation(input: { conversationId: $id }) { __typename } }', {
      id,
    });
    await sweepFiles(service.service.services);
    expect(keysOf()).toEqual([]);
  });
});

/** The example of "Authenticating Requests: Using Query Parameters" in the documentation of Amazon S3. */
describe('the signature', () => {
  const date = '20130524T000000Z';
  const accessKeyId = 'AKIAIOSFODNN7EXAMPLE';
  const secretAccessKey = 'wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY';
  const expected = 'aeeed9bbccd4d02ee5c0109b86d86835f995330da4c265957d157751f604d404';
  const url = 'https://examplebucket.s3.amazonaws.com/test.txt?X-Amz-Expires=86400';

  it('is that of the published example, by the library and by the server of this test', async () => {
    const keys = { accessKeyId, secretAccessKey, service: 's3', region: 'us-east-1' };
    const signed = await new AwsV4Signer({ ...keys, url, method: 'GET', datetime: date, signQuery: true }).sign();
    expect(signed.url.searchParams.get('X-Amz-Signature')).toBe(expected);
    const signature = signatureOf({
      method: 'GET',
      path: '/test.txt',
      query: signed.url.searchParams,
      headers: { host: 'examplebucket.s3.amazonaws.com' },
      signedHeaders: ['host'],
      payload: 'UNSIGNED-PAYLOAD',
      date,
      region: 'us-east-1',
      secret: secretAccessKey,
    });
    expect(signature).toBe(expected);
  });
});
