import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { textContent } from '../support/agent-apis.ts';
import { expectAccessible, expectQuiet, screenshot } from '../support/browser.ts';
import { signedIn } from '../support/dashboard.ts';
import { replyWith } from '../support/talk.ts';
import { makeMember } from '../support/tenants.ts';
import { startTracingService, type TracingService } from '../support/traces.ts';
import { launchBrowser } from '../support/visit.ts';

let host: TracingService;
let browser: Browser;
beforeAll(async () => {
  [host, browser] = await Promise.all([startTracingService(), launchBrowser()]);
});
afterAll(async () => {
  await host?.close();
});

/** A conversation of these messages. The reply to a message is its text in capitals. */
async function talkOf(...said: string[]): Promise<string> {
  let id: string | undefined;
  for (const text of said) {
    host.provider.reply(replyWith(text.toUpperCase()));
    const turn = { content: textContent(text), ...(id ? { conversation_id: id } : { variables: { NAME: 'Ada' } }) };
    const { status, body } = await host.turn(host.deploymentId, turn);
    expect(status).toBe(200);
    id = body.conversation_id;
  }
  return id ?? '';
}

const open = (id: string, options: Parameters<typeof signedIn>[3] = {}) =>
  signedIn(browser, host.service, `/dashboard/conversations/${id}`, options);

const messages = (page: Page) => page.getByRole('list', { name: 'Conversation' });
/** The message that has this text. */
const message = (page: Page, text: string) =>
  messages(page)
    .getByRole('article')
    .filter({ has: page.getByText(text, { exact: true }) });
const tryAgain = (page: Page) => messages(page).getByRole('button', { name: 'Try again' });
const edit = (page: Page, text: string) => message(page, text).getByRole('button', { name: 'Edit', exact: true });
const focused = (page: Page) => page.evaluate(() => document.activeElement?.getAttribute('aria-label'));

describe('a reply', () => {
  it('is tried again, and its variants are selected back and forth', async () => {
    const id = await talkOf('one', 'two');
    const window = await open(id);
    const { page } = window;
    await message(page, 'TWO').waitFor();
    expect(await tryAgain(page).count()).toBe(1);
    host.provider.reply(replyWith('TWO AGAIN'));
    await message(page, 'TWO').getByRole('button', { name: 'Try again' }).click();
    await message(page, 'TWO AGAIN').waitFor();
    await message(page, 'TWO').waitFor({ state: 'detached' });
    expect(await focused(page)).toBe('Messages');
    const variants = page.getByRole('group', { name: 'Variants of this message' });
    await variants.getByText('Variant 2 of 2').waitFor();
    expect(await variants.getByRole('button', { name: 'Next variant' }).isDisabled()).toBe(true);
    await expectAccessible(page);
    await screenshot(page, 'dashboard-branches');
    await variants.getByRole('button', { name: 'Previous variant' }).click();
    await message(page, 'TWO').waitFor();
    await message(page, 'TWO AGAIN').waitFor({ state: 'detached' });
    await variants.getByText('Variant 1 of 2').waitFor();
    // The button that was pressed is disabled now, so the other one has the focus.
    await expect.poll(() => focused(page), { timeout: 5_000 }).toBe('Next variant');
    await page.keyboard.press('Enter');
    await message(page, 'TWO AGAIN').waitFor();
    await expect.poll(() => focused(page), { timeout: 5_000 }).toBe('Previous variant');
    expectQuiet(window);
    await window.close();
  });

  it('opens a fork if a variant is selected after the conversation has continued', async () => {
    const id = await talkOf('one');
    const window = await open(id);
    const { page } = window;
    host.provider.reply(replyWith('ONE AGAIN'));
    await tryAgain(page).click();
    await message(page, 'ONE AGAIN').waitFor();
    host.provider.reply(replyWith('TWO'));
    await host.turn(host.deploymentId, { content: textContent('two'), conversation_id: id });
    await message(page, 'TWO').waitFor();
    await message(page, 'ONE AGAIN').getByRole('button', { name: 'Previous variant' }).click();
    await page.getByText(/so the variant is in a copy of it/).waitFor();
    await page.waitForURL((url) => !url.pathname.endsWith(id));
    await message(page, 'ONE').waitFor();
    expect(await message(page, 'TWO').count()).toBe(0);
    const details = page.getByRole('complementary', { name: 'Details' });
    await details.getByRole('heading', { name: 'Forked from' }).waitFor();
    expectQuiet(window);
    await window.close();
  });

  it('is the end of a fork, which links to its source, and the source to it', async () => {
    const id = await talkOf('one', 'two');
    const window = await open(id);
    const { page } = window;
    await message(page, 'ONE').hover();
    await message(page, 'ONE').getByRole('button', { name: 'Fork from here' }).click();
    await page.waitForURL((url) => !url.pathname.endsWith(id));
    await page.getByText('Conversation forked').waitFor();
    await message(page, 'ONE').waitFor();
    expect(await message(page, 'two').count()).toBe(0);
    const details = page.getByRole('complementary', { name: 'Details' });
    const fork = page.url();
    await expectAccessible(page);
    await screenshot(page, 'dashboard-fork');
    await details.getByRole('link', { name: 'one' }).click();
    await page.waitForURL(new RegExp(id));
    await details.getByRole('heading', { name: 'Forks' }).waitFor();
    await details.getByRole('link', { name: 'one' }).click();
    await page.waitForURL(fork);
    expectQuiet(window);
    await window.close();
  });
});

