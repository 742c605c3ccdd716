import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createClient, type ParleyClient, ParleyError } from '../../src/sdk/index.ts';
import { DEMO_CHAT_ID, startService, type TestService } from '../support/service.ts';
import { makeDeployment } from '../support/tenants.ts';
import { newPicture, PNG, sha256Of } from '../support/uploads.ts';

let service: TestService;
let client: ParleyClient;
beforeAll(async () => {
  service = await startService();
  client = createClient({ baseUrl: service.url, deploymentId: DEMO_CHAT_ID, apiKey: service.keys.live });
});
afterAll(() => service.close());

const MIB = 1024 * 1024;

describe('client.files', () => {
  it('uploads a file in parts with its progress, and the file can be sent and read', async () => {
    const bytes = Buffer.concat([PNG, randomBytes(3 * MIB)]);
    const sent: number[] = [];
    const file = await client.files.upload(new File([bytes], 'big.png', { type: 'image/png' }), {
      onProgress: ({ sentBytes, totalBytes }) => {
        expect(totalBytes).toBe(bytes.length);
        sent.push(sentBytes);
      },
    });
    expect(sent).toEqual([0, MIB, 2 * MIB, 3 * MIB, bytes.length]);
    expect(file).toMatchObject({ name: 'big.png', mimeType: 'image/png', sha256: sha256Of(bytes) });
    const turn = await client.conversation.stream({ content: [{ type: 'text', text: 'Hello' }, file.part] });
    const read = await client.files.get(file.id, { conversationId: turn.conversationId });
    const content = await fetch(read.url);
    expect(sha256Of(new Uint8Array(await content.arrayBuffer()))).toBe(sha256Of(bytes));
  });

  it('makes the content of a message from texts, parts and files', async () => {
    const blob = new Blob([newPicture()], { type: 'image/png' });
    const part = { type: 'url', mimeType: 'text/html', fileUri: 'https://example.com/' } as const;
    const content = await client.files.content(['Look', blob, part], { name: 'small.png' });
    expect(content).toEqual([
      { type: 'text', text: 'Look' },
      { type: 'url', mimeType: 'image/png', fileUri: expect.stringMatching(/^parley:file_/) },
      part,
    ]);
  });

  it('continues where a connection broke off', async () => {
    const bytes = Buffer.concat([PNG, randomBytes(2 * MIB)]);
    let puts = 0;
    const broken = createClient({
      baseUrl: service.url,
      apiKey: service.keys.live,
      fetch: async (input, init) => {
        if (init?.method !== 'PUT') return fetch(input, init);
        puts += 1;
        // The second request arrives, and its response is lost. The third does not arrive.
        if (puts === 2) await fetch(input, init);
        if (puts === 2 || puts === 3) throw new TypeError('fetch failed');
        return fetch(input, init);
      },
    });
    const file = await broken.files.upload(new Blob([bytes], { type: 'image/png' }));
    expect(file.sha256).toBe(sha256Of(bytes));
    expect(puts).toBe(4);
  });

  it('reports errors and can be aborted', async () => {
    const wrong = new Blob(['no picture'], { type: 'image/png' });
    await expect(client.files.upload(wrong)).rejects.toMatchObject({ code: 'invalid_request', status: 400 });
    const { id } = await makeDeployment(service, {}, { maxFileBytes: 10 });
    const strict = createClient({ baseUrl: service.url, deploymentId: id, apiKey: service.keys.live });
    const tooLarge = await strict.files.upload(new Blob([PNG])).catch((error: unknown) => error);
    expect(tooLarge).toBeInstanceOf(ParleyError);
    expect(tooLarge).toMatchObject({ code: 'payload_too_large', details: { max_bytes: 10 } });
    const controller = new AbortController();
    const upload = client.files.upload(new Blob([PNG]), {
      signal: controller.signal,
      onProgress: () => controller.abort(),
    });
    await expect(upload).rejects.toMatchObject({ code: 'aborted' });
  });
});
