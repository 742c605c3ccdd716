import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { liftLimits } from '../support/agent-page.ts';
import { expectAccessible, expectQuiet, screenshot } from '../support/browser.ts';
import { cidOf, composer, say } from '../support/chat-page.ts';
import { HANDS_OVER, type Person, personOf } from '../support/handling.ts';
import { watchText } from '../support/live-page.ts';
import { type ProviderService, startProviderService } from '../support/provider-service.ts';
import { type Site, startSite } from '../support/site.ts';
import { replyWith } from '../support/talk.ts';
import { makeDeployment } from '../support/tenants.ts';
import { until } from '../support/until.ts';
import { launchBrowser, type Visit, visit } from '../support/visit.ts';

let host: ProviderService;
let browser: Browser;
let site: Site;
let anna: Person;
beforeAll(async () => {
  [host, browser, site] = await Promise.all([startProviderService(), launchBrowser(), startSite()]);
  anna = await personOf(host.service);
});
afterAll(async () => {
  await host?.close();
  await site?.close();
});

const ids = { chat: '', agent: '' };
const FIELDS = { name: 'Shop help', hostedPage: true, authRequired: false, allowEditing: true } as const;
beforeEach(async () => {
  for (const kind of ['chat', 'agent'] as const) {
    const { id } = await makeDeployment(host.service, { allowHandOver: true }, { kind, ...FIELDS });
    ids[kind] = id;
  }
  await liftLimits(host.service);
  host.provider.reply(replyWith('HELLO'));
});

type Inside = Page | ReturnType<Page['frameLocator']>;
const log = (page: Inside) => page.getByRole('log');
const shown = (page: Inside, text: string) => log(page).getByText(text, { exact: true });
const announced = (page: Inside, text: string) => page.getByRole('status').getByText(text, { exact: true });
const tryAgain = (page: Page) => page.getByRole('button', { name: 'Try again' });
const pencils = (page: Page) => page.getByRole('button', { name: 'Edit', exact: true });

/** Opens the page of a deployment with one turn. */
async function talk(
  kind: 'chat' | 'agent',
  options = {},
): Promise<Visit & { readonly page: Page; readonly cid: string }> {
  const window = await visit(browser, host.service.url, options);
  const page = await window.open(`/${kind}/${ids[kind]}`);
  await say(page, 'hello');
  await shown(page, 'HELLO').waitFor();
  await tryAgain(page).waitFor();
  await expect.poll(() => cidOf(page)).toBeTruthy();
  return { ...window, page, cid: cidOf(page) ?? '' };
}

/** The texts of the log, without those for screen readers and of buttons. */
const linesOf = (page: Page, texts: readonly string[]) =>
  log(page).evaluate((node, wanted) => {
    const lines = (node as HTMLElement).innerText.split('\n').map((line) => line.trim());
    return lines.filter((line) => wanted.includes(line));
  }, texts);