describe('a message of the user', () => {
  it('is edited with the keyboard, and everything after it disappears, in another window too', async () => {
    const id = await talkOf('one', 'two', 'three');
    const window = await open(id);
    const { page } = window;
    const other = await window.context.newPage();
    await other.goto(page.url());
    await message(other, 'THREE').waitFor();
    await edit(page, 'two').focus();
    await page.keyboard.press('Enter');
    const form = page.getByRole('form', { name: 'Edit the message' });
    await expect.poll(() => focused(page), { timeout: 5_000 }).toBe('Edited message');
    await page.keyboard.press('Escape');
    await form.waitFor({ state: 'detached' });
    await expect.poll(() => focused(page), { timeout: 5_000 }).toBe('Edit');
    await page.keyboard.press('Enter');
    await expectAccessible(page);
    await screenshot(page, 'dashboard-edit-message');
    await form.getByLabel('Edited message').fill('two and a half');
    host.provider.reply(replyWith('TWO AND A HALF'));
    await page.keyboard.press('Enter');
    for (const shown of [page, other]) {
      await message(shown, 'TWO AND A HALF').waitFor();
      for (const text of ['two', 'TWO', 'three', 'THREE']) {
        await message(shown, text).waitFor({ state: 'detached' });
      }
    }
    await expect.poll(() => focused(page), { timeout: 5_000 }).toBe('Messages');
    await message(page, 'two and a half').getByText('Variant 2 of 2').waitFor();
    await message(page, 'two and a half').getByRole('button', { name: 'Previous variant' }).click();
    await message(page, 'THREE').waitFor();
    expectQuiet(window);
    await window.close();
  });

  it('keeps its files when its text is edited', async () => {
    const file = { type: 'data', mime_type: 'text/plain; name="letter.txt"', data: 'SGVsbG8=' };
    host.provider.reply(replyWith('READ'));
    const content = [...textContent('Read this'), file];
    const { body } = await host.turn(host.deploymentId, { content, variables: { NAME: 'Ada' } });
    const window = await open(body.conversation_id);
    const { page } = window;
    await edit(page, 'Read this').click();
    const form = page.getByRole('form', { name: 'Edit the message' });
    await form.getByText('letter.txt').waitFor();
    await form.getByLabel('Edited message').fill('Read it again');
    host.provider.reply(replyWith('READ AGAIN'));
    await form.getByLabel('Edited message').press('Enter');
    await message(page, 'READ AGAIN').waitFor();
    await message(page, 'Read it again').getByText('letter.txt').waitFor();
    expectQuiet(window);
    await window.close();
  });

  it('has "Try again" if its turn has failed, and the failure disappears', async () => {
    const runId = await host.failedTurn(401, 'Incorrect API key provided.');
    const { prisma } = host.service.service.services.stores;
    const { conversationId } = await prisma.run.findFirstOrThrow({ where: { id: runId } });
    const window = await open(conversationId);
    const { page } = window;
    const failure = page.getByRole('region', { name: 'Failed turn' });
    await failure.waitFor();
    await screenshot(page, 'dashboard-failed-turn-again');
    host.provider.reply(replyWith('It works now'));
    await message(page, 'Hello').getByRole('button', { name: 'Try again' }).click();
    await message(page, 'It works now').waitFor();
    await failure.waitFor({ state: 'detached' });
    expect(await messages(page).getByRole('article').count()).toBe(2);
    expectQuiet(window);
    await window.close();
  });
});

