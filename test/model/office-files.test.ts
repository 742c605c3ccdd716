import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { LIMITS } from '../../src/contract/limits.ts';
import type { ModelPort } from '../../src/domain/agent/model-port.ts';
import { type FakeProvider, startFakeProvider } from '../support/fake-provider.ts';
import { filePart, receivedParts, requestWith } from '../support/files.ts';
import { archive, DOCX, docx, PPTX, pptx, XLSX, xlsx } from '../support/office-files.ts';
import { modelsAt } from '../support/provider-models.ts';

let provider: FakeProvider;
let models: ModelPort;
beforeAll(async () => {
  provider = await startFakeProvider();
  provider.reply({ kind: 'answer', deltas: ['I see.'] });
  models = modelsAt(provider.url);
});
afterAll(() => provider.close());

/** Sends files in one message, and returns what the provider received. */
async function received(mediaType: string, ...files: readonly Buffer[]): Promise<unknown[]> {
  const parts = files.map((bytes) => filePart(mediaType, bytes.toString('base64')));
  await models.step(requestWith('openai:gpt-test', parts));
  return receivedParts(provider.requests.at(-1)).map(({ text }) => text);
}

const missing = (mediaType: string, reason: string) => [
  `[The file of type ${mediaType} could not be given to you: ${reason}.]`,
];

const DAMAGED = 'it is damaged, encrypted or too large, or it has no text';

/** The longest time without a turn of the event loop while the work runs. */
async function longestPauseMs(work: Promise<unknown>): Promise<number> {
  let [longest, before] = [0, performance.now()];
  const timer = setInterval(() => {
    const now = performance.now();
    longest = Math.max(longest, now - before);
    before = now;
  }, 1);
  await work.finally(() => clearInterval(timer));
  return longest;
}

/** A busy machine needs too long to see that a document is too large. */
const UNUSABLE = [DAMAGED, 'it could not be read in time'].map((reason) => missing(DOCX, reason)[0]);

describe('an Office document', () => {
  it.each([
    ['Word', DOCX, docx(['Grüße aus Zürich', '第二段']), 'Grüße aus Zürich\n\n第二段'],
    ['PowerPoint', PPTX, pptx(['First slide', 'Second slide']), 'First slide\n\nSecond slide'],
  ])('of %s reaches every model as text', async (_name, type, bytes, text) => {
    const [part] = await received(type, bytes);
    expect(String(part)).toMatch(new RegExp(`^\\[The file of type ${type}:\\]\n`));
    expect(String(part).replaceAll('---\n\n', '')).toContain(text);
    await models.step(requestWith('anthropic:claude-test', [filePart(type, bytes.toString('base64'))]));
    expect(JSON.stringify(provider.requests.at(-1)?.body)).toContain(text.split('\n')[0]);
  });

  it('of Excel reaches the model as a table', async () => {
    const rows = [
      ['Product', 'Price'],
      ['Apple', 42.5],
    ];
    const [part] = await received(XLSX, xlsx('Prices', rows));
    expect(part).toMatch(/\| Product \| Price \|\n\|[ -]+\|[ -]+\|\n\| Apple \| 42\.5 \|/);
  });

  it('is cut like other texts', async () => {
    const [part] = await received(DOCX, docx(Array.from({ length: 2_100 }, () => 'word '.repeat(20))));
    expect(part).toMatch(/\n\[The file is longer: this is its beginning\.\]$/);
    expect(String(part).length).toBeLessThan(200_200);
  });

  it('is missing with a reason if it cannot be read', async () => {
    expect(await received(DOCX, Buffer.from('PK\x03\x04 and so on'))).toEqual(missing(DOCX, DAMAGED));
    expect(await received(DOCX, Buffer.from('\xd0\xcf\x11\xe0 encrypted', 'latin1'))).toEqual(missing(DOCX, DAMAGED));
    expect(await received(DOCX, docx(['cut']).subarray(0, 200))).toEqual(missing(DOCX, DAMAGED));
  });

  it('is missing if it unpacks to too much, and the service goes on meanwhile', async () => {
    const bomb = docx(['readable'], ' '.repeat(LIMITS.officeUncompressedBytes));
    expect(bomb.byteLength).toBeLessThan(100_000);
    const entries = Array.from({ length: LIMITS.officeEntries + 1 }, (_, at) => [`word/media/${at}.txt`, '']);
    const many = docx(['readable'], '', Object.fromEntries(entries));
    let parts: unknown[] = [];
    const pause = await longestPauseMs(
      received(DOCX, bomb, many).then((seen) => {
        parts = seen;
      }),
    );
    for (const part of parts) expect(UNUSABLE).toContain(part);
    expect(parts).toHaveLength(2);
    expect(pause).toBeLessThan(250);
  });

  it('is missing if it takes too much memory or time', async () => {
    // 30 MiB of elements.
    const deep = docx(['a'], '<w:p><w:r><w:t>x</w:t></w:r></w:p>'.repeat(900_000));
    const [part] = await received(DOCX, deep);
    expect(UNUSABLE).toContain(part);
    expect(await received(DOCX, docx(['after it']))).toEqual([expect.stringContaining('after it')]);
  });

  it('resolves no external entity', async () => {
    const document =
      '<?xml version="1.0"?><!DOCTYPE d [<!ENTITY e SYSTEM "file:///etc/passwd">]><w:document xmlns:w="w"><w:body><w:p><w:r><w:t>&e;</w:t></w:r></w:p></w:body></w:document>';
    expect(JSON.stringify(await received(DOCX, archive({ 'word/document.xml': document })))).not.toContain('root:');
  });
});