describe.each(['chat', 'agent'] as const)('on the %s page', (kind) => {
  it('a person joins, answers with a name and hands the conversation back', async () => {
    const window = await talk(kind);
    const { page, cid } = window;
    await pencils(page).waitFor();
    await anna.takeOver(cid, 'Anna Schmidt');
    await shown(page, 'Anna Schmidt has joined').waitFor();
    await announced(page, 'Anna Schmidt has joined').waitFor();
    await pencils(page).waitFor({ state: 'detached' });
    await tryAgain(page).waitFor({ state: 'detached' });
    const requests = host.provider.requests.length;
    const [empty, thinking] = [await watchText(page, 'empty reply'), await watchText(page, 'assistant is')];
    for (const text of ['Are you there?', 'Hello?']) {
      await say(page, text);
      await shown(page, text).waitFor();
    }
    await anna.say(cid, 'Yes, I am.');
    await shown(page, 'Yes, I am.').waitFor();
    await announced(page, 'Anna Schmidt: Yes, I am.').waitFor();
    await shown(page, 'Anna Schmidt').waitFor();
    expect(host.provider.requests.length).toBe(requests);
    expect([await empty.counts(), await thinking.counts()]).toEqual([[], []]);
    await expect.poll(() => page.getByRole('button', { name: 'Stop' }).count()).toBe(0);
    await expectAccessible(page);
    await screenshot(page, `${kind}-handling`);
    await anna.handBack(cid);
    await shown(page, 'The assistant is back').waitFor();
    await announced(page, 'The assistant is back').waitFor();
    const lines = ['HELLO', 'Anna Schmidt has joined', 'Hello?', 'Anna Schmidt', 'Yes, I am.', 'The assistant is back'];
    expect(await linesOf(page, lines)).toEqual(lines);
    // Nothing that the person has answered can be replaced, but the next turn can.
    expect([await pencils(page).count(), await tryAgain(page).count()]).toEqual([0, 0]);
    host.provider.reply(replyWith('BYE'));
    await say(page, 'bye');
    await shown(page, 'BYE').waitFor();
    await tryAgain(page).waitFor();
    expect(await pencils(page).count()).toBe(1);
    await page.reload();
    await shown(page, 'BYE').waitFor();
    await shown(page, 'The assistant is back').waitFor();
    expect(await linesOf(page, lines)).toEqual(lines);
    await tryAgain(page).waitFor();
    // Loaded items are no news.
    expect(await announced(page, 'The assistant is back').count()).toBe(0);
    expectQuiet(window);
    await window.close();
  });

  it('a reload while a person answers shows their name, and another tab follows', async () => {
    const window = await talk(kind);
    const { page, cid } = window;
    await anna.takeOver(cid, 'Anna');
    await anna.say(cid, 'How can I help?');
    const tab = await window.open(`/${kind}/${ids[kind]}?cid=${cid}`);
    await page.reload();
    for (const one of [page, tab]) {
      await shown(one, 'How can I help?').waitFor();
      await shown(one, 'Anna has joined').waitFor();
      await composer(one).waitFor();
      expect([await pencils(one).count(), await tryAgain(one).count()]).toEqual([0, 0]);
    }
    const thinking = await Promise.all([page, tab].map((one) => watchText(one, 'assistant is')));
    await say(page, 'With a refund');
    for (const one of [page, tab]) await shown(one, 'With a refund').waitFor();
    await anna.say(cid, 'Done');
    for (const one of [page, tab]) await announced(one, 'Anna: Done').waitFor();
    for (const watch of thinking) expect(await watch.counts()).toEqual([]);
    await window.close();
  });

  it('the assistant hands over, and the conversation waits for a person', async () => {
    host.provider.reply(...HANDS_OVER);
    const window = await visit(browser, host.service.url);
    const page = await window.open(`/${kind}/${ids[kind]}`);
    await say(page, 'I want a refund');
    await shown(page, 'A colleague will answer.').waitFor();
    await shown(page, 'Waiting for a person…').waitFor();
    await announced(page, 'Waiting for a person…').waitFor();
    await say(page, 'Thanks');
    await shown(page, 'Thanks').waitFor();
    await expect.poll(() => page.getByRole('button', { name: 'Stop' }).count()).toBe(0);
    expect(await page.getByText('empty reply').count()).toBe(0);
    await expectAccessible(page);
    await window.close();
  });

  it('has the texts in the language of the browser', async () => {
    const window = await visit(browser, host.service.url, { locale: 'de-DE' });
    const page = await window.open(`/${kind}/${ids[kind]}`);
    const field = page.getByRole('textbox', { name: 'Nachricht' });
    await field.fill('hallo');
    await field.press('Enter');
    await shown(page, 'HELLO').waitFor();
    await expect.poll(() => cidOf(page)).toBeTruthy();
    await anna.takeOver(cidOf(page) ?? '', 'Anna');
    await shown(page, 'Anna ist jetzt dabei').waitFor();
    await anna.handBack(cidOf(page) ?? '');
    await shown(page, 'Der Assistent ist wieder da').waitFor();
    await window.close();
  });

  it('the widget counts what a person writes while it is closed', async () => {
    site.show(`<script src="${host.service.url}/widget.js" data-deployment="${ids[kind]}"></script>`);
    const window = await visit(browser, host.service.url, { isOwn: true });
    const page = await window.context.newPage();
    await page.goto(site.origin);
    const launcher = (name: string) => page.getByRole('button', { name, exact: true });
    await launcher('Chat with us').click();
    const inside = page.frameLocator('iframe');
    await say(inside, 'hello');
    await shown(inside, 'HELLO').waitFor();
    const latest = () =>
      host.service.service.services.stores.prisma.conversation.findFirst({ where: { deploymentId: ids[kind] } });
    await until(async () => (await latest()) !== null);
    const cid = (await latest())?.id ?? '';
    await anna.takeOver(cid, 'Anna');
    await shown(inside, 'Anna has joined').waitFor();
    await launcher('Chat with us').click();
    await anna.say(cid, 'Hi, Anna here');
    await launcher('Chat with us (1 unread message)').click();
    await shown(inside, 'Hi, Anna here').waitFor();
    await window.close();
  });
});
