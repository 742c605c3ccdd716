import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { liftLimits } from '../support/agent-page.ts';
import { expectAccessible, expectQuiet, screenshot } from '../support/browser.ts';
import { cidOf, say } from '../support/chat-page.ts';
import { choose } from '../support/choose.ts';
import { signedIn } from '../support/dashboard.ts';
import { HANDS_OVER, type Person, personOf } from '../support/handling.ts';
import { type ProviderService, startProviderService } from '../support/provider-service.ts';
import { replyWith } from '../support/talk.ts';
import { makeDeployment, makeMember } from '../support/tenants.ts';
import { launchBrowser, visit } from '../support/visit.ts';

let host: ProviderService;
let browser: Browser;
let anna: Person;
let chat = '';
beforeAll(async () => {
  [host, browser] = await Promise.all([startProviderService(), launchBrowser()]);
  anna = await personOf(host.service);
  await liftLimits(host.service);
});
afterAll(() => host?.close());
beforeEach(async () => {
  const fields = { kind: 'chat', name: 'Shop help', hostedPage: true, authRequired: false } as const;
  chat = (await makeDeployment(host.service, { allowHandOver: true }, fields)).id;
  await liftLimits(host.service);
  host.provider.reply(replyWith('HELLO'));
});

/** A visitor whose conversation waits for a person. */
async function visitor(message = 'I want my money back') {
  host.provider.reply(...HANDS_OVER);
  const window = await visit(browser, host.service.url, {});
  const page = await window.open(`/chat/${chat}`);
  await say(page, message);
  await shown(page, 'Waiting for a person…').waitFor();
  await expect.poll(() => cidOf(page)).toBeTruthy();
  host.provider.reply(replyWith('HELLO AGAIN'));
  return { ...window, page, cid: cidOf(page) ?? '' };
}

const shown = (page: Page, text: string) => page.getByRole('log').getByText(text, { exact: true });
const entries = (page: Page) => page.getByRole('list', { name: 'Waiting conversations' }).getByRole('listitem');
const entry = (page: Page, text: string) => entries(page).filter({ hasText: text });
const composer = (page: Page) => page.getByRole('textbox', { name: 'Message to the user' });
const bar = (page: Page) => page.getByRole('region', { name: 'Who answers' });
const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true });
const lastPrompt = () => JSON.stringify(host.provider.requests.at(-1)?.body);

