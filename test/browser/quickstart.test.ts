import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { differences } from '../docs/shape.ts';
import { composer, say } from '../support/chat-page.ts';
import { blocksOf, readDocument } from '../support/document-blocks.ts';
import { type FakeProvider, startFakeProvider } from '../support/fake-provider.ts';
import { freePorts } from '../support/free-ports.ts';
import { copyRepository, type RepositoryCopy } from '../support/repository-copy.ts';
import { launchBrowser, type Visit, visit } from '../support/visit.ts';

const GUIDE = 'docs/quickstart.md';

/** A line of each server that says that it is ready. */
const READY = /Parley runs at|The orders are ready|Local:/;

const FIRST_BUILD = ['the database client', 'the service', 'the pages', 'the guides'];

let copy: RepositoryCopy;
let provider: FakeProvider;
let browser: Browser;
let window: Visit;
let site: string;
const outputs: string[] = [];

/** The model calls a tool, and then answers. */
function callThenAnswer(name: string, args: object, answer: string): void {
  provider.reply(
    { kind: 'answer', calls: [{ name, arguments: JSON.stringify(args) }] },
    { kind: 'answer', deltas: [answer] },
  );
}

const callOrder = () => callThenAnswer('get_order', { order_id: '1001' }, 'It arrives on Friday.');

/** The results of tools that the model got with its newest request. */
const toolResults = () => JSON.stringify(provider.requests.at(-1)?.body.messages);

/** The name of the file that a block is saved as: the guide says it in the line before. */
function fileOf(line: number): string {
  const before = readDocument(GUIDE)
    .split('\n')
    .slice(0, line - 1)
    .join('\n');
  const name = /Save (?:it|this) as `([^`]+)`[^`]*$/.exec(before)?.[1];
  if (!name) throw new Error(`${GUIDE}:${line}: the text before does not name the file`);
  return name;
}

beforeAll(async () => {
  [copy, provider, browser] = await Promise.all([copyRepository(), startFakeProvider(), launchBrowser()]);
  const [port, orders, pages] = (await freePorts(3)).map(String);
  site = `http://127.0.0.1:${pages}`;
  const localized = (text: string) =>
    text
      .replace('https://api.openai.com/v1', provider.url)
      .replaceAll('127.0.0.1:4000', `127.0.0.1:${port}`)
      .replace(/127\.0\.0\.1:4100|4100/g, (shown) => shown.replace('4100', orders ?? ''))
      .replaceAll('127.0.0.1:8080', `127.0.0.1:${pages}`)
      // `copyRepository` has the packages.
      .replace(/^npm ci$/m, '');
  callOrder();
  for (const { purpose, text, line } of blocksOf(GUIDE)) {
    const code = localized(text);
    if (purpose === 'output') {
      expect(differences(JSON.parse(text), JSON.parse(outputs.at(-1)?.split('\n').at(-1) ?? ''))).toEqual([]);
    } else if (purpose.includes('saves it')) {
      const path = join(copy.folder, fileOf(line));
      await mkdir(dirname(path), { recursive: true });
      await writeFile(path, code);
    } else if (purpose.includes('starts it')) {
      outputs.push(await copy.start(code, READY, { PORT: port ?? '' }));
    } else {
      outputs.push(await copy.shell(code));
    }
  }
  window = await visit(browser, site, { isOwn: true });
}, 400_000);
afterAll(async () => {
  await window?.context.close();
  await Promise.all([copy?.remove(), provider?.close()]);
});

async function ask(page: Page, text: string): Promise<void> {
  await composer(page).fill(text);
  await composer(page).press('Enter');
}

describe('the quickstart', () => {
  it('prints the steps of the first start, each with its time', () => {
    const [, start = ''] = outputs;
    for (const product of FIRST_BUILD) expect(start).toMatch(new RegExp(`^ {2}Built ${product} in \\d+\\.\\d s$`, 'm'));
    expect(start).toMatch(/^Parley runs at/m);
  });

  it('calls the server tool in a request with curl', () => {
    expect(outputs.find((output) => output.includes('run_status'))).toContain('It arrives on Friday.');
  });

  it.each(['sdk.html', 'use-chat.html'])('has a page whose agent uses both tools: %s', async (name) => {
    const page = await window.open(`/${name}`);
    callOrder();
    await ask(page, 'Where is order 1001?');
    await page.getByText('assistant: It arrives on Friday.').waitFor();
    expect(toolResults()).toContain('shipped');
    // A form with a disabled button ignores the Enter key.
    await page.getByRole('button', { name: 'Send', disabled: false }).waitFor();
    callThenAnswer('read_cart', {}, 'There is a lamp in your cart.');
    await ask(page, 'What is in my cart?');
    await page.getByText('There is a lamp in your cart.').waitFor();
    expect(toolResults()).toContain('Lamp');
    expect(window.consoleErrors).toEqual([]);
  });

  it('has a page with the widget, whose agent uses the server tool', async () => {
    const page = await window.open('/widget.html');
    callOrder();
    await page.getByRole('button', { name: 'Chat with us' }).click();
    await say(page.frameLocator('iframe'), 'Where is order 1001?');
    await page.frameLocator('iframe').getByText('It arrives on Friday.').waitFor();
    expect(toolResults()).toContain('shipped');
    expect(window.consoleErrors).toEqual([]);
  });
});
