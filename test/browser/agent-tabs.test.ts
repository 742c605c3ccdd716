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
import { expectAccessible, expectQuiet, launchBrowser, screenshot, type Visit, visit } from '../support/browser.ts';
import { startService, type TestService } from '../support/service.ts';

let service: TestService;
let browser: Browser;
beforeAll(async () => {
  [service, browser] = await Promise.all([startService(), launchBrowser()]);
  await liftLimits(service);
});
afterAll(async () => {
  await browser?.close();
  await service?.close();
});

/** Two tabs of one browser with the same conversation. */
async function twoTabs(script: string): Promise<{ window: Visit; one: Page; other: Page; cid: string }> {
  const window = await visit(browser, service.url);
  const one = await window.open(AGENT_PAGE);
  await say(one, script);
  const cid = await conversationOf(one);
  const other = await window.open(`${AGENT_PAGE}?cid=${cid}`);
  return { window, one, other, cid };
}

/** Keeps a tab's turns on their way, until they are let go. */
async function holdTurns(page: Page): Promise<() => void> {
  let release = () => {};
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  await page.route('**/v2/runner/**', async (route) => {
    await held;
    await route.continue();
  });
  return release;
}

const give = (page: Page) => form(page, QUESTIONS).getByRole('button', { name: 'Send' }).click();
const itemsOn = (page: Page) => page.locator('ol[aria-label="Conversation"] > li').count();

describe('SPEC 7 rule 3: two tabs with one conversation', () => {
  it('stay in step, and one closes the form that the other has answered, with a note', async () => {
    const { window, one, other, cid } = await twoTabs('/ask\n/slow 1\n/say Thank you.');
    await answer(one, 'Ann');
    await form(other, QUESTIONS).getByLabel('What is your name?').fill('Half written');
    await give(one);
    await other.getByText('This was answered in another window.').waitFor();
    await form(other, QUESTIONS).waitFor({ state: 'detached' });
    await expectAccessible(other);
    await screenshot(other, 'agent-answered-elsewhere');
    for (const tab of [one, other]) await reply(tab, 'Thank you.').waitFor();
    expect(await one.getByText('another window').count()).toBe(0);
    expect(await itemsOn(other)).toBe(await itemsOn(one));
    expect(await outputsOf(service, cid)).toMatchObject([{ answers: [{ value: 'Ann' }, {}, {}] }]);
    await say(other, 'And I?');
    await reply(one, 'You said: And I?').waitFor();
    expect(await other.getByText('another window').count()).toBe(0);
    expectQuiet(window);
    await window.close();
  });

  it('let the first of two answers win, and tell the other', async () => {
    const { window, one, other, cid } = await twoTabs('/ask\n/say Thank you.');
    await answer(one, 'One');
    await answer(other, 'Other');
    const release = await holdTurns(other);
    await give(other);
    await give(one);
    for (const tab of [one, other]) await reply(tab, 'Thank you.').waitFor();
    release();
    await other.getByText('Another window was first, and its answers count.').waitFor();
    expect(await outputsOf(service, cid)).toMatchObject([{ answers: [{ value: 'One' }, {}, {}] }]);
    await composer(other).waitFor();
    expect(window.complaints).toEqual([expect.stringContaining('409')]);
    await window.close();
  });

  it('tell whoever writes while the other’s turn runs, and give back what was written', async () => {
    const { window, one, other, cid } = await twoTabs('Hello');
    await reply(other, 'You said: Hello').waitFor();
    const release = await holdTurns(other);
    await say(other, 'Meanwhile');
    await say(one, '/slow 4\n/say Done.');
    await other.getByText('/slow 4').waitFor();
    release();
    await other.getByText('The assistant is still busy with an earlier message of this conversation.').waitFor();
    await expect.poll(() => composer(other).inputValue()).toBe('Meanwhile');
    await expectAccessible(other);
    for (const tab of [one, other]) await reply(tab, 'Done.').waitFor();
    await other.getByRole('button', { name: 'Send', exact: true }).click();
    await reply(one, 'You said: Meanwhile').waitFor();
    await other.getByText('still busy').waitFor({ state: 'detached' });
    expect(await conversationOf(other)).toBe(cid);
    expect(window.complaints).toEqual([expect.stringContaining('409')]);
    await window.close();
  });
});
