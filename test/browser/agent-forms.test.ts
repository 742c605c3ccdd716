import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { answer, conversationOf, form, liftLimits, outputsOf, QUESTIONS, reply, say } from '../support/agent-page.ts';
import { expectAccessible, expectQuiet, screenshot } from '../support/browser.ts';
import { startService, type TestService } from '../support/service.ts';
import { makeDeployment } from '../support/tenants.ts';
import { launchBrowser, type Visit, visit } from '../support/visit.ts';

let service: TestService;
let browser: Browser;
let window: Visit;
let page: Page;
let address: string;
beforeAll(async () => {
  [service, browser] = await Promise.all([startService(), launchBrowser()]);
  const { id } = await makeDeployment(
    service,
    {
      clientTools: [
        { name: 'ask_user' },
        { name: 'upload_document' },
        { name: 'lookup_customer', availability: 'always' },
      ],
    },
    { kind: 'agent', name: 'Desk', hostedPage: true },
  );
  await liftLimits(service);
  address = `/agent/${id}`;
});
afterAll(async () => {
  await service?.close();
});

async function begin(script: string): Promise<void> {
  window = await visit(browser, service.url);
  page = await window.open(address);
  await say(page, script);
}

async function end(): Promise<void> {
  expectQuiet(window);
  await window.close();
}

const MIB = 1024 * 1024;

const text = (name: string, bytes: number, mimeType = 'text/plain') => ({
  name,
  mimeType,
  buffer: Buffer.alloc(bytes, 'a'),
});

const choose = (title: string, files: Parameters<ReturnType<Page['locator']>['setInputFiles']>[0]) =>
  form(page, title).locator('input[type=file]').setInputFiles(files);

const focused = (): Promise<string | null> =>
  page.evaluate(() => document.activeElement?.closest('[data-question]')?.getAttribute('data-question') ?? null);

describe('the form of ask_user', () => {
  it('names each unanswered question and focuses the first', async () => {
    await begin('/ask\n/say Thank you.');
    const questions = form(page, QUESTIONS);
    await questions.getByRole('button', { name: 'Send' }).click();
    await questions.getByRole('alert').getByText('Answer “What is your name?”.').waitFor();
    await questions.getByRole('alert').getByText('Choose an answer to “How may we reach you?”.').waitFor();
    expect(await focused()).toBe('name');
    const name = questions.getByLabel('What is your name?');
    expect(await name.getAttribute('aria-invalid')).toBe('true');
    await expectAccessible(page);
    await screenshot(page, 'agent-questions-open');
    await name.fill('Ann');
    await questions.getByRole('button', { name: 'Send' }).click();
    expect(await focused()).toBe('contact');
    await questions.getByRole('radio', { name: 'Other' }).check();
    await questions.getByRole('button', { name: 'Send' }).click();
    await questions.getByRole('alert').getByText('Write your answer to “How may we reach you?”.').waitFor();
    await page.keyboard.type('by pigeon');
    await questions.getByRole('button', { name: 'Send' }).click();
    await reply(page, 'Thank you.').waitFor();
    expect(await outputsOf(service, await conversationOf(page))).toEqual([
      {
        answers: [
          { id: 'name', value: 'Ann' },
          { id: 'contact', value: 'by pigeon' },
          { id: 'topics', value: [] },
        ],
      },
    ]);
    await end();
  });

  it('shows a rejected answer at its question', async () => {
    await begin('/ask\n/say Thank you.');
    await answer(page, 'Ann');
    // A NUL character: keyboards cannot type it and PostgreSQL cannot store it.
    await form(page, QUESTIONS)
      .getByLabel('What is your name?')
      .evaluate((field: HTMLTextAreaElement) => {
        Object.getOwnPropertyDescriptor(HTMLTextAreaElement.prototype, 'value')?.set?.call(field, 'An\u0000n');
        field.dispatchEvent(new Event('input', { bubbles: true }));
      });
    await form(page, QUESTIONS).getByRole('button', { name: 'Send' }).click();
    const error = 'The answer to “What is your name?” must not contain NUL';
    await form(page, QUESTIONS).getByRole('alert').getByText(error).waitFor();
    expect(await form(page, QUESTIONS).getByLabel('What is your name?').getAttribute('aria-invalid')).toBe('true');
    await expect.poll(focused).toBe('name');
    await form(page, QUESTIONS).getByLabel('What is your name?').fill('Ann');
    await form(page, QUESTIONS).getByRole('button', { name: 'Send' }).click();
    await reply(page, 'Thank you.').waitFor();
    expect(window.consoleErrors).toEqual([expect.stringContaining('400')]);
    await window.close();
  });
});

