import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { composer, conversationOf, liftLimits, reply, say } from '../support/agent-page.ts';
import { expectAccessible, expectQuiet, screenshot } from '../support/browser.ts';
import { dictate } from '../support/dictation.ts';
import { startProxy } from '../support/faulty-proxy.ts';
import { watchText, writing } from '../support/live-page.ts';
import { type ProviderService, startProviderService } from '../support/provider-service.ts';
import { makeDeployment } from '../support/tenants.ts';
import { launchBrowser, type Visit, visit } from '../support/visit.ts';

let provided: ProviderService;
let browser: Browser;
let agent: string;
beforeAll(async () => {
  [provided, browser] = await Promise.all([startProviderService(), launchBrowser()]);
  const { id } = await makeDeployment(provided.service, {}, { kind: 'agent', name: 'Writer', hostedPage: true });
  agent = `/agent/${id}`;
  await liftLimits(provided.service);
});
afterAll(() => provided?.close());

/** Opens the page of a conversation with one turn. */
async function startConversation(): Promise<{ window: Visit; page: Page; cid: string }> {
  const window = await visit(browser, provided.service.url);
  const page = await window.open(agent);
  provided.provider.reply({ kind: 'answer', deltas: ['Hi'] });
  await say(page, 'Hello');
  await reply(page, 'Hi').waitFor();
  return { window, page, cid: await conversationOf(page) };
}

const stopped = (page: Page) => page.getByText('This reply was stopped.');

describe('the text of a running turn on the agent page', () => {
  it('grows in the first turn of a conversation too, which can be stopped', async () => {
    const window = await visit(browser, provided.service.url, { viewport: { width: 390, height: 844 } });
    const page = await window.open(agent);
    const dictation = dictate(provided.provider);
    await say(page, 'Hello');
    dictation.say('First words');
    await page.getByText('First words').waitFor();
    await conversationOf(page);
    await page.reload();
    await page.getByText('First words').waitFor();
    await page.getByRole('button', { name: 'Stop' }).click();
    await stopped(page).waitFor();
    await reply(page, 'First words').waitFor();
    dictation.end();
    expectQuiet(window);
    await window.close();
  });

  it('grows in every tab and on every device, after a reload too, and becomes the stored message', async () => {
    const { window, page, cid } = await startConversation();
    const proxy = await startProxy(provided.service.url);
    const device = await visit(browser, proxy.url, { viewport: { width: 390, height: 844 } });
    const [tab, phone] = [await window.open(`${agent}?cid=${cid}`), await device.open(`${agent}?cid=${cid}`)];
    const all = [page, tab, phone];
    const dictation = dictate(provided.provider);
    await page.bringToFront();
    await say(page, 'Tell me a story');
    dictation.say('Once **there** ');
    for (const one of all) await one.getByText('Once there').waitFor();
    await expect.poll(() => page.getByRole('status').allInnerTexts()).toContain('The assistant is writing…');
    expect(await page.getByRole('log').getByText('Once').count()).toBe(0);
    expect(await composer(page).evaluate((field) => field === document.activeElement)).toBe(true);
    await page.reload();
    await page.getByText('Once there').waitFor();
    await expectAccessible(page);
    await screenshot(page, 'agent-live');
    const watches = await Promise.all(all.map((one) => watchText(one, 'was a time')));
    await proxy.cut('open');
    dictation.say('was a time ');
    for (const one of all) await one.getByText('Once there was a time').waitFor();
    dictation.say('with an end.');
    dictation.end();
    for (const one of all) {
      await reply(one, 'Once there was a time with an end.').waitFor();
      await writing(one).waitFor({ state: 'detached' });
    }
    for (const watch of watches) expect(await watch.counts()).toEqual([1]);
    expect(await page.getByRole('button', { name: 'Stop' }).count()).toBe(0);
    expectQuiet(window);
    await Promise.all([window.close(), device.close()]);
    await proxy.close();
  });

  it('has the reasoning before it, collapsed, if the workflow shows it', async () => {
    const config = { reasoning: 'shown' } as const;
    const { id } = await makeDeployment(provided.service, config, { kind: 'agent', hostedPage: true });
    const window = await visit(browser, provided.service.url);
    const page = await window.open(`/agent/${id}`);
    const dictation = dictate(provided.provider);
    await say(page, 'Hello');
    dictation.think('The user greets me.');
    const thoughts = page.getByText('The user greets me.');
    await page.getByText('Thinking').waitFor();
    expect(await thoughts.isVisible()).toBe(false);
    await page.getByText('Thinking').click();
    await thoughts.waitFor();
    await expectAccessible(page);
    await screenshot(page, 'agent-thinking');
    dictation.say('Good day.');
    await page.getByText('Good day.').waitFor();
    expect(await thoughts.isVisible()).toBe(true);
    dictation.end();
    await reply(page, 'Good day.').waitFor();
    await page.getByText('Thinking').waitFor({ state: 'detached' });
    expectQuiet(window);
    await window.close();
  });

  it('disappears if the model fails', async () => {
    const { window, page } = await startConversation();
    const dictation = dictate(provided.provider, { isCut: true });
    await say(page, 'More');
    dictation.say('Never stored');
    await page.getByText('Never stored').waitFor();
    dictation.end();
    await page.getByText('The assistant could not answer. Your message is saved.').waitFor();
    expect(await page.getByText('Never stored').count()).toBe(0);
    // Browsers log the 502 of the failed turn.
    expect(window.consoleErrors).toEqual([expect.stringContaining('502')]);
    await window.close();
  });
});

