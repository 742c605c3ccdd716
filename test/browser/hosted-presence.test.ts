import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { liftLimits } from '../support/agent-page.ts';
import { expectAccessible, expectQuiet } from '../support/browser.ts';
import { cidOf, composer, say } from '../support/chat-page.ts';
import { endUserToken } from '../support/end-users.ts';
import { type Person, personOf } from '../support/handling.ts';
import { watchText } from '../support/live-page.ts';
import { type ProviderService, startProviderService } from '../support/provider-service.ts';
import { type Site, startSite } from '../support/site.ts';
import type { Subscription } from '../support/subscriptions.ts';
import { replyWith } from '../support/talk.ts';
import { makeDeployment } from '../support/tenants.ts';
import { until } from '../support/until.ts';
import { launchBrowser, type Visit, visit } from '../support/visit.ts';

let host: ProviderService;
let browser: Browser;
let site: Site;
let anna: Person;
let bob: Person;
beforeAll(async () => {
  [host, browser, site] = await Promise.all([startProviderService(), launchBrowser(), startSite()]);
  [anna, bob] = [await personOf(host.service), await personOf(host.service)];
});
afterAll(async () => {
  await host?.close();
  await site?.close();
});
beforeEach(() => host.provider.reply(replyWith('HELLO')));

type Inside = Page | ReturnType<Page['frameLocator']>;
type Kind = 'chat' | 'agent';
const KINDS = ['chat', 'agent'] as const;

const shown = (page: Inside, text: string) => page.getByRole('log').getByText(text, { exact: true });
const typing = (page: Inside, text = 'Anna is typing…') => page.getByRole('status').getByText(text, { exact: true });

async function deploymentOf(kind: Kind, fields: object = {}): Promise<string> {
  const { id } = await makeDeployment(host.service, {}, { kind, hostedPage: true, authRequired: false, ...fields });
  await liftLimits(host.service);
  return id;
}

interface Talk extends Visit {
  readonly page: Page;
  readonly cid: string;
}

/** Opens the page of a deployment with one turn. */
async function talk(kind: Kind, options = {}): Promise<Talk> {
  const id = await deploymentOf(kind);
  const window = await visit(browser, host.service.url, options);
  const page = await window.open(`/${kind}/${id}`);
  const field = page.getByRole('textbox');
  await field.fill('hello');
  await field.press('Enter');
  await shown(page, 'HELLO').waitFor();
  await expect.poll(() => cidOf(page)).toBeTruthy();
  return { ...window, page, cid: cidOf(page) ?? '' };
}

/** The conversation of a deployment, once it is stored. */
async function conversationOf(deploymentId: string): Promise<string> {
  const { prisma } = host.service.service.services.stores;
  return until(async () => (await prisma.conversation.findFirst({ where: { deploymentId } }))?.id);
}

/** Whether the user types, after each event of a subscription until it says so. */
async function userTypes(feed: Subscription, wanted: boolean): Promise<void> {
  for (;;) {
    const { data } = await feed.next();
    const people: { readonly kind: string; readonly isTyping: boolean }[] = data.presenceChanged.people;
    if (people.some(({ kind, isTyping }) => kind === 'USER' && isTyping) === wanted) return;
  }
}

/** The bodies of the reports that a page sends. */
function reportsOf(page: Page): boolean[] {
  const reports: boolean[] = [];
  page.on('request', (request) => {
    const body = request.postData() ?? '';
    if (body.includes('PageTyping')) reports.push(JSON.parse(body).variables.isTyping);
  });
  return reports;
}

