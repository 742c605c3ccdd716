import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { FilePart, ModelPort } from '../../src/domain/agent/model-port.ts';
import { createModels } from '../../src/model/models.ts';
import { createGuardedFetcher } from '../../src/outbound/guarded-fetch.ts';
import { type FakeProvider, startFakeProvider } from '../support/fake-provider.ts';
import { type FileServer, file, startFileServer } from '../support/file-server.ts';
import { filePart, MP3, MP4, PDF, PNG, receivedParts, requestWith, WAV } from '../support/files.ts';

const OPENAI = 'openai:gpt-test';
const ANTHROPIC = 'anthropic:claude-test';
const COMPATIBLE = 'openai-compatible:any-test';

let provider: FakeProvider;
let server: FileServer;
let models: ModelPort;

beforeAll(async () => {
  provider = await startFakeProvider();
  provider.reply({ kind: 'answer', deltas: ['I see.'] });
  server = await startFileServer({
    '/cat.png': file('image/png', PNG),
    '/report.pdf': file('application/pdf', PDF),
    '/notes.txt': file('text/plain; charset=iso-8859-1', Buffer.from('Grüezi', 'latin1')),
    '/page.html': file('text/html', '<p>Hello</p>'),
    '/talk.wav': file('audio/wav', WAV),
    '/talk.mp3': file('audio/mpeg', MP3),
    '/film.mp4': file('video/mp4', MP4),
    '/data.bin': file('application/octet-stream', Buffer.from([0, 1, 2])),
    '/login.pdf': file('text/html', '<form>'),
    '/empty.pdf': file('application/pdf', ''),
    '/large.pdf': file('application/pdf', Buffer.alloc(8 * 1024 * 1024 + 1)),
    '/export': file('application/octet-stream', PDF),
    '/away.pdf': (_, response) => void response.writeHead(302, { location: '/report.pdf' }).end(),
    '/inside.pdf': (_, response) => void response.writeHead(302, { location: 'http://10.0.0.1/a.pdf' }).end(),
  });
  const baseUrl = provider.url;
  const fetcher = createGuardedFetcher({ allowLoopback: true });
  models = createModels({ openai: { apiKey: 'key', baseUrl }, anthropic: { apiKey: 'key', baseUrl } }, fetcher);
});
afterAll(() => Promise.all([provider.close(), server.close()]));

const hosted = (mediaType: string, path: string) => filePart(mediaType, new URL(path, server.url));
const inline = (mediaType: string, bytes: Uint8Array) => filePart(mediaType, Buffer.from(bytes).toString('base64'));
const dataUrl = (mediaType: string, bytes: Buffer) => `data:${mediaType};base64,${bytes.toString('base64')}`;

/** What the provider receives for a file, and the requests to the file's server. */
async function give(model: string, part: FilePart) {
  const before = server.requests.length;
  expect(await models.step(requestWith(model, [part]))).toMatchObject({ text: 'I see.' });
  const [received, ...others] = receivedParts(provider.requests.at(-1));
  expect(others).toEqual([]);
  return { received, fetched: server.requests.slice(before) };
}

const unsupported = (title: string) => ({
  type: 'text',
  text: `[The file ${title} could not be given to you: this model does not take files of this type.]`,
});

