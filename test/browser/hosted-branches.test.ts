import type { Browser, Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { liftLimits } from '../support/agent-page.ts';
import { expectAccessible, expectQuiet, screenshot } from '../support/browser.ts';
import { cidOf, composer, say } from '../support/chat-page.ts';
import { type ProviderService, startProviderService } from '../support/provider-service.ts';
import { replyWith } from '../support/talk.ts';
import { makeDeployment } from '../support/tenants.ts';
import { launchBrowser, type Visit, visit } from '../support/visit.ts';

let host: ProviderService;
let browser: Browser;
beforeAll(async () => {
  [host, browser] = await Promise.all([startProviderService(), launchBrowser()]);
});
afterAll(async () => {
  await host?.close();
});

const ids = { chat: '', agent: '' };
const settings = { name: 'Shop help', hostedPage: true, authRequired: false } as const;
beforeEach(async () => {
  for (const kind of ['chat', 'agent'] as const) {
    const { id } = await makeDeployment(host.service, { resourceTools: ['create_resource'] }, { kind, ...settings });
    ids[kind] = id;
  }
  await liftLimits(host.service);
});

/** Opens the page of a deployment and says these texts. Each reply is its text in capitals. */
async function talk(kind: 'chat' | 'agent', ...said: string[]): Promise<Visit & { readonly page: Page }> {
  const window = await visit(browser, host.service.url);
  const page = await window.open(`/${kind}/${ids[kind]}`);
  for (const text of said) {
    host.provider.reply(replyWith(text.toUpperCase()));
    await say(page, text);
    await shown(page, text.toUpperCase()).waitFor();
    await page.getByRole('button', { name: 'Try again' }).waitFor();
  }
  return { ...window, page };
}

const shown = (page: Page, text: string) => page.getByRole('log').getByText(text, { exact: true });
const tryAgain = (page: Page) => page.getByRole('button', { name: 'Try again' });
const pencils = (page: Page) => page.getByRole('button', { name: 'Edit', exact: true });
const variants = (page: Page) => page.getByRole('group', { name: 'Variants of this message' });
/** The opacity of the line that a button is in. */
const opacityOf = (button: Locator) => button.locator('xpath=../..').evaluate((line) => getComputedStyle(line).opacity);
const focused = (page: Page) => page.evaluate(() => document.activeElement?.getAttribute('aria-label'));

describe.each(['chat', 'agent'] as const)('on the %s page a visitor', (kind) => {
  it('tries a reply again, and selects its variants with the keyboard', async () => {
    const window = await talk(kind, 'one');
    const { page } = window;
    host.provider.reply(replyWith('ONE AGAIN'));
    await tryAgain(page).focus();
    await page.keyboard.press('Enter');
    await shown(page, 'ONE AGAIN').waitFor();
    await shown(page, 'ONE').waitFor({ state: 'detached' });
    await variants(page).getByText('Variant 2 of 2').waitFor();
    await expect.poll(() => focused(page)).toBe('Message');
    await expectAccessible(page);
    await screenshot(page, `${kind}-variants`);
    await variants(page).getByRole('button', { name: 'Previous variant' }).focus();
    await page.keyboard.press('Enter');
    await shown(page, 'ONE').waitFor();
    await shown(page, 'ONE AGAIN').waitFor({ state: 'detached' });
    await variants(page).getByText('Variant 1 of 2').waitFor();
    await expect.poll(() => focused(page)).toBe('Next variant');
    await page.reload();
    await variants(page).getByText('Variant 1 of 2').waitFor();
    expectQuiet(window);
    await window.close();
  });

  it('edits an earlier message, and another tab shows the new turn', async () => {
    const window = await talk(kind, 'one', 'two');
    const { page } = window;
    const other = await window.context.newPage();
    await other.goto(page.url());
    await shown(other, 'TWO').waitFor();
    await page.mouse.move(0, 0);
    await expect.poll(() => opacityOf(pencils(page).first())).toBe('0');
    await pencils(page).first().focus();
    await expect.poll(() => opacityOf(pencils(page).first())).toBe('1');
    await page.keyboard.press('Enter');
    await expect.poll(() => focused(page)).toBe('Edited message');
    await page.keyboard.press('Escape');
    await expect.poll(() => focused(page)).toBe('Edit');
    await page.keyboard.press('Enter');
    await expectAccessible(page);
    await screenshot(page, `${kind}-edit`);
    await page.getByLabel('Edited message').fill('one and a half');
    host.provider.reply(replyWith('ONE AND A HALF'));
    await page.keyboard.press('Enter');
    for (const tab of [page, other]) {
      await shown(tab, 'ONE AND A HALF').waitFor();
      for (const text of ['one', 'ONE', 'two', 'TWO']) await shown(tab, text).waitFor({ state: 'detached' });
    }
    await expect.poll(() => focused(page)).toBe('Message');
    await variants(page).getByText('Variant 2 of 2').waitFor();
    await tryAgain(page).waitFor();
    await variants(page).getByRole('button', { name: 'Previous variant' }).click();
    for (const text of ['one', 'ONE', 'two', 'TWO']) await shown(page, text).waitFor();
    await shown(page, 'ONE AND A HALF').waitFor({ state: 'detached' });
    expectQuiet(window);
    await window.close();
  });

  it('forks the conversation at a reply, and finds the fork in the list', async () => {
    const window = await talk(kind, 'one', 'two');
    const { page } = window;
    const source = cidOf(page);
    await page.getByRole('button', { name: 'Fork from here' }).first().focus();
    await page.keyboard.press('Enter');
    await page.getByText('This is a copy of the conversation.').waitFor();
    await shown(page, 'ONE').waitFor();
    expect(await shown(page, 'TWO').count()).toBe(0);
    expect(cidOf(page)).not.toBe(source);
    const note = () => page.evaluate(() => document.activeElement?.textContent);
    await expect.poll(note).toBe('This is a copy of the conversation.');
    await screenshot(page, `${kind}-fork`);
    host.provider.reply(replyWith('OTHER TWO'));
    await say(page, 'other two');
    await shown(page, 'OTHER TWO').waitFor();
    expect(await page.getByText('This is a copy of the conversation.').count()).toBe(0);
    await page.goto(`${host.service.url}/${kind}/${ids[kind]}?cid=${source}`);
    await shown(page, 'TWO').waitFor();
    expectQuiet(window);
    await window.close();
  });

  it('gets a copy if a variant is selected after the conversation has continued', async () => {
    const window = await talk(kind, 'one');
    const { page } = window;
    const source = cidOf(page);
    host.provider.reply(replyWith('ONE AGAIN'));
    await tryAgain(page).click();
    await shown(page, 'ONE AGAIN').waitFor();
    host.provider.reply(replyWith('TWO'));
    await say(page, 'two');
    await shown(page, 'TWO').waitFor();
    await variants(page).getByRole('button', { name: 'Previous variant' }).click();
    await page.getByText(/so the variant is in a copy of it/).waitFor();
    await shown(page, 'ONE').waitFor();
    expect(await shown(page, 'TWO').count()).toBe(0);
    expect(cidOf(page)).not.toBe(source);
    await page.goBack();
    await shown(page, 'ONE AGAIN').waitFor();
    await shown(page, 'TWO').waitFor();
    expectQuiet(window);
    await window.close();
  });

  it('confirms before actions are replaced', async () => {
    const window = await talk(kind, 'one');
    const { page } = window;
    const note = { type: 'note', fields: { note: 'x' } };
    host.provider.reply(
      { kind: 'answer', calls: [{ name: 'create_resource', arguments: JSON.stringify(note) }] },
      replyWith('WRITTEN'),
    );
    await say(page, 'write it down');
    await shown(page, 'WRITTEN').waitFor();
    await tryAgain(page).click();
    const dialog = page.getByRole('dialog', { name: 'Replace anyway?' });
    await dialog.getByRole('listitem').filter({ hasText: 'create_resource' }).waitFor();
    await expectAccessible(page);
    await screenshot(page, `${kind}-effects`);
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
    await shown(page, 'WRITTEN').waitFor();
    host.provider.reply(replyWith('WRITTEN AGAIN'));
    await tryAgain(page).click();
    await dialog.getByRole('button', { name: 'Replace' }).click();
    await shown(page, 'WRITTEN AGAIN').waitFor();
    await shown(page, 'WRITTEN').waitFor({ state: 'detached' });
    await window.close();
  });

  it('tries a failed turn again, and its message is there once', async () => {
    const window = await talk(kind, 'one');
    const { page } = window;
    host.provider.reply({ kind: 'status', status: 400 } as never);
    await say(page, 'two');
    await page.getByRole('button', { name: 'Continue' }).waitFor();
    await screenshot(page, `${kind}-failed`);
    host.provider.reply(replyWith('TWO'));
    await tryAgain(page).click();
    await shown(page, 'TWO').waitFor();
    await page.getByRole('button', { name: 'Continue' }).waitFor({ state: 'detached' });
    expect(await shown(page, 'two').count()).toBe(1);
    await window.close();
  });

  it('sees no actions if the deployment does not allow editing', async () => {
    const { prisma } = host.service.service.services.stores;
    const window = await talk(kind, 'one');
    const { page } = window;
    const { id } = await prisma.deployment.findFirstOrThrow({ where: { id: ids[kind] } });
    await prisma.deployment.updateMany({ where: { id }, data: { allowEditing: false } });
    host.provider.reply(replyWith('ONE AGAIN'));
    // The page was loaded before.
    await tryAgain(page).click();
    await page.getByText('You do not have access.').first().waitFor();
    await page.reload();
    await shown(page, 'ONE').waitFor();
    await composer(page).waitFor();
    for (const name of ['Edit', 'Try again', 'Fork from here']) {
      expect(await page.getByRole('button', { name, exact: true }).count()).toBe(0);
    }
    await window.close();
  });
});