describe('the form of upload_document', () => {
  const ask = (args: object) => `/call upload_document ${JSON.stringify({ prompt: 'Your papers, please', ...args })}`;
  const TITLE = 'Your papers, please';

  it('accepts chosen and dropped files, lists them and removes one', async () => {
    await begin(`${ask({ multiple: true })}\n/say Thank you.`);
    const upload = form(page, TITLE);
    await upload.getByText('Up to 64 files, each up to 10.0 MB.').waitFor();
    await upload.getByRole('button', { name: 'Send' }).click();
    await upload.getByText('Choose at least one file.').waitFor();
    const picture = Buffer.from(
      'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
      'base64',
    );
    await choose(TITLE, [text('one.txt', 3), { name: 'dot.png', mimeType: 'image/png', buffer: picture }]);
    await upload.locator('img').waitFor();
    await upload.locator('[data-drop]').evaluate((area) => {
      const dataTransfer = new DataTransfer();
      dataTransfer.items.add(new File(['dropped'], 'dropped.md', { type: 'text/markdown' }));
      area.dispatchEvent(new DragEvent('drop', { bubbles: true, dataTransfer }));
    });
    await upload.getByText('dropped.md').waitFor();
    await expectAccessible(page);
    await screenshot(page, 'agent-upload-files');
    await upload.getByRole('button', { name: 'Remove one.txt' }).click();
    await upload.getByRole('button', { name: 'Send' }).click();
    await reply(page, 'Thank you.').waitFor();
    const [output] = await outputsOf(service, await conversationOf(page));
    const { content } = output as { content: object[] };
    const file_uri = expect.stringMatching(/^parley:file_/);
    expect(content).toEqual([
      { type: 'url', mime_type: 'image/png', file_uri },
      { type: 'url', mime_type: 'text/markdown', file_uri },
    ]);
    await end();
  });

  it('rejects files of another type and files that are too large, and shows the limits', async () => {
    await begin(`${ask({ accept: ['application/pdf', 'image/*'] })}\n/say Thank you.`);
    const upload = form(page, TITLE);
    await upload.getByText('One file, up to 10.0 MB: PDF, any image.').waitFor();
    await choose(TITLE, text('notes.txt', 10));
    await upload.getByText('notes.txt is not one of PDF, any image.').waitFor();
    await choose(TITLE, text('large.pdf', 11 * MIB, 'application/pdf'));
    await upload.getByText('large.pdf is 11.0 MB. The limit is 10.0 MB.').waitFor();
    await choose(TITLE, text('empty.pdf', 0, 'application/pdf'));
    await upload.getByText('empty.pdf is empty.').waitFor();
    await expectAccessible(page);
    // The service accepts a file of exactly the displayed limit.
    await choose(TITLE, text('false.pdf', 10, 'application/pdf'));
    const reason = 'Its type is not allowed, or its content does not match its type.';
    await upload.getByText(`false.pdf was not accepted. ${reason}`).waitFor();
    const pdf = Buffer.concat([Buffer.from('%PDF-1.7'), Buffer.alloc(10 * MIB - 8, 'a')]);
    await choose(TITLE, { name: 'most.pdf', mimeType: 'application/pdf', buffer: pdf });
    await upload.getByText('most.pdf').waitFor();
    await upload.getByRole('button', { name: 'Send' }).click();
    await reply(page, 'Thank you.').waitFor();
    // The rejected upload.
    expect(window.consoleErrors).toEqual([expect.stringContaining('400')]);
    await window.close();
  });
});