describe.each([OPENAI, COMPATIBLE])('%s', (model) => {
  it('gets the address of an image', async () => {
    for (const mediaType of ['image/png', 'image/*', 'IMAGE/PNG', 'image/jpg', 'image/png; a=b']) {
      const { received, fetched } = await give(model, hosted(mediaType, '/cat.png'));
      expect(received).toEqual({ type: 'image_url', image_url: { url: `${server.url}/cat.png` } });
      expect(fetched).toEqual([]);
    }
  });

  it.each(['image/png', 'image/*', 'Image/PNG', 'image/jpeg', 'application/octet-stream'])(
    'takes an image as data, by what it is, said to be %s',
    async (mediaType) => {
      const { received } = await give(model, inline(mediaType, PNG));
      expect(received).toEqual({ type: 'image_url', image_url: { url: dataUrl('image/png', PNG) } });
    },
  );

  it('gets a PDF as data', async () => {
    const { received } = await give(model, inline('application/pdf', PDF));
    expect(received).toMatchObject({ type: 'file', file: { file_data: dataUrl('application/pdf', PDF) } });
  });

  it.each([
    ['/report.pdf', 'report.pdf'],
    ['/away.pdf', 'away.pdf'],
    ['/export', 'export.pdf'],
  ])('is given a PDF that it does not download as data, from %s', async (path, filename) => {
    const { received, fetched } = await give(model, hosted('application/pdf', path));
    const expected = { filename, file_data: dataUrl('application/pdf', PDF) };
    expect(received).toEqual({ type: 'file', file: expected });
    expect(fetched[0]).toBe(`GET ${path}`);
  });

  it.each([
    ['audio/wav', '/talk.wav', 'wav', WAV],
    ['audio/x-wav', '/talk.wav', 'wav', WAV],
    ['audio/mp3', '/talk.mp3', 'mp3', MP3],
    ['audio/mpeg', '/talk.mp3', 'mp3', MP3],
    ['audio/*', '/talk.mp3', 'mp3', MP3],
  ] as const)('takes %s of %s as data, inline and downloaded', async (mediaType, path, format, bytes) => {
    const expected = { type: 'input_audio', input_audio: { data: bytes.toString('base64'), format } };
    expect(await give(model, inline(mediaType, bytes))).toEqual({ received: expected, fetched: [] });
    expect(await give(model, hosted(mediaType, path))).toEqual({ received: expected, fetched: [`GET ${path}`] });
  });

  it('gets the name of an inline file', async () => {
    const pdf = await give(model, inline('application/pdf; name="Bericht %C3%BC.pdf"', PDF));
    const expected = { filename: 'Bericht ü.pdf', file_data: dataUrl('application/pdf', PDF) };
    expect(pdf.received).toEqual({ type: 'file', file: expected });
    const notes = await give(model, inline('text/plain; name="notes.txt"', Buffer.from('Hello')));
    expect(notes.received).toEqual({ type: 'text', text: '[The file "notes.txt" of type text/plain:]\nHello' });
    const film = await give(model, inline('video/mp4; name="film.mp4"', MP4));
    expect(film.received).toEqual(unsupported('"film.mp4" of type video/mp4'));
  });

  it('gets a note for an unsupported file, without a download', async () => {
    const film = await give(model, hosted('video/mp4', '/film.mp4?signature=secret'));
    expect(film).toEqual({ received: unsupported('"film.mp4" of type video/mp4'), fetched: [] });
    const photo = await give(model, hosted('image/heic', '/cat.heic'));
    expect(photo).toEqual({ received: unsupported('"cat.heic" of type image/heic'), fetched: [] });
  });

  it.each(['video/mp4', 'audio/ogg', 'image/tiff', 'application/octet-stream', 'application/zip'])(
    'gets a note for inline %s',
    async (mediaType) => {
      const { received } = await give(model, inline(mediaType, MP4));
      expect(received).toEqual(unsupported(`of type ${mediaType}`));
    },
  );
});

describe(ANTHROPIC, () => {
  it.each([
    ['image', 'image/png', 'https://files.example/cat.png'],
    ['image', 'image/*', 'https://files.example/cat'],
    ['document', 'Application/PDF', 'https://files.example/report.pdf'],
  ])('gets the address of a %s of type %s', async (type, mediaType, url) => {
    const { received } = await give(ANTHROPIC, filePart(mediaType, new URL(url)));
    expect(received).toEqual({ type, source: { type: 'url', url } });
  });

  it('gets a file without an https address as data', async () => {
    const { received, fetched } = await give(ANTHROPIC, hosted('image/*', '/cat.png'));
    const source = { type: 'base64', media_type: 'image/png', data: PNG.toString('base64') };
    expect(received).toEqual({ type: 'image', source });
    expect(fetched).toEqual(['GET /cat.png']);
  });

  it('gets images and PDFs as data', async () => {
    const image = await give(ANTHROPIC, inline('image/jpeg', PNG));
    expect(image.received).toMatchObject({ type: 'image', source: { type: 'base64', media_type: 'image/png' } });
    const document = await give(ANTHROPIC, inline('application/pdf', PDF));
    const source = { type: 'base64', media_type: 'application/pdf', data: PDF.toString('base64') };
    expect(document.received).toMatchObject({ type: 'document', source });
  });

  it.each(['audio/wav', 'audio/mpeg', 'video/mp4', 'application/octet-stream'])(
    'gets a note for %s, without a download',
    async (mediaType) => {
      const { received, fetched } = await give(ANTHROPIC, hosted(mediaType, '/talk.wav'));
      expect(received).toEqual(unsupported(`"talk.wav" of type ${mediaType}`));
      expect(fetched).toEqual([]);
      expect((await give(ANTHROPIC, inline(mediaType, MP4))).received).toEqual(unsupported(`of type ${mediaType}`));
    },
  );
});

