import { afterEach, beforeEach, expect, it } from 'vitest';
import type { FilePart, ModelPort } from '../../src/domain/agent/model-port.ts';
import { createModels } from '../../src/model/models.ts';
import { createGuardedFetcher } from '../../src/outbound/guarded-fetch.ts';
import { type FakeProvider, startFakeProvider } from '../support/fake-provider.ts';
import { type FileServer, type Handler, startFileServer } from '../support/file-server.ts';
import { filePart, PDF, PNG, receivedParts, requestWith } from '../support/files.ts';
import { until } from '../support/until.ts';

const MODEL = 'openai:gpt-test';

let provider: FakeProvider;
let server: FileServer;
let models: ModelPort;
/** Responses that the file server holds back. */
let owed: (() => void)[];

beforeEach(async () => {
  owed = [];
  const later: Handler = (_, response) => void owed.push(() => response.end(PDF));
  provider = await startFakeProvider();
  provider.reply({ kind: 'answer', deltas: ['I see.'] });
  server = await startFileServer({ '/later.pdf': later });
  const settings = { openai: { apiKey: 'key', baseUrl: provider.url } };
  models = createModels(settings, createGuardedFetcher({ allowLoopback: true }));
});
afterEach(() => Promise.all([provider.close(), server.close()]));

const later = (number: number) => filePart('application/pdf', new URL(`/later.pdf?${number}`, server.url));
const inline = (mediaType: string, bytes: Buffer): FilePart => filePart(mediaType, bytes.toString('base64'));

it('downloads the files of a step at the same time, the newest first, at most four at once', async () => {
  const step = models.step(requestWith(MODEL, [1, 2, 3, 4, 5, 6].map(later)));
  await until(async () => owed.length === 4);
  expect(server.requests.toSorted()).toEqual([3, 4, 5, 6].map((number) => `GET /later.pdf?${number}`));
  owed.shift()?.();
  await until(async () => owed.length === 4);
  expect(server.requests).toHaveLength(5);
  while (server.requests.length < 6 || owed.length > 0) {
    owed.shift()?.();
    await new Promise((resolve) => setImmediate(resolve));
  }
  await step;
  expect(receivedParts(provider.requests[0]).map(({ type }) => type)).toEqual(Array(6).fill('file'));
});

it('waits for files at most half of the step’s time', async () => {
  const step = await models.step(requestWith(MODEL, [1, 2, 3, 4, 5].map(later), { timeoutMs: 1_000 }));
  expect(step.text).toBe('I see.');
  const said = receivedParts(provider.requests[0]).map(({ text }) => text);
  const note =
    '[The file "later.pdf" of type application/pdf could not be given to you: its address did not answer in time.]';
  expect(said).toEqual(Array(5).fill(note));
});

it('stops downloads when the step is aborted', async () => {
  const controller = new AbortController();
  const closed = server.nextClosed();
  const step = models.step(requestWith(MODEL, [later(1)], { signal: controller.signal }));
  const failure = expect(step).rejects.toMatchObject({ name: 'ModelError', kind: 'aborted' });
  await until(async () => owed.length === 1);
  controller.abort();
  await failure;
  await closed;
  expect(provider.requests).toEqual([]);
});

it('omits the oldest files if all together exceed the limit of the provider', async () => {
  const large = Buffer.concat([PNG, Buffer.alloc(8 * 1024 * 1024 - PNG.byteLength)]);
  const files = [inline('image/png', large), inline('image/png', large), inline('image/png', large)];
  await models.step(requestWith(MODEL, [inline('application/pdf', PDF), ...files]));
  const [pdf, first, ...others] = receivedParts(provider.requests[0]);
  const text =
    '[The file of type image/png could not be given to you: the files of this conversation are too large together.]';
  expect(first).toEqual({ type: 'text', text });
  expect([pdf, ...others].map((part) => part?.type)).toEqual(['file', 'image_url', 'image_url']);
});

it('downloads only from public addresses by default', async () => {
  models = createModels({ openai: { apiKey: 'key', baseUrl: provider.url } });
  await models.step(requestWith(MODEL, [later(1)]));
  const text = expect.stringContaining('its address is not a public one');
  expect(receivedParts(provider.requests[0])).toEqual([{ type: 'text', text }]);
  expect(server.requests).toEqual([]);
});

it('repeats a rejected request without files, with a note for the model', async () => {
  provider.reply({ kind: 'status', status: 400 }, { kind: 'answer', deltas: ['I cannot see it.'] });
  const image = filePart('image/png', new URL('https://files.example.com/a/photo.png?key=secret'));
  const step = await models.step(requestWith(MODEL, [image]));
  expect(step.text).toBe('I cannot see it.');
  expect(provider.requests).toHaveLength(2);
  expect(receivedParts(provider.requests[1])).toEqual([
    {
      type: 'text',
      text: '[The file "photo.png" of type image/png could not be given to you: the provider of this model refused it.]',
    },
  ]);
});

it('does not repeat a rejected request without files', async () => {
  provider.reply({ kind: 'status', status: 400 });
  await expect(models.step(requestWith(MODEL, []))).rejects.toThrow('refused the request (400)');
  expect(provider.requests).toHaveLength(1);
});
