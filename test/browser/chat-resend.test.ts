import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { blockFeed, cidOf, reply, say, storedTexts } from '../support/chat-page.ts';
import { startProxy } from '../support/faulty-proxy.ts';
import { DEMO_CHAT_ID, startService, type TestService } from '../support/service.ts';
import { launchBrowser, visit } from '../support/visit.ts';

let service: TestService;
let browser: Browser;
beforeAll(async () => {
  [service, browser] = await Promise.all([startService(), launchBrowser()]);
});
afterAll(async () => {
  await service?.close();
});

const chat = `/chat/${DEMO_CHAT_ID}`;
const STREAM = '**/conversation/stream';

const FIRST = ['First', 'You said: First'];

describe('a message whose response was lost', () => {
  it('takes it once even if its response was lost', async () => {
    const window = await visit(browser, service.url);
    const page = await window.open(chat);
    await say(page, 'First');
    await reply(page, 'You said: First');
    await page.route(
      STREAM,
      async (route) => {
        await route.fetch();
        await route.abort();
      },
      { times: 1 },
    );
    await say(page, 'Only once');
    await page.getByRole('log').getByText('You said: Only once').waitFor();
    const alert = page.getByRole('alert');
    await alert.getByText('The connection was lost. The reply may not be complete.').waitFor();
    expect(await storedTexts(service, cidOf(page))).toEqual([...FIRST, 'Only once', 'You said: Only once']);
    await expect.poll(() => page.getByRole('main').getByText('Only once', { exact: true }).count()).toBe(1);
    await window.close();
  });

  it('takes the first message of a conversation once even if its response was lost', async () => {
    const window = await visit(browser, service.url);
    const page = await window.open(chat);
    await page.route(
      STREAM,
      async (route) => {
        await route.fetch();
        await route.abort();
      },
      { times: 1 },
    );
    const text = `Only once ${Date.now()}`;
    await say(page, text);
    const alert = page.getByRole('alert');
    await alert.getByText('The connection was lost.').waitFor();
    await alert.getByRole('button', { name: 'Retry' }).click();
    await reply(page, `You said: ${text}`);
    expect(await page.getByRole('main').getByText(text, { exact: true }).count()).toBe(1);
    expect(await storedTexts(service, cidOf(page))).toEqual([text, `You said: ${text}`]);
    expect(await service.service.services.stores.prisma.conversation.count({ where: { name: text } })).toBe(1);
    await window.close();
  });

  it('does not send a message again that appears among the stored ones after its failure', async () => {
    const proxy = await startProxy(service.url);
    const window = await visit(browser, proxy.url);
    const page = await window.open(chat);
    await say(page, 'First');
    await reply(page, 'You said: First');
    await say(page, '/slow 20\n/say late');
    await expect.poll(() => storedTexts(service, cidOf(page))).toHaveLength(3);
    const reads = '**/messages?**';
    await page.route(reads, (route) => route.fulfill({ status: 403, json: {} }));
    await proxy.cut('responded');
    const alert = page.getByRole('alert');
    await alert.getByText('The connection was lost.').waitFor();
    // The feed shows the stored message, without a reply.
    await expect.poll(() => alert.getByRole('button').allInnerTexts()).toEqual(['Continue']);
    expect(await page.getByRole('main').getByText('/slow 20').count()).toBe(1);
    await alert.getByRole('button', { name: 'Continue' }).click();
    await reply(page, 'You said: Continue.');
    const texts = await storedTexts(service, cidOf(page));
    expect(texts.filter((text) => text?.startsWith('/slow'))).toHaveLength(1);
    await window.close();
    await proxy.close();
  });

  it('looks for a stored message before it sends the message again', async () => {
    const window = await visit(browser, service.url);
    const page = await window.open(chat);
    await blockFeed(page);
    await say(page, 'First');
    await reply(page, 'You said: First');
    let sent = 0;
    page.on('request', (request) => {
      if (request.url().endsWith('/conversation/stream')) sent += 1;
    });
    const reads = '**/messages?**';
    await page.route(reads, (route) => route.fulfill({ status: 403, json: {} }));
    await page.route(STREAM, async (route) => {
      await route.fetch();
      await route.abort();
    });
    const rejectedRead = () => page.waitForResponse(/\/messages\?/);
    const before = rejectedRead();
    await say(page, 'Only once');
    const alert = page.getByRole('alert');
    await alert.getByText('The connection was lost.').waitFor();
    await before;
    // The messages cannot be read, so the page does not know whether the message is stored, and sends nothing.
    const rejected = rejectedRead();
    await alert.getByRole('button', { name: 'Retry' }).click();
    await rejected;
    await page.unroute(STREAM);
    await page.unroute(reads);
    await alert.getByRole('button', { name: 'Retry' }).click();
    await reply(page, 'You said: Only once');
    expect(await alert.getByRole('button', { name: 'Retry' }).count()).toBe(0);
    expect(sent).toBe(1);
    expect(await storedTexts(service, cidOf(page))).toEqual([...FIRST, 'Only once', 'You said: Only once']);
    await window.close();
  });
});
