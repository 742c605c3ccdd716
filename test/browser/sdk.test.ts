import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { build } from 'esbuild';
import { type BrowserContext, chromium, type Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ParleyError } from '../../src/sdk/index.ts';
import { ROOT } from '../support/database.ts';
import { DEMO_AGENT_ID, startService, type TestService } from '../support/service.ts';
import { CHROMIUM } from '../support/visit.ts';

const FLAGS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

let service: TestService;
let site: Server;
let url: string;
let browser: BrowserContext;
let profile: string;

beforeAll(async () => {
  service = await startService();
  await service.service.services.stores.prisma.deployment.update({
    where: { id: DEMO_AGENT_ID },
    data: { authRequired: false, anonymousPerMinute: 10_000, conversationTurnsPerMinute: 1_000 },
  });
  const script = await bundledExample();
  const page = `<!doctype html><title>Chat</title>
    <div id="root" data-url="${service.url}" data-deployment="${DEMO_AGENT_ID}"></div><script src="/page.js"></script>`;
  site = createServer((request, response) => {
    const isScript = request.url === '/page.js';
    response.setHeader('content-type', isScript ? 'text/javascript' : 'text/html');
    response.end(isScript ? script : page);
  });
  await new Promise<void>((resolve) => site.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${(site.address() as AddressInfo).port}/`;
  profile = await mkdtemp(join(tmpdir(), 'parley-chromium-'));
  browser = await chromium.launchPersistentContext(profile, {
    executablePath: CHROMIUM,
    args: FLAGS,
  });
});
afterAll(async () => {
  await browser?.close();
  await new Promise((resolve) => site.close(resolve));
  await service.close();
  await rm(profile, { recursive: true, force: true });
});

/** Bundles the example like its first lines say, with the SDK from its source. */
async function bundledExample(): Promise<string> {
  const { outputFiles } = await build({
    absWorkingDir: ROOT,
    entryPoints: ['src/sdk/examples/page.jsx'],
    bundle: true,
    jsx: 'automatic',
    alias: { '@parley/sdk/react': './src/sdk/react/index.ts', '@parley/sdk': './src/sdk/index.ts' },
    write: false,
  });
  return outputFiles[0]?.text ?? '';
}

async function bundledSdk(): Promise<string> {
  const { outputFiles } = await build({
    absWorkingDir: ROOT,
    entryPoints: ['src/sdk/index.ts'],
    bundle: true,
    format: 'iife',
    globalName: 'Parley',
    write: false,
  });
  return outputFiles[0]?.text ?? '';
}

async function open(address = url): Promise<Page> {
  const page = await browser.newPage();
  page.setDefaultTimeout(30_000);
  await page.goto(address);
  return page;
}

async function say(page: Page, text: string): Promise<void> {
  await page.fill('#message textarea', text);
  await page.click('#message button');
}

async function answer(page: Page, name: string): Promise<void> {
  await page.fill('.questions input', name);
  await page.click('.questions button');
}

const textsOn = (page: Page) => page.locator('li').allTextContents();

const ended = (page: Page, text: string) =>
  page.locator('li.assistant', { hasText: text }).and(page.locator('li:last-child')).waitFor();

const ASK = '/ask\n/say Thank you.';

describe('the example page of the SDK in Chromium', () => {
  it('starts a conversation, asks questions and restores them after a reload', async () => {
    const page = await open();
    await say(page, ASK);
    await page.waitForSelector('.questions');
    expect(page.url()).toMatch(/\?cid=[0-9a-f-]{36}$/);
    await page.reload();
    await page.waitForSelector('.questions');
    expect(await page.textContent('#status')).toBe('awaiting_input');
    await answer(page, 'Ann');
    await ended(page, 'Thank you.');
    expect(await textsOn(page)).toEqual([ASK, 'Thank you.']);
    expect(await page.locator('.questions').count()).toBe(0);
    await page.close();
  });

  it('shows messages of another tab through server-sent events', async () => {
    const page = await open();
    const feeds: string[] = [];
    page.on('response', (response) => {
      if (response.headers()['content-type']?.includes('event-stream')) feeds.push(response.url());
    });
    await say(page, 'Hello');
    await ended(page, 'You said: Hello');
    const other = await open(page.url());
    await ended(other, 'You said: Hello');
    await say(other, 'From the other');
    await ended(page, 'You said: From the other');
    expect(await textsOn(page)).toEqual(await textsOn(other));
    expect(feeds).toEqual([`${service.url}/graphql`]);
    await Promise.all([page.close(), other.close()]);
  });

  it('accepts one of two simultaneous answers and brings both tabs to the same state', async () => {
    const page = await open();
    await say(page, ASK);
    await page.waitForSelector('.questions');
    const other = await open(page.url());
    await other.waitForSelector('.questions');
    await page.fill('.questions input', 'One');
    await other.fill('.questions input', 'Other');
    await Promise.all([page, other].map((tab) => tab.dispatchEvent('.questions', 'submit')));
    for (const tab of [page, other]) {
      await ended(tab, 'Thank you.');
      await tab.locator('#status', { hasText: 'success' }).waitFor();
    }
    expect(await textsOn(page)).toEqual(await textsOn(other));
    await Promise.all([page.close(), other.close()]);
  });

  it('continues automatically after the page was offline', async () => {
    const page = await open();
    await say(page, 'Hello');
    await ended(page, 'You said: Hello');
    const id = new URL(page.url()).searchParams.get('cid');
    await browser.setOffline(true);
    await service.agentTurn('Meanwhile', { conversation_id: id });
    await browser.setOffline(false);
    await ended(page, 'You said: Meanwhile');
    await page.close();
  });
});

describe('an error of a request in Chromium', () => {
  /** The error of a run against this URL, on a page with the SDK. */
  async function errorOf(page: Page, baseUrl: string): Promise<unknown> {
    await page.addScriptTag({ content: await bundledSdk() });
    return page.evaluate(async (address) => {
      const { createClient } = (globalThis as unknown as { Parley: typeof import('../../src/sdk/index.ts') }).Parley;
      const client = createClient({ baseUrl: address, deploymentId: 'demo', maxRetries: 0 });
      const error = await client.run({ content: 'Hello' }).catch((thrown: ParleyError) => thrown);
      return { code: (error as ParleyError).code, message: (error as ParleyError).message };
    }, baseUrl);
  }

  it('names the URL, and that the console has the reason', async () => {
    const page = await open();
    expect(await errorOf(page, 'http://127.0.0.1:9')).toEqual({
      code: 'connection_error',
      message: 'The request to http://127.0.0.1:9/v1/runner/demo failed: Failed to fetch (see the console)',
    });
    await page.close();
  });
});
