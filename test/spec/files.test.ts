import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type FakeProvider, startFakeProvider } from '../support/fake-provider.ts';
import { type FileServer, file, startFileServer } from '../support/file-server.ts';
import { MP4, PDF, PNG } from '../support/files.ts';
import { DEMO_AGENT_ID, DEMO_CHAT_ID, startService, type TestService } from '../support/service.ts';

const MODELS = ['openai:gpt-test', 'anthropic:claude-test', 'openai-compatible:any-test'];

const PATHS = [
  ['v1', `/v1/runner/${DEMO_CHAT_ID}/conversation`],
  ['v2', `/v2/runner/${DEMO_AGENT_ID}/conversation`],
] as const;

let provider: FakeProvider;
let server: FileServer;

beforeAll(async () => {
  provider = await startFakeProvider();
  provider.reply({ kind: 'answer', deltas: ['I see.'] });
  server = await startFileServer({
    '/cat.png': file('image/png', PNG),
    '/report.pdf': file('application/pdf', PDF),
    '/film.mp4': file('video/mp4', MP4),
  });
});
afterAll(() => Promise.all([provider.close(), server.close()]));

/** One part of every type, with files that some provider rejects. */
function everyPart() {
  const inline = (mime_type: string, bytes: Buffer) => ({ type: 'data', mime_type, data: bytes.toString('base64') });
  const hosted = (type: string, mime_type: string, path: string) => ({ type, mime_type, file_uri: server.url + path });
  return [
    { type: 'text', text: 'What are these?' },
    hosted('image', 'image/png', '/cat.png'),
    hosted('url', 'Application/PDF', '/report.pdf'),
    hosted('video', 'video/mp4', '/film.mp4'),
    hosted('audio', 'audio/mpeg', '/gone.mp3'),
    { type: 'url', mime_type: 'application/pdf', file_uri: 'http://10.0.0.1/report.pdf' },
    { type: 'url', mime_type: 'application/pdf', file_uri: 'http://user:word@169.254.169.254/' },
    inline('image/png', PNG),
    inline('application/pdf', PDF),
    inline('text/markdown', Buffer.from('# Hello')),
    inline('application/x-unknown', MP4),
    inline('audio/ogg', MP4),
  ];
}

describe.each(MODELS)('files in a conversation with %s', (model) => {
  let service: TestService;
  beforeAll(async () => {
    const baseUrl = provider.url;
    service = await startService(
      { defaultModel: model, providers: { openai: { apiKey: 'key', baseUrl }, anthropic: { apiKey: 'key', baseUrl } } },
      { outbound: { allowLoopback: true } },
    );
  });
  afterAll(() => service.close());

  it.each(PATHS)('fail no turn through %s, neither their own nor a later one', async (_version, path) => {
    const first = await service.send('POST', path, { body: { content: everyPart() } });
    expect(first).toMatchObject({ status: 200, body: { content: 'I see.' } });
    expect(JSON.stringify(provider.requests.at(-1)?.body)).toContain('film.mp4');

    const { conversation_id } = first.body;
    const content = [{ type: 'text', text: 'And then?' }];
    const second = await service.send('POST', path, { body: { content, conversation_id } });
    expect(second).toMatchObject({ status: 200, body: { content: 'I see.' } });
    expect(JSON.stringify(provider.requests.at(-1)?.body)).toContain('film.mp4');
  });
});

it('requests no file from a local address and completes the turn', async () => {
  const service = await startService({
    defaultModel: 'openai:gpt-test',
    providers: { openai: { apiKey: 'key', baseUrl: provider.url }, anthropic: {} },
  });
  const before = server.requests.length;
  const [, path] = PATHS[0];
  const content = [{ type: 'url', mime_type: 'application/pdf', file_uri: `${server.url}/report.pdf` }];

  expect(await service.send('POST', path, { body: { content } })).toMatchObject({ status: 200 });

  expect(server.requests).toHaveLength(before);
  expect(JSON.stringify(provider.requests.at(-1)?.body)).toContain('its address is not a public one');
  await service.close();
});