describe('a turn with actions', () => {
  it('is replaced after a question that lists them', async () => {
    const runId = await host.toolTurn('Write it down');
    const { prisma } = host.service.service.services.stores;
    const { conversationId } = await prisma.run.findFirstOrThrow({ where: { id: runId } });
    const window = await open(conversationId);
    const { page } = window;
    await tryAgain(page).click();
    const dialog = page.getByRole('dialog', { name: 'Replace anyway?' });
    await dialog.getByRole('listitem').filter({ hasText: 'create_resource' }).getByText('Done').waitFor();
    await expectAccessible(page);
    await screenshot(page, 'dashboard-effects');
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    await dialog.waitFor({ state: 'detached' });
    await message(page, 'I wrote it down.').waitFor();
    await expect.poll(() => page.evaluate(() => document.activeElement?.ariaLabel)).toBe('Try again');
    await edit(page, 'Write it down').click();
    const form = page.getByRole('form', { name: 'Edit the message' });
    await form.getByLabel('Edited message').fill('Forget it');
    await form.getByRole('button', { name: 'Send' }).click();
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    expect(await form.getByLabel('Edited message').inputValue()).toBe('Forget it');
    host.provider.reply(replyWith('FORGOTTEN'));
    await form.getByRole('button', { name: 'Send' }).click();
    await dialog.getByRole('button', { name: 'Replace' }).click();
    await message(page, 'FORGOTTEN').waitFor();
    await message(page, 'I wrote it down.').waitFor({ state: 'detached' });
    expectQuiet(window);
    await window.close();
  });
});

describe('the actions of messages', () => {
  it('are absent for viewers, and a completed conversation has only the fork', async () => {
    const id = await talkOf('one');
    const as = { email: 'viewer-of-branches@example.com', password: 'a viewer of this workspace' };
    await makeMember(host.service, 'viewer', as);
    const viewer = await open(id, { as });
    await message(viewer.page, 'ONE').waitFor();
    for (const name of ['Edit', 'Try again', 'Fork from here']) {
      expect(await messages(viewer.page).getByRole('button', { name }).count()).toBe(0);
    }
    await viewer.close();
    await host.service.service.services.stores.prisma.conversation.update({
      where: { id },
      data: { status: 'completed', completedAt: new Date() },
    });
    const window = await open(id);
    const { page } = window;
    await message(page, 'ONE').getByRole('button', { name: 'Fork from here' }).waitFor();
    for (const name of ['Edit', 'Try again'])
      expect(await messages(page).getByRole('button', { name }).count()).toBe(0);
    expectQuiet(window);
    await window.close();
  });

  it('are absent while a turn runs, and are back when it is stopped', async () => {
    const id = await talkOf('one');
    const window = await open(id);
    const { page } = window;
    host.provider.reply({ kind: 'stall', deltas: ['Half of a reply'] });
    await tryAgain(page).click();
    await page.getByText('Half of a reply').waitFor();
    await page.getByText('The assistant is responding').waitFor();
    for (const name of ['Edit', 'Try again', 'Fork from here']) {
      await expect.poll(() => messages(page).getByRole('button', { name }).count()).toBe(0);
    }
    await page.getByRole('button', { name: 'Stop turn' }).click();
    await tryAgain(page).waitFor();
    await edit(page, 'one').waitFor();
    expectQuiet(window);
    await window.close();
  });

  it('say why they failed', async () => {
    const id = await talkOf('one');
    const window = await open(id);
    const { page } = window;
    await tryAgain(page).waitFor();
    await page.route('**/graphql', async (route) => {
      const isMutation = /RegenerateTurn|EditMessage/.test(route.request().postData() ?? '');
      await (isMutation ? route.abort() : route.continue());
    });
    await tryAgain(page).click();
    await page
      .getByRole('alert')
      .getByText(/could not be reached/)
      .waitFor();
    await edit(page, 'one').click();
    const form = page.getByRole('form', { name: 'Edit the message' });
    await form.getByLabel('Edited message').fill('something else');
    await form.getByRole('button', { name: 'Send' }).click();
    await form.getByText(/could not be reached/).waitFor();
    expect(await form.getByLabel('Edited message').inputValue()).toBe('something else');
    await message(page, 'ONE').waitFor();
    await window.close();
  });
});
