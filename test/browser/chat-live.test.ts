import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { liftLimits } from '../support/agent-page.ts';
import { expectAccessible, expectQuiet, screenshot } from '../support/browser.ts';
import { cidOf, composer, reply, say, storedTexts } from '../support/chat-page.ts';
import { dictate } from '../support/dictation.ts';
import { watchText } from '../support/live-page.ts';
import { type ProviderService, startProviderService } from '../support/provider-service.ts';
import { makeDeployment } from '../support/tenants.ts';
import { launchBrowser, type Visit, visit } from '../support/visit.ts';

let provided: ProviderService;
let browser: Browser;
let chat: string;
beforeAll(async () => {
  [provided, browser] = await Promise.all([startProviderService(), launchBrowser()]);
  const fields = { name: 'Writer', hostedPage: true, onReaderGone: 'continue' } as const;
  const { id } = await makeDeployment(provided.service, {}, fields);
  chat = `/chat/${id}`;
  await liftLimits(provided.service);
});
afterAll(() => provided?.close());

/** Opens the page of a conversation with one turn. */
async function startConversation(path = chat): Promise<{ window: Visit; page: Page; address: string }> {
  const window = await visit(browser, provided.service.url);
  const page = await window.open(path);
  provided.provider.reply({ kind: 'answer', deltas: ['Hi'] });
  await say(page, 'Hello');
  await reply(page, 'Hi');
  await expect.poll(() => cidOf(page)).toBeTruthy();
  return { window, page, address: `${path}?cid=${cidOf(page)}` };
}

const stop = (page: Page) => page.getByRole('button', { name: 'Stop' });

describe('the text of a running turn on the chat page', () => {
  it('grows in every tab and on every device, after a reload too, and becomes the stored message', async () => {
    const { window, page, address } = await startConversation();
    const device = await visit(browser, provided.service.url, { viewport: { width: 390, height: 844 } });
    const [tab, phone] = [await window.open(address), await device.open(address)];
    for (const one of [tab, phone]) await reply(one, 'Hi');
    const dictation = dictate(provided.provider);
    await page.bringToFront();
    await say(page, 'Tell me a story');
    dictation.say('Once **there** ');
    const all = [page, tab, phone];
    for (const one of all) await one.getByText('Once there').waitFor();
    for (const one of [tab, phone]) await one.getByText('Tell me a story').waitFor();
    await page.reload();
    await page.getByText('Once there').waitFor();
    expect(await page.getByRole('log').getByText('Once').count()).toBe(0);
    await expectAccessible(page);
    await screenshot(page, 'chat-live');
    const watches = await Promise.all(all.map((one) => watchText(one, 'was a time')));
    dictation.say('was a time ');
    for (const one of all) await one.getByText('Once there was a time').waitFor();
    dictation.say('with an end.');
    dictation.end();
    for (const one of all) await reply(one, 'Once there was a time with an end.');
    for (const watch of watches) expect(await watch.counts()).toEqual([1]);
    for (const one of all) await stop(one).waitFor({ state: 'detached' });
    expectQuiet(window);
    expectQuiet(device);
    await Promise.all([window.close(), device.close()]);
  });

  it('becomes the stored part in another tab if the model fails, with the reason', async () => {
    const { window, page, address } = await startConversation();
    const tab = await window.open(address);
    await reply(tab, 'Hi');
    const dictation = dictate(provided.provider, { isCut: true });
    await page.bringToFront();
    await say(page, 'More');
    dictation.say('Up to here');
    await tab.getByText('Up to here').waitFor();
    dictation.end();
    await tab.getByRole('status').getByText('The assistant could not answer. Your message is saved.').waitFor();
    await reply(tab, 'Up to here');
    expect(await composer(tab).isEnabled()).toBe(true);
    await window.close();
  });

  it('stops with its reader if the deployment says so, and a reload shows the stored part', async () => {
    const { id } = await makeDeployment(provided.service, {}, { hostedPage: true });
    const { window, page } = await startConversation(`/chat/${id}`);
    const dictation = dictate(provided.provider);
    await say(page, 'More');
    dictation.say('Up to here');
    await page.getByText('Up to here').waitFor();
    await page.reload();
    await reply(page, 'Up to here');
    await stop(page).waitFor({ state: 'detached' });
    dictation.end();
    expectQuiet(window);
    await window.close();
  });
});

describe('Stop on the chat page', () => {
  it('in another tab and after a reload stops the turn, and keeps the text so far', async () => {
    const { window, page, address } = await startConversation();
    const tab = await window.open(address);
    await reply(tab, 'Hi');
    for (const [where, text] of [
      ['another tab', 'Up to here'],
      ['a reload', 'And this'],
    ] as const) {
      const dictation = dictate(provided.provider);
      const stopping = where === 'another tab' ? tab : page;
      await page.bringToFront();
      await say(page, `Until ${where}`);
      dictation.say(text);
      await page.getByText(text).waitFor();
      if (where === 'a reload') await page.reload();
      await stopping.bringToFront();
      await stopping.getByText(text).waitFor();
      await stop(stopping).click();
      for (const one of [page, tab]) {
        await reply(one, text);
        await stop(one).waitFor({ state: 'detached' });
      }
      dictation.end();
    }
    const texts = ['Hello', 'Hi', 'Until another tab', 'Up to here', 'Until a reload', 'And this'];
    expect(await storedTexts(provided.service, cidOf(page))).toEqual(texts);
    expectQuiet(window);
    await window.close();
  });

  it('says why if the turn cannot be stopped', async () => {
    const { window, page, address } = await startConversation();
    const tab = await window.open(address);
    await reply(tab, 'Hi');
    const dictation = dictate(provided.provider);
    await page.bringToFront();
    await say(page, 'More');
    dictation.say('Theirs');
    await tab.bringToFront();
    await tab.getByText('Theirs').waitFor();
    await tab.route('**/stop', (route) => route.fulfill({ status: 403, json: {} }), { times: 1 });
    await stop(tab).click();
    await tab.getByRole('alert').getByText('The reply could not be stopped.').waitFor();
    dictation.say(' text');
    dictation.end();
    await reply(tab, 'Theirs text');
    await tab.getByRole('alert').waitFor({ state: 'detached' });
    await window.close();
  });
});