describe.each(KINDS)('the %s page', (kind) => {
  it('shows that the person who has the conversation types, until their message comes or they stop', async () => {
    const window = await talk(kind);
    const { page, cid } = window;
    await anna.reports(cid, true);
    await anna.takeOver(cid, 'Anna');
    await typing(page).waitFor();
    await expectAccessible(page);
    await anna.say(cid, 'Good morning.');
    await shown(page, 'Good morning.').waitFor();
    await typing(page).waitFor({ state: 'detached' });
    const lines = await watchText(page, 'is typing…');
    // Nobody else's typing is for the user.
    await bob.reports(cid, true);
    await anna.reports(cid, true);
    await typing(page).waitFor();
    await anna.reports(cid, false);
    await typing(page).waitFor({ state: 'detached' });
    expect(await lines.counts()).toEqual([1, 0]);
    await anna.reports(cid, true);
    await typing(page).waitFor();
    await anna.handBack(cid, { answer: false });
    await typing(page).waitFor({ state: 'detached' });
    expectQuiet(window);
    await window.close();
  });

  it('shows no typing that nobody has renewed', async () => {
    const window = await talk(kind);
    const { page, cid } = window;
    await anna.takeOver(cid, 'Anna');
    await anna.reports(cid, true);
    await typing(page).waitFor();
    await typing(page).waitFor({ state: 'detached' });
    await window.close();
  });

  it('reports that its visitor types, only while a person will read it, and at most every 3 s', async () => {
    const window = await talk(kind);
    const { page, cid } = window;
    const reports = reportsOf(page);
    const feed = await anna.follows(cid);
    await composer(page).pressSequentially('Can I');
    expect(reports).toEqual([]);
    await composer(page).fill('');
    await anna.takeOver(cid, 'Anna');
    await shown(page, 'Anna has joined').waitFor();
    await composer(page).pressSequentially('Can I get a new one?');
    await userTypes(feed, true);
    expect(reports).toEqual([true]);
    await say(page, 'Can I get a new one?');
    await shown(page, 'Can I get a new one?').waitFor();
    await userTypes(feed, false);
    expect(reports).toEqual([true, false]);
    await feed.close();
    expectQuiet(window);
    await window.close();
  });

  it('follows nobody in a hidden tab, and shows who types when the tab is in front again', async () => {
    const window = await talk(kind, { isOwn: true });
    const { page, cid } = window;
    const setVisibility = (value: 'hidden' | 'visible') =>
      page.evaluate((state) => {
        Object.defineProperty(document, 'visibilityState', { value: state, configurable: true });
        document.dispatchEvent(new Event('visibilitychange'));
      }, value);
    await anna.takeOver(cid, 'Anna');
    await anna.reports(cid, true);
    await typing(page).waitFor();
    await setVisibility('hidden');
    await typing(page).waitFor({ state: 'detached' });
    await anna.reports(cid, true);
    await setVisibility('visible');
    await typing(page).waitFor();
    await window.close();
  });

  it('works without it: a proxy that blocks it disturbs nothing', async () => {
    const window = await talk(kind, { isOwn: true });
    const { page, cid } = window;
    await page.route('**/graphql', (route) => {
      const body = route.request().postData() ?? '';
      return /PagePresence|PageTyping/.test(body) ? route.abort() : route.continue();
    });
    await anna.takeOver(cid, 'Anna');
    await shown(page, 'Anna has joined').waitFor();
    await anna.reports(cid, true);
    await say(page, 'Are you there?');
    await shown(page, 'Are you there?').waitFor();
    await anna.say(cid, 'Yes.');
    await shown(page, 'Yes.').waitFor();
    expect(await page.getByRole('alert').count()).toBe(0);
    await window.close();
  });

  it.each([
    ['de-DE', 'Anna schreibt…'],
    ['es-ES', 'Anna está escribiendo…'],
    ['fr-FR', 'Anna est en train d’écrire…'],
  ])('has the text in the language of the browser: %s', async (locale, text) => {
    const window = await talk(kind, { locale });
    await anna.takeOver(window.cid, 'Anna');
    await anna.reports(window.cid, true);
    await typing(window.page, text).waitFor();
    await window.close();
  });

  it.each([
    ['a visitor', ''],
    ['a user whom the site identifies', `<script>Parley.identify(() => tokenFor('ada'))</script>`],
  ])('does the same in the widget, for %s', async (_who, script) => {
    const id = await deploymentOf(kind, script === '' ? {} : { authRequired: true });
    const { prisma } = host.service.service.services.stores;
    if (script !== '') await prisma.deployment.update({ where: { id }, data: { allowlist: ['localhost'] } });
    site.show(`<script src="${host.service.url}/widget.js" data-deployment="${id}"></script>${script}`);
    const window = await visit(browser, host.service.url, { isOwn: true });
    const page = await window.context.newPage();
    let tokens = 0;
    await page.exposeFunction('tokenFor', async (user: string) => {
      tokens += 1;
      return { token: await endUserToken(host.service, id, user), expiresAt: Date.now() + 600_000 };
    });
    await page.goto(site.origin);
    await page.getByRole('button', { name: 'Chat with us', exact: true }).click();
    const inside = page.frameLocator('iframe');
    await say(inside, 'hello');
    await shown(inside, 'HELLO').waitFor();
    const cid = await conversationOf(id);
    await anna.takeOver(cid, 'Anna');
    await shown(inside, 'Anna has joined').waitFor();
    await anna.reports(cid, true);
    await typing(inside).waitFor();
    const feed = await anna.follows(cid);
    await composer(inside).pressSequentially('Hi');
    await userTypes(feed, true);
    await feed.close();
    // It uses the token of the chat.
    expect(tokens).toBe(script === '' ? 0 : 1);
    await window.close();
  });
});
