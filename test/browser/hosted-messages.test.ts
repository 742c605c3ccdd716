import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { AGENT_PAGE } from '../support/agent-page.ts';
import { expectAccessible, expectQuiet, screenshot } from '../support/browser.ts';
import { cidOf, composer, reply, say } from '../support/chat-page.ts';
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

const PAGES = [
  ['chat', `/chat/${DEMO_CHAT_ID}`],
  ['agent', AGENT_PAGE],
] as const;

const PNG = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

const FORBIDDEN = { error: { type: 'permission_error', code: 'forbidden', message: 'No.', param: null } };

const clipboard = (page: Page) => page.evaluate(() => navigator.clipboard.readText());
const log = (page: Page) => page.getByRole('log');

describe.each(PAGES)('a message on the %s page', (kind, path) => {
  it('can be copied as Markdown, and its code without the fence, with colored words', async () => {
    const permissions = ['clipboard-read', 'clipboard-write'];
    const window = await visit(browser, service.url, { permissions });
    const page = await window.open(path);
    const text = '**Try**\n\n```js\nconst answer = "six"; // seven\n```\n\n```\nplain\n```\n\n```unknown\nx\n```';
    await composer(page).fill(text);
    await composer(page).press('Enter');
    await log(page).locator('pre .hljs-keyword', { hasText: 'const' }).waitFor();
    await log(page).locator('pre .hljs-comment', { hasText: '// seven' }).waitFor();
    expect(await log(page).locator('pre').count()).toBe(3);
    await log(page).getByRole('button', { name: 'Copy', exact: true }).last().click();
    await expect.poll(() => clipboard(page)).toBe(`You said: ${text}`);
    await log(page).getByRole('button', { name: 'Copied' }).waitFor();
    await log(page).getByRole('button', { name: 'Copy code' }).first().click();
    await expect.poll(() => clipboard(page)).toBe('const answer = "six"; // seven');
    await log(page).getByText('plain', { exact: true }).waitFor();
    await expectAccessible(page);
    await screenshot(page, `${kind}-code`);
    expectQuiet(window);
    await window.close();
  });

  it('aligns the columns of tables, and shows what of a list of tasks is done', async () => {
    const window = await visit(browser, service.url);
    const page = await window.open(path);
    const table = '| Item | Price | Note |\n| :--- | ---: | :---: |\n| Shirt | 20.00 | new |';
    await composer(page).fill(`Here:\n\n${table}\n\n- [x] Packed\n- [ ] Sent\n- Plain`);
    await composer(page).press('Enter');
    const cells = log(page).locator('td');
    await cells.last().waitFor();
    const aligned = await cells.evaluateAll((all) => all.map((cell) => getComputedStyle(cell).textAlign));
    expect(aligned).toEqual(['start', 'end', 'center']);
    const tasks = log(page)
      .getByRole('listitem')
      .filter({ hasText: /^\s*(Packed|Sent|Plain)\s*$/ });
    expect(await tasks.count()).toBe(3);
    await tasks.nth(0).getByRole('img', { name: 'Done' }).waitFor();
    await tasks.nth(1).getByRole('img', { name: 'Open' }).waitFor();
    expect(await tasks.nth(2).getByRole('img').count()).toBe(0);
    // The reader cannot change them.
    expect(await log(page).getByRole('checkbox').count()).toBe(0);
    await expectAccessible(page);
    await screenshot(page, `${kind}-tables-and-tasks`);
    expectQuiet(window);
    await window.close();
  });

  it('shows its exact time after a tap', async () => {
    const window = await visit(browser, service.url, {
      hasTouch: true,
      isMobile: true,
      viewport: { width: 390, height: 844 },
    });
    const page = await window.open(path);
    await composer(page).fill('Hello');
    await page.getByRole('button', { name: 'Send', exact: true }).tap();
    await reply(page, 'You said: Hello');
    const time = log(page).getByRole('button', { name: 'just now' }).last();
    await time.tap();
    await log(page)
      .getByRole('button', { name: /^[A-Z][a-z]{2} \d{1,2}, \d{4}, \d{1,2}:\d{2}:\d{2}/ })
      .waitFor();
    await expectAccessible(page);
    await screenshot(page, `${kind}-times`);
    expectQuiet(window);
    await window.close();
  });

  it('shows the names of its files, after a reload too, and previews of pictures', async () => {
    const window = await visit(browser, service.url);
    const page = await window.open(path);
    await page.locator('input[type=file]').setInputFiles([
      { name: 'Ein Bild (1).png', mimeType: 'image/png', buffer: Buffer.from(PNG, 'base64') },
      { name: 'Übersicht "neu".txt', mimeType: 'text/plain', buffer: Buffer.from('Some notes') },
    ]);
    await page.getByRole('list', { name: 'Attached files' }).locator('img').waitFor();
    await say(page, 'Look at these');
    await reply(page, 'You said: Look at these');
    const check = async () => {
      await log(page).getByText('Ein Bild (1).png').waitFor();
      const picture = log(page).getByRole('img', { name: 'Sent with this message' });
      await expect.poll(() => picture.evaluate((image: HTMLImageElement) => image.naturalWidth)).toBe(1);
      const file = log(page).getByRole('link', { name: 'Übersicht "neu".txt' });
      expect(await file.innerText()).toContain('text/plain, 10 B');
      expect(await file.getAttribute('download')).toBe('Übersicht "neu".txt');
    };
    await check();
    await page.reload();
    await check();
    await expectAccessible(page);
    await screenshot(page, `${kind}-file-names`);
    const { body } = await service.send('GET', `/v1/runner/conversation/${cidOf(page)}/messages`);
    expect(body.items[0].content[1]).toEqual({
      type: 'url',
      mime_type: 'image/png',
      file_uri: expect.stringMatching(/^parley:file_/),
    });
    expectQuiet(window);
    await window.close();
  });
});