describe('the agent page', () => {
  it('says that a reply was cut off or is empty, also after a reload', async () => {
    const { window, page } = await startConversation();
    for (const [answer, note] of [
      [{ deltas: ['Half a'], finish: 'length' }, 'This reply was cut off because it is too long.'],
      [{ deltas: ['Half a'], finish: 'content_filter' }, 'This reply was cut off by a content filter.'],
      [{ deltas: [] }, 'The assistant sent an empty reply.'],
    ] as const) {
      provided.provider.reply({ kind: 'answer', ...answer });
      await say(page, 'More');
      await page.getByText(note).waitFor();
      await page.reload();
      await page.getByText(note).waitFor();
    }
    provided.provider.reply({ kind: 'answer', deltas: ['All of it'] });
    await say(page, 'Again');
    await reply(page, 'All of it').waitFor();
    await page.getByText('The assistant sent an empty reply.').waitFor({ state: 'detached' });
    expectQuiet(window);
    await window.close();
  });
});

describe('Stop on the agent page', () => {
  it('keeps the text so far, in every tab, and the focus in the composer', async () => {
    const { window, page, cid } = await startConversation();
    const tab = await window.open(`${agent}?cid=${cid}`);
    await tab.getByRole('list', { name: 'Conversation' }).getByText('Hello', { exact: true }).waitFor();
    for (const [how, text] of [
      ['button', 'Up to here'],
      ['Escape', 'And this'],
    ] as const) {
      const dictation = dictate(provided.provider);
      await page.bringToFront();
      await say(page, `Until ${how}`);
      dictation.say(text);
      await page.getByText(text).waitFor();
      if (how === 'Escape') await page.keyboard.press('Escape');
      else await page.getByRole('button', { name: 'Stop' }).click();
      for (const one of [page, tab]) {
        await stopped(one).waitFor();
        await reply(one, text).waitFor();
      }
      expect(await composer(page).evaluate((field) => field === document.activeElement)).toBe(true);
      dictation.end();
    }
    await expectAccessible(page);
    await screenshot(page, 'agent-stopped');
    await page.reload();
    await stopped(page).waitFor();
    provided.provider.reply({ kind: 'answer', deltas: ['On we go'] });
    await say(page, 'Go on');
    await reply(page, 'On we go').waitFor();
    await stopped(page).waitFor({ state: 'detached' });
    expectQuiet(window);
    await window.close();
  });

  it('in another tab stops the turn too, and says why if it fails', async () => {
    const { window, page, cid } = await startConversation();
    const tab = await window.open(`${agent}?cid=${cid}`);
    await tab.getByRole('list', { name: 'Conversation' }).getByText('Hello', { exact: true }).waitFor();
    const dictation = dictate(provided.provider);
    await say(page, 'More');
    dictation.say('Theirs');
    await tab.bringToFront();
    await tab.getByText('Theirs').waitFor();
    await tab.route('**/stop', (route) => route.fulfill({ status: 403, json: {} }), { times: 1 });
    await tab.getByRole('button', { name: 'Stop' }).click();
    await tab.getByRole('alert').getByText('The reply could not be stopped.').waitFor();
    await tab.getByRole('button', { name: 'Stop' }).click();
    for (const one of [page, tab]) await stopped(one).waitFor();
    expect(await tab.getByRole('alert').count()).toBe(0);
    dictation.end();
    expect(window.consoleErrors).toEqual([expect.stringContaining('403')]);
    await window.close();
  });
});