describe.each([OPENAI, ANTHROPIC, COMPATIBLE])('texts to %s', (model) => {
  it.each(['text/plain', 'TEXT/CSV', 'application/json', 'text/plain; charset=utf-8', 'image/svg+xml'])(
    'are text, said to be %s',
    async (mediaType) => {
      const { received } = await give(model, inline(mediaType, Buffer.from('{"a":"ü"}')));
      const plain = mediaType.toLowerCase().replace(/;.*/, '');
      expect(received).toEqual({ type: 'text', text: `[The file of type ${plain}:]\n{"a":"ü"}` });
    },
  );

  it('are downloaded and decoded with the character set of the response', async () => {
    const { received, fetched } = await give(model, hosted('text/plain', '/notes.txt'));
    expect(received).toEqual({ type: 'text', text: '[The file "notes.txt" of type text/plain:]\nGrüezi' });
    expect(fetched).toEqual(['GET /notes.txt']);
    const page = await give(model, hosted('text/html', '/page.html'));
    expect(page.received).toMatchObject({ text: '[The file "page.html" of type text/html:]\n<p>Hello</p>' });
  });

  it('are cut at 200,000 characters, with a mark', async () => {
    const { received } = await give(model, inline('text/plain', Buffer.from(`${'x'.repeat(199_999)}😀y`)));
    const text = String(received?.text);
    expect(text).toHaveLength(
      199_999 + '[The file of type text/plain:]\n\n[The file is longer: this is its beginning.]'.length,
    );
    expect(text).toMatch(/x\n\[The file is longer: this is its beginning\.\]$/);
  });

  it('are replaced with a note if the bytes are not text', async () => {
    const { received } = await give(model, inline('text/plain', MP4));
    expect(received).toMatchObject({
      text: '[The file of type text/plain could not be given to you: it is not text.]',
    });
  });
});

describe('the note for an unavailable file', () => {
  it.each([
    ['/gone.pdf', 'its address answered with status 404'],
    ['/login.pdf', 'its address answered with a web page'],
    ['/empty.pdf', 'it is empty'],
    ['/large.pdf', 'it is larger than 8 MiB'],
    ['/inside.pdf', 'its address is not a public one'],
  ])('%s: %s', async (path, reason) => {
    const { received } = await give(OPENAI, hosted('application/pdf', path));
    const name = path.slice(1);
    const text = `[The file "${name}" of type application/pdf could not be given to you: ${reason}.]`;
    expect(received).toEqual({ type: 'text', text });
  });

  it.each([
    ['http://10.0.0.1/a.pdf', 'its address is not a public one'],
    ['http://user:secret@127.0.0.1/a.pdf', 'its address is not a public one'],
    ['http://127.0.0.1:1/a.pdf', 'its address could not be reached'],
  ])('%s: %s', async (url, reason) => {
    const { received } = await give(OPENAI, filePart('application/pdf', new URL(url)));
    expect(received?.text).toBe(`[The file "a.pdf" of type application/pdf could not be given to you: ${reason}.]`);
  });

  it('contains a name that is safe to show', async () => {
    const { received } = await give(OPENAI, hosted('video/mp4', '/a%0A%E2%80%AEb%20c.mp4'));
    expect(received).toEqual(unsupported('"ab c.mp4" of type video/mp4'));
    const broken = await give(OPENAI, hosted('video/mp4', '/%E0%A4%A.mp4'));
    expect(broken.received).toEqual(unsupported('"%E0%A4%A.mp4" of type video/mp4'));
    const unknown = await give(OPENAI, hosted('video/mp4', '/?file=secret'));
    expect(unknown.received).toEqual(unsupported('of type video/mp4'));
  });
});