describe.each(PAGES)('a conversation on the %s page', (kind, path) => {
  it('gets another name in the list of the browser and in the service', async () => {
    const window = await visit(browser, service.url);
    const page = await window.open(path);
    await say(page, 'Where are my shoes?');
    await reply(page, 'You said: Where are my shoes?');
    const list = page.getByRole('navigation', { name: 'Conversations' });
    await list.getByRole('button', { name: 'Rename Where are my shoes?' }).click();
    const dialog = page.getByRole('dialog', { name: 'Rename the conversation' });
    const field = dialog.getByRole('textbox', { name: 'Name' });
    await expect.poll(() => field.inputValue()).toBe('Where are my shoes?');
    await expectAccessible(page);
    await screenshot(page, `${kind}-rename`);
    await field.fill('  ');
    expect(await dialog.getByRole('button', { name: 'Save' }).isDisabled()).toBe(true);
    await page.route('**/v1/runner/conversation/*', (route) => route.fulfill({ status: 403, json: FORBIDDEN }), {
      times: 1,
    });
    await field.fill('Blue shoes');
    await field.press('Enter');
    await dialog.getByText('You do not have access.').waitFor();
    await dialog.getByRole('button', { name: 'Save' }).click();
    await dialog.waitFor({ state: 'detached' });
    await list.getByRole('button', { name: 'Blue shoes', exact: false }).first().waitFor();
    const names = await service.graphql('query ($id: ID!) { conversation(id: $id) { name } }', {
      id: cidOf(page),
    });
    expect(names.body.data.conversation.name).toBe('Blue shoes');
    // The name stays after another turn and a reload.
    await say(page, 'And now?');
    await reply(page, 'You said: And now?');
    await page.reload();
    await list.getByRole('button', { name: 'Blue shoes', exact: false }).first().waitFor();
    expect(window.consoleErrors).toEqual([expect.stringContaining('403')]);
    await window.close();
  });
});