describe('a member answers in the inbox', () => {
  it('takes a conversation over, writes with its user, and hands it back', async () => {
    const user = await visitor();
    const window = await signedIn(browser, host.service, '/dashboard/inbox');
    const { page } = window;
    await entry(page, 'Waits for a person').getByRole('link').click();
    await bar(page).getByText('The assistant asked for a person.').waitFor();
    await bar(page).getByText('Wants a refund').waitFor();
    expect(await composer(page).count()).toBe(0);
    await expectAccessible(page);
    await screenshot(page, 'inbox-waiting-for-person');
    await button(page, 'Take over').click();
    await composer(page).waitFor();
    await shown(user.page, 'Owner has joined').waitFor();
    await say(user.page, 'Order 1001');
    await page.getByRole('group', { name: 'Messages' }).getByText('Order 1001').waitFor();
    await composer(page).fill('It is on its way back.');
    await composer(page).press('Enter');
    await shown(user.page, 'It is on its way back.').waitFor();
    await page.getByRole('group', { name: 'Messages' }).getByText('It is on its way back.').waitFor();
    await expect.poll(() => composer(page).inputValue()).toBe('');
    await expectAccessible(page);
    await screenshot(page, 'inbox-member');
    await button(page, 'Hand back').click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('What you did').fill('The money was returned');
    await dialog.getByLabel('What the assistant must do now').fill('Offer a voucher');
    await expectAccessible(page);
    await dialog.getByRole('button', { name: 'Hand back' }).click();
    await shown(user.page, 'The assistant is back').waitFor();
    await bar(page).getByText('The assistant answers.').waitFor();
    await page.getByText('Nothing waits.').waitFor();
    await say(user.page, 'Thank you');
    await shown(user.page, 'HELLO AGAIN').waitFor();
    expect(lastPrompt()).toContain('The money was returned');
    expect(lastPrompt()).toContain('Offer a voucher');
    expectQuiet(user);
    expectQuiet(window);
    await Promise.all([user.close(), window.close()]);
  });

  it('sees who else answers, and takes the conversation from them only after a question', async () => {
    const user = await visitor();
    await anna.takeOver(user.cid, 'Anna');
    const window = await signedIn(browser, host.service, `/dashboard/conversations/${user.cid}`);
    const { page } = window;
    await bar(page)
      .getByText(/^Anna answers/)
      .waitFor();
    expect(await composer(page).count()).toBe(0);
    await button(page, 'Take from Anna').click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('heading', { name: 'Take this conversation from Anna?' }).waitFor();
    await expectAccessible(page);
    await dialog.getByRole('button', { name: 'Take over' }).click();
    await composer(page).waitFor();
    await bar(page)
      .getByText(/^You answer/)
      .waitFor();
    await anna.takeOver(user.cid, 'Anna', { force: true });
    await bar(page)
      .getByText(/^Anna answers/)
      .waitFor();
    expect(await composer(page).count()).toBe(0);
    expectQuiet(window);
    await Promise.all([user.close(), window.close()]);
  });

  it('keeps a message that could not be sent, and sends it once', async () => {
    const user = await visitor();
    const window = await signedIn(browser, host.service, `/dashboard/conversations/${user.cid}`);
    const { page } = window;
    await button(page, 'Take over').click();
    let lost = 0;
    // The service stores the message, and the response is lost.
    await page.route('**/member-messages', async (route) => {
      if (lost > 0) return route.continue();
      lost += 1;
      await route.fetch();
      return route.abort();
    });
    await composer(page).fill('Only once');
    await composer(page).press('Enter');
    await page
      .getByRole('alert')
      .getByText(/could not be reached/)
      .waitFor();
    await expect.poll(() => composer(page).inputValue()).toBe('Only once');
    await composer(page).press('Enter');
    await expect.poll(() => composer(page).inputValue()).toBe('');
    await page.getByRole('alert').waitFor({ state: 'detached' });
    await page.reload();
    await shown(user.page, 'Only once').waitFor();
    expect(await shown(user.page, 'Only once').count()).toBe(1);
    expect(lost).toBe(1);
    await Promise.all([user.close(), window.close()]);
  });

  it('goes through the inbox with the keyboard', async () => {
    const users = [await visitor('First question'), await visitor('Second question')];
    const window = await signedIn(browser, host.service, `/dashboard/inbox?deployment=${chat}`);
    const { page } = window;
    await entry(page, 'Second question').waitFor();
    const current = () => page.locator('[aria-current=true]').innerText();
    await page.keyboard.press('j');
    await expect.poll(current).toContain('First question');
    await page.keyboard.press('j');
    await expect.poll(current).toContain('Second question');
    await page.keyboard.press('k');
    await expect.poll(current).toContain('First question');
    await button(page, 'Take over').click();
    await composer(page).waitFor();
    await page.keyboard.press('r');
    await page.keyboard.type('j');
    expect(await composer(page).inputValue()).toBe('j');
    expect(await current()).toContain('First question');
    expectQuiet(window);
    await Promise.all([...users.map((user) => user.close()), window.close()]);
  });

  it('assigns a conversation, and writes notes that only the team reads', async () => {
    const user = await visitor();
    const window = await signedIn(browser, host.service, `/dashboard/inbox?deployment=${chat}`);
    const { page } = window;
    await entry(page, 'Waits for a person').getByRole('link').click();
    await page.getByLabel('New note').fill('Has called twice already');
    await button(page, 'Add note').click();
    const note = page.getByRole('list', { name: 'Notes' }).getByText('Has called twice already');
    await note.waitFor();
    expect(await page.getByLabel('New note').inputValue()).toBe('');
    await page.getByText('Details', { exact: true }).click();
    await choose(page.getByLabel('Assigned to').last(), 'Owner (you)');
    await entry(page, 'You').waitFor();
    await expectAccessible(page);
    await screenshot(page, 'inbox-notes');
    await choose(page.getByLabel('Assigned to').first(), 'nobody');
    await page.getByText('Nothing that waits matches these filters.').waitFor();
    await choose(page.getByLabel('Assigned to').first(), 'me');
    await entry(page, 'You').waitFor();
    expect(await user.page.getByText('Has called twice already').count()).toBe(0);
    await button(page, 'Delete the note of Owner').click();
    await note.waitFor({ state: 'detached' });
    expectQuiet(window);
    await Promise.all([user.close(), window.close()]);
  });

  it('hears and sees that something new waits, if they want it', async () => {
    const window = await signedIn(browser, host.service, '/dashboard/inbox');
    const { page } = window;
    await page
      .getByText(/Nothing waits|Waits for a person/)
      .first()
      .waitFor();
    await page.evaluate(() => {
      const create = AudioContext.prototype.createOscillator;
      Object.assign(globalThis, { tones: 0 });
      AudioContext.prototype.createOscillator = function (this: AudioContext) {
        (globalThis as unknown as { tones: number }).tones += 1;
        return create.call(this);
      };
    });
    const tones = () => page.evaluate(() => (globalThis as unknown as { tones: number }).tones);
    expect(await page.title()).toBe('Inbox · Parley');
    await page.getByLabel('Number in the tab').check();
    await page.getByLabel('Sound').check();
    expect(await tones()).toBe(2);
    const user = await visitor();
    await expect.poll(tones).toBe(4);
    await expect.poll(() => page.title()).toMatch(/^\(\d+\) Inbox · Parley$/);
    await page.reload();
    expect(await page.getByLabel('Sound').isChecked()).toBe(true);
    await page.getByLabel('Number in the tab').uncheck();
    await expect.poll(() => page.title()).toBe('Inbox · Parley');
    await page.goto(`${host.service.url}/dashboard`);
    await page.getByText('Wait for a person', { exact: true }).waitFor();
    await screenshot(page, 'overview-people');
    expectQuiet(window);
    await Promise.all([user.close(), window.close()]);
  });

  it('shows who else is there and who types, and suggests a reply that nobody has sent', async () => {
    const user = await visitor();
    const as = { email: 'bob@example.com', password: 'a long enough password' };
    await makeMember(host.service, 'developer', as);
    const path = `/dashboard/conversations/${user.cid}`;
    const window = await signedIn(browser, host.service, path);
    const { page } = window;
    await button(page, 'Take over').click();
    await composer(page).waitFor();
    const colleague = await signedIn(browser, host.service, path, { as, newSession: true });
    await page.getByText(/^Also here: /).waitFor();
    await colleague.page.getByText('Also here: Owner').waitFor();
    host.provider.reply(replyWith('You get it back tomorrow.'));
    await button(page, 'Suggest a reply').click();
    await expect.poll(() => composer(page).inputValue()).toBe('You get it back tomorrow.');
    await composer(page).press('End');
    await composer(page).pressSequentially(' Or later.');
    host.provider.reply(replyWith('Please wait.'));
    await button(page, 'Suggest a reply').click();
    // What the member has written stays.
    await expect.poll(() => composer(page).inputValue()).toBe('You get it back tomorrow. Or later.\n\nPlease wait.');
    await composer(page).fill('You get it back tomorrow.');
    await composer(page).press('End');
    await composer(page).pressSequentially(' Or later.');
    await colleague.page.getByText('Owner is typing…').waitFor();
    expect(await user.page.getByText('You get it back tomorrow.').count()).toBe(0);
    await composer(page).press('Enter');
    await shown(user.page, 'You get it back tomorrow. Or later.').waitFor();
    await colleague.page.getByText('Owner is typing…').waitFor({ state: 'detached' });
    await expectAccessible(page);
    await screenshot(page, 'conversation-presence');
    await colleague.page.goto(`${host.service.url}/dashboard`);
    await page.getByText(/^Also here: /).waitFor({ state: 'detached' });
    await colleague.close();
    expectQuiet(window);
    await Promise.all([user.close(), window.close()]);
  });
});
