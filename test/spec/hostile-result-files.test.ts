import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { filePart, imagePart, pngOf, type ResultTalks, startResultTalks } from '../support/result-talks.ts';

let talks: ResultTalks;
beforeAll(async () => {
  talks = await startResultTalks();
});
afterAll(() => talks.close());

const MIB = 1024 * 1024;

describe('the files of a hostile MCP server', () => {
  const contentOf = async (parts: readonly object[]) => {
    const before = await talks.stored();
    const output = await talks.output(await talks.talk({ parts }));
    return { ...output, stored: (await talks.stored()) - before };
  };

  it('are at most eight of a result', async () => {
    const { content: text, files, stored } = await contentOf(Array.from({ length: 100 }, () => imagePart(pngOf())));
    expect([files?.length, stored]).toEqual([8, 8]);
    expect(text.match(/because a result can have 8 files/g)).toHaveLength(92);
  });

  it.each<[string, object, string]>([
    ['a text that is called a picture', imagePart(Buffer.from('hello')), 'no model takes its content'],
    ['a page that is called a picture', imagePart(Buffer.from('<html><script>1</script>')), 'no model takes'],
    ['a document that is called a picture', imagePart(Buffer.from('%PDF-1.7')), 'no model takes its content'],
    [
      'a drawing with a script',
      imagePart(Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"><script>1</script></svg>'), 'image/svg+xml'),
      'no model takes its content',
    ],
    ['an archive', filePart(Buffer.from('504b0304', 'hex'), 'application/zip'), 'no model takes its content'],
    ['a program that is called a text', filePart(Buffer.from('7f454c4600', 'hex'), 'text/plain'), 'was rejected'],
    ['characters that are no base64', { type: 'image', data: 'iVBORw0KGgo*', mimeType: 'image/png' }, 'not base64'],
    ['the base64 of URLs', { type: 'image', data: '_-__', mimeType: 'image/png' }, 'it is not base64'],
    ['no bytes', { type: 'image', data: '', mimeType: 'image/png' }, 'it is not base64'],
    ['half a header', imagePart(pngOf().subarray(0, 20)), 'it is not a complete picture'],
    ['40,000 pixels on a side', imagePart(pngOf(40_000, 40_000)), '40,000 × 40,000 pixels'],
    ['4,000,000,000 pixels on a side', imagePart(pngOf(4_000_000_000, 1)), '4,000,000,000 × 1 pixels'],
    ['over 5 MiB', imagePart(Buffer.concat([pngOf(), Buffer.alloc(5 * MIB)])), 'it is larger than 5 MiB'],
  ])('are notes with %s', async (_description, part, reason) => {
    const output = await contentOf([part]);
    expect(output.content).toContain(reason);
    expect([output.files, output.stored]).toEqual([undefined, 0]);
  });

  it('are notes next to structured content', async () => {
    const [kept, lost] = [imagePart(pngOf()), imagePart(pngOf(9_000, 1))];
    const talk = await talks.talk({ parts: [kept, lost], structuredContent: { rows: 2 } });
    expect(await talks.output(talk)).toMatchObject({
      content: { rows: 2 },
      note: '[image omitted: image/png, because it has 9,000 × 1 pixels, and a side can have 8,000]',
      files: [{ name: 'image-1.png' }],
    });
  });

  it('keep the type of their bytes, and no folders or directions in their names', async () => {
    const jpeg = Buffer.from('ffd8ffe000104a46494600010100000100010000ffc0000b080001000101011100', 'hex');
    const { files } = await contentOf([
      filePart(jpeg, 'image/png', 'file:///a/..%2f..%2fetc\u202egpj.exe'),
      filePart(pngOf(), 'image/png', 'x:..'),
    ]);
    expect(files).toMatchObject([
      { mime_type: 'image/jpeg', name: '.._.._etcgpj.exe' },
      { mime_type: 'image/png', name: 'file-2.png' },
    ]);
  });

  it('end the call if the response has 50 MB', async () => {
    const output = await contentOf([imagePart(Buffer.concat([pngOf(), Buffer.alloc(50 * MIB)]))]);
    expect(output.error).toContain('The response is larger than 8,388,608 bytes.');
  });
});