describe('the form of a custom client tool', () => {
  it('shows the arguments and accepts only an object', async () => {
    await begin('/call lookup_customer {"customer_id":"c1"}\n/say Found.');
    const lookup = form(page, 'Lookup customer');
    await lookup.getByText('"customer_id": "c1"').waitFor();
    await expectAccessible(page);
    await screenshot(page, 'agent-custom');
    const result = lookup.getByLabel('Result');
    for (const [input, error] of [
      ['{"found": tru}', 'The result is not valid JSON. Put names and texts in double quotes.'],
      ['[1]', 'The result must be a JSON object, like {"found": true}.'],
      [JSON.stringify({ long: 'a'.repeat(1024 * 1024) }), 'The result is 1.0 MB. The limit is 1.0 MB.'],
    ] as const) {
      await result.fill(input);
      await lookup.getByRole('button', { name: 'Send' }).click();
      await lookup.getByRole('alert').getByText(error).waitFor();
    }
    // The service rejects a character that PostgreSQL cannot store.
    await result.fill('{"found": "a\\u0000b"}');
    await lookup.getByRole('button', { name: 'Send' }).click();
    await lookup.getByRole('alert').getByText('“found” must not contain NUL').waitFor();
    await screenshot(page, 'agent-custom-rejected');
    await result.fill('{"found": true}');
    await lookup.getByRole('button', { name: 'Send' }).click();
    await reply(page, 'Found.').waitFor();
    expect(await outputsOf(service, await conversationOf(page))).toEqual([{ found: true }]);
    expect(window.consoleErrors).toEqual([expect.stringContaining('400')]);
    await window.close();
  });
});

describe('several calls in one round', () => {
  it('shows a form for each call, lists the missing ones and sends all outputs together', async () => {
    await begin('/ask && /upload && /call lookup_customer {}\n/say All there.');
    await page.getByText('Still missing: Questions, Document, Lookup customer.').waitFor();
    await expectAccessible(page);
    await screenshot(page, 'agent-several');
    const save = 'Save and continue';
    await form(page, 'Lookup customer').getByRole('button', { name: save }).click();
    await page.getByText('Still missing: Questions, Document.').waitFor();
    await answer(page, 'Ann');
    await form(page, QUESTIONS).getByRole('button', { name: save }).click();
    await page.getByText('Still missing: Document.').waitFor();
    const cid = await conversationOf(page);
    expect(await outputsOf(service, cid)).toEqual([null, null, null]);
    await screenshot(page, 'agent-several-saved');

    await page.getByRole('button', { name: 'Change Questions' }).click();
    await expect.poll(() => form(page, QUESTIONS).getByLabel('What is your name?').inputValue()).toBe('Ann');
    await form(page, QUESTIONS).getByLabel('What is your name?').fill('Bea');
    await form(page, QUESTIONS).getByRole('button', { name: save }).click();
    await page.reload();
    await page.getByText('Still missing: Document.').waitFor();
    await choose('Please upload a document.', text('letter.txt', 3));
    await form(page, 'Please upload a document.').getByRole('button', { name: 'Send' }).click();
    await reply(page, 'All there.').waitFor();
    expect(await outputsOf(service, cid)).toMatchObject([
      { answers: [{ value: 'Bea' }, { value: 'phone' }, {}] },
      { content: [{ type: 'url' }] },
      {},
    ]);
    // The drafts are removed.
    expect(await page.evaluate(() => JSON.stringify(sessionStorage))).toBe('{}');
    await end();
  });
});
