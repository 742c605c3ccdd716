import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ProviderService, startProviderService } from '../support/provider-service.ts';
import { sendBytes, startUpload, uploadFile } from '../support/uploads.ts';

let provided: ProviderService;
let agent: string;
beforeAll(async () => {
  provided = await startProviderService();
  agent = await provided.agent();
  provided.provider.reply({ kind: 'answer', deltas: ['I see.'] });
});
afterAll(() => provided.close());

interface NewText {
  readonly name: string;
  readonly mime_type: string;
  readonly bytes: Buffer;
}

/** Uploads a file, sends it in a message, and returns its text as the provider received it. */
async function textAtModel(file: NewText): Promise<string> {
  const { part } = await uploadFile(provided.service, { ...file });
  return receivedText(part);
}

async function receivedText(part: object): Promise<string> {
  expect(await provided.turn(agent, { content: [part] })).toMatchObject({ status: 200 });
  const messages = provided.provider.requests.at(-1)?.body.messages as { role: string; content: unknown }[];
  const { content } = messages.at(-1) ?? {};
  return typeof content === 'string' ? content : String((content as { text: string }[])[0]?.text);
}

/** The reason why the bytes of an upload are refused. */
async function refusalOf({ bytes, ...fields }: NewText): Promise<string> {
  const { body } = await startUpload(provided.service, { bytes, ...fields });
  const response = await sendBytes(provided.service, body, bytes);
  expect(response.status).toBe(400);
  return (await response.json()).error.message;
}

const utf16 = (text: string) => Buffer.from(`\ufeff${text}`, 'utf16le');

describe('a text', () => {
  it.each([
    ['UTF-16 with a byte order mark', 'text/csv', utf16('Name;Ort\nJörg;Zürich'), 'Name;Ort\nJörg;Zürich'],
    ['UTF-16 in big-endian order', 'text/csv', utf16('Jörg;1').swap16(), 'Jörg;1'],
    ['UTF-16 with a charset', 'text/csv; charset=utf-16le', utf16('Jörg;1').subarray(2), 'Jörg;1'],
    ['windows-1252 with a charset', 'text/plain; charset=windows-1252', Buffer.from([0x93, 0xe9, 0x94]), '“é”'],
    ['windows-1251 with a charset', 'text/plain; charset="windows-1251"', Buffer.from([0xcf, 0xf0, 0xe8]), 'При'],
    ['UTF-8', 'text/plain', Buffer.from('Jörg 👋'), 'Jörg 👋'],
  ])('in %s reaches the model', async (_name, mimeType, bytes, text) => {
    expect(await textAtModel({ name: 'a.csv', mime_type: mimeType, bytes })).toMatch(
      new RegExp(`^\\[The file "a.csv" of type text/(csv|plain):\\]\n${text}$`),
    );
  });

  it('in an unknown encoding reaches the model with a warning', async () => {
    const text = await textAtModel({ name: 'a.txt', mime_type: 'text/plain', bytes: Buffer.from('J\xf6rg', 'latin1') });
    expect(text).toBe(
      '[The file "a.txt" of type text/plain: \ufffd stands for characters that could not be read, because the file is not ' +
        'UTF-8 and its type names no valid charset.]\nJ\ufffdrg',
    );
  });

  it.each([
    'Good morning',
    'GET /',
    'BM is short',
    'ID3 is a tag',
    'OTTO',
    'GIF89a',
    'II*',
    '8BPS',
    'OggS',
    'fLaC',
    '\x1b[1mG',
  ])('that begins like a file of another type is text: %j', async (beginning) => {
    const bytes = Buffer.from(`${beginning} and more words`);
    expect(await textAtModel({ name: 'a.txt', mime_type: 'text/plain', bytes })).toContain(`${beginning} and more`);
  });

  it.each([
    ['a picture', Buffer.from('GIF89a\x01\x00\x01\x00\x80', 'latin1')],
    ['sound', Buffer.from('ID3\x04\x01 and so on', 'latin1')],
    ['a PDF', Buffer.from('%PDF-1.7 and so on')],
    ['a rich text', Buffer.from('{\\rtf1 and so on}')],
    ['UTF-16 without a mark and charset', utf16('Jörg').subarray(2)],
    ['UTF-16 with NUL characters', utf16('a\0b')],
    ['bytes with NUL', Buffer.from('a\0b')],
  ])('cannot be %s', async (_name, bytes) => {
    expect(await refusalOf({ name: 'a.txt', mime_type: 'text/plain', bytes })).toMatch(
      /^The file was announced as text/,
    );
  });
});

describe('a file of TypeScript', () => {
  const source = Buffer.from('Gamma: const x: number = 1;');

  it.each(['app.ts', 'App.TSX', 'app.mts', 'app.cts'])(
    'is text under the type that browsers give it: %s',
    async (name) => {
      const { id, part } = await uploadFile(provided.service, { name, mime_type: 'video/mp2t', bytes: source });
      const file = await provided.service.send('GET', `/v1/files/${id}`);
      expect(file.body.data ?? file.body).toMatchObject({ name, mime_type: 'text/x-typescript' });
      expect(await receivedText(part)).toBe(`[The file "${name}" of type text/x-typescript:]\n${source}`);
    },
  );

  it('is text inside a message', async () => {
    const mime_type = 'video/mp2t; name="app.ts"';
    const text = await receivedText({ type: 'data', mime_type, data: source.toString('base64') });
    expect(text).toBe(`[The file "app.ts" of type text/x-typescript:]\n${source}`);
  });

  it('differs from a film', async () => {
    const packet = Buffer.concat([Buffer.from([0x47, 0x40, 0, 0x10]), Buffer.alloc(184)]);
    const { id } = await uploadFile(provided.service, { name: 'film.m2ts', mime_type: 'video/mp2t', bytes: packet });
    const file = await provided.service.send('GET', `/v1/files/${id}`);
    expect(file.body.data ?? file.body).toMatchObject({ mime_type: 'video/mp2t' });
  });
});

describe('the name of an upload', () => {
  const named = (name: string) => startUpload(provided.service, { name });

  it.each([
    'می\u200cخواهم.png',
    '👨\u200d👩\u200d👧.png',
    '\u{1f3f4}\u{e0067}\u{e0062}\u{e0065}\u{e006e}\u{e0067}\u{e007f}.png',
  ])('can be %j', async (name) => {
    const { id } = await uploadFile(provided.service, { name });
    const file = await provided.service.send('GET', `/v1/files/${id}`);
    expect((file.body.data ?? file.body).name).toBe(name);
  });

  it.each(['a\u202egpj.png', 'a\u2066.png', '\u200ea.png', 'a\u061c.png', 'a\u200b.png', 'a\u{e0061}.png', 'a\n.png'])(
    'cannot be %j',
    async (name) => {
      const { status, body } = await named(name);
      expect({ status, message: body.error.message }).toMatchObject({
        status: 400,
        message: expect.stringContaining('must not contain control characters'),
      });
    },
  );
});
