import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  AGENT_PAGE,
  answer,
  composer,
  conversationOf,
  form,
  liftLimits,
  outputsOf,
  QUESTIONS,
  reply,
  say,
} from '../support/agent-page.ts';
import { expectAccessible, expectQuiet, screenshot } from '../support/browser.ts';
import { startService, type TestService } from '../support/service.ts';
import { launchBrowser, type Visit, visit } from '../support/visit.ts';

let service: TestService;
let browser: Browser;
beforeAll(async () => {
  [service, browser] = await Promise.all([startService(), launchBrowser()]);
  await liftLimits(service);
});
afterAll(async () => {
  await service?.close();
});

/** Opens a conversation in two tabs of one browser. */
async function twoTabs(script: string): Promise<{ window: Visit; one: Page; other: Page; cid: string }> {
  const window = await visit(browser, service.url);
  const one = await window.open(AGENT_PAGE);
  await say(await shown(one), script);
  const cid = await conversationOf(one);
  const other = await window.open(`${AGENT_PAGE}?cid=${cid}`);
  return { window, one, other, cid };
}

/** Delays a tab's turns until the returned function is called. */
async function holdTurns(page: Page): Promise<() => void> {
  let release = () => {};
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  await page.route('**/v2/runner/**', async (route) => {
    await released;
    await route.continue();
  });
  return release;
}

/** Shows a tab. Browsers draw hidden tabs rarely, and a click waits until its target is drawn. */
async function shown(page: Page): Promise<Page> {
  await page.bringToFront();
  return page;
}

const give = async (page: Page) =>
  form(await shown(page), QUESTIONS)
    .getByRole('button', { name: 'Send' })
    .click();
const itemsOn = (page: Page) => page.locator('ol[aria-label="Conversation"] > li').count();

describe('two tabs with one conversation', () => {
  it('show the same state, and one closes a form that the other has answered, with a note', async () => {
    const { window, one, other, cid } = await twoTabs('/ask\n/slow 1\n/say Thank you.');
    await answer(await shown(one), 'Ann');
    await form(await shown(other), QUESTIONS)
      .getByLabel('What is your name?')
      .fill('Half written');
    await give(one);
    await other.getByText('This was answered in another window.').waitFor();
    await form(other, QUESTIONS).waitFor({ state: 'detached' });
    await expectAccessible(other);
    await screenshot(other, 'agent-answered-elsewhere');
    for (const tab of [one, other]) await reply(tab, 'Thank you.').waitFor();
    expect(await one.getByText('another window').count()).toBe(0);
    expect(await itemsOn(other)).toBe(await itemsOn(one));
    expect(await outputsOf(service, cid)).toMatchObject([{ answers: [{ value: 'Ann' }, {}, {}] }]);
    await say(await shown(other), 'And I?');
    await reply(one, 'You said: And I?').waitFor();
    expect(await other.getByText('another window').count()).toBe(0);
    expectQuiet(window);
    await window.close();
  });

  it('accept the first of two answers and explain it in the other tab', async () => {
    const { window, one, other, cid } = await twoTabs('/ask\n/say Thank you.');
    await answer(await shown(one), 'One');
    await answer(await shown(other), 'Other');
    const release = await holdTurns(other);
    await give(other);
    await give(one);
    for (const tab of [one, other]) await reply(tab, 'Thank you.').waitFor();
    release();
    await other.getByText('Another window answered first. Its answers were used.').waitFor();
    expect(await outputsOf(service, cid)).toMatchObject([{ answers: [{ value: 'One' }, {}, {}] }]);
    await composer(other).waitFor();
    expect(window.consoleErrors).toEqual([expect.stringContaining('409')]);
    await window.close();
  });

  it('reject a message while the other tab’s turn is running and return its text', async () => {
    const { window, one, other, cid } = await twoTabs('Hello');
    await reply(other, 'You said: Hello').waitFor();
    const release = await holdTurns(other);
    await say(await shown(other), 'Meanwhile');
    await say(await shown(one), '/slow 4\n/say Done.');
    await other.getByText('/slow 4').waitFor();
    release();
    await other.getByText('The assistant is still working on an earlier message.').waitFor();
    await expect.poll(() => composer(other).inputValue()).toBe('Meanwhile');
    await expectAccessible(other);
    for (const tab of [one, other]) await reply(tab, 'Done.').waitFor();
    await (await shown(other)).getByRole('button', { name: 'Send', exact: true }).click();
    await reply(one, 'You said: Meanwhile').waitFor();
    await other.getByText('still working').waitFor({ state: 'detached' });
    expect(await conversationOf(other)).toBe(cid);
    expect(window.consoleErrors).toEqual([expect.stringContaining('409')]);
    await window.close();
  });
});
