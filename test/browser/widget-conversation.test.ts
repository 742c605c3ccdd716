import { randomUUID } from 'node:crypto';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { expectAccessible, expectQuiet, screenshot } from '../support/browser.ts';
import { composer, reply, say } from '../support/chat-page.ts';
import { startService, type TestService } from '../support/service.ts';
import { type Site, startSite } from '../support/site.ts';
import { type DeploymentFields, makeDeployment } from '../support/tenants.ts';
import { launchBrowser, visit } from '../support/visit.ts';

let service: TestService;
let browser: Browser;
let site: Site;
beforeAll(async () => {
  [service, browser, site] = await Promise.all([startService(), launchBrowser(), startSite()]);
});
afterAll(async () => {
  await service?.close();
  await site?.close();
});

async function hosted(fields: DeploymentFields & { readonly branding?: object } = {}): Promise<string> {
  const { branding = {}, ...rest } = fields;
  const { id } = await makeDeployment(service, {}, { hostedPage: true, authRequired: false, ...rest });
  const data = { anonymousPerMinute: 10_000, branding };
  await service.service.services.stores.prisma.deployment.update({ where: { id }, data });
  return id;
}

const script = (deployment: string, attributes = '') =>
  `<script src="${service.url}/widget.js" data-deployment="${deployment}" ${attributes}></script>`;

async function visitSite(options: BrowserContextOptions = {}) {
  const window = await visit(browser, service.url, { isOwn: true, ...options });
  const page = await window.context.newPage();
  await page.goto(site.origin);
  return { window, page };
}

const launcher = (page: Page, name: string | RegExp = 'Chat with us') =>
  page.getByRole('button', { name, ...(typeof name === 'string' && { exact: true }) });
const inside = (page: Page) => page.frameLocator('iframe');

const stored = (page: Page) => page.evaluate(() => JSON.stringify({ ...localStorage }));

/** Waits until the widget has stored its conversation. Returns the ID. */
async function storedConversation(page: Page): Promise<string> {
  await expect.poll(() => stored(page)).toMatch(/conversation/);
  return /[0-9a-f-]{36}(?=\\")/.exec(await stored(page))?.[0] ?? '';
}

describe('the conversation of the widget', () => {
  it('survives a page load, another page and a new tab of the site', async () => {
    const id = await hosted();
    site.show(script(id));
    const { window, page } = await visitSite();
    await launcher(page).click();
    await say(inside(page), 'Remember me');
    await reply(inside(page), 'You said: Remember me');
    await storedConversation(page);
    await launcher(page).click();
    await page.goto(`${site.origin}/other`);
    await launcher(page).click();
    await reply(inside(page), 'You said: Remember me');
    await say(inside(page), 'And again');
    await reply(inside(page), 'You said: And again');
    const tab = await window.context.newPage();
    await tab.goto(site.origin);
    expect(await launcher(tab).getAttribute('aria-expanded')).toBe('false');
    await launcher(tab).click();
    await reply(inside(tab), 'You said: And again');
    expectQuiet(window);
    await window.close();
  });

  it('is stored as an ID only, per deployment', async () => {
    const [id, other] = [await hosted(), await hosted()];
    site.show(script(id));
    const { window, page } = await visitSite();
    await launcher(page).click();
    await say(inside(page), 'A secret');
    await reply(inside(page), 'You said: A secret');
    const conversation = await storedConversation(page);
    const value = { conversation, seen: expect.any(Number) };
    await expect.poll(async () => JSON.parse(JSON.parse(await stored(page))[`parley:${id}`])).toEqual(value);
    site.show(script(other));
    await page.goto(site.origin);
    await launcher(page).click();
    await composer(inside(page)).waitFor();
    expect(await page.locator('iframe').getAttribute('src')).toBe(`${service.url}/chat/${other}`);
    expectQuiet(window);
    await window.close();
  });

  it('is open on the next page if it was open, but not on a phone, where it covers the page', async () => {
    const id = await hosted();
    site.show(script(id));
    const { window, page } = await visitSite();
    await launcher(page).click();
    await say(inside(page), 'Stay');
    await reply(inside(page), 'You said: Stay');
    await storedConversation(page);
    await page.reload();
    await reply(inside(page), 'You said: Stay');
    expect(await launcher(page).getAttribute('aria-expanded')).toBe('true');
    await page.setViewportSize({ width: 390, height: 844 });
    await page.reload();
    await launcher(page).waitFor();
    expect(await launcher(page).getAttribute('aria-expanded')).toBe('false');
    expectQuiet(window);
    await window.close();
  });

  it.each(['chat', 'agent'] as const)(
    'shows a badge when a reply of the %s page comes while it is closed',
    async (kind) => {
      const id = await hosted({ kind });
      site.show(script(id));
      const { window, page } = await visitSite();
      await launcher(page).click();
      await say(inside(page), '/slow 2');
      await storedConversation(page);
      await launcher(page).click();
      await launcher(page, 'Chat with us (1 unread message)').waitFor();
      await page.getByRole('status').getByText('1 unread message').waitFor();
      await expectAccessible(page);
      await screenshot(page, `widget-badge-${kind}`);
      // The badge is there on the next page, without opening the widget.
      await page.reload();
      await launcher(page, 'Chat with us (1 unread message)').click();
      await launcher(page).waitFor();
      await page.reload();
      await page.locator('iframe').waitFor({ state: 'attached' });
      await inside(page).getByRole('log').waitFor({ state: 'attached' });
      expect(await launcher(page, /unread/).count()).toBe(0);
      expectQuiet(window);
      await window.close();
    },
  );

  it('starts a new conversation if the old one was deleted', async () => {
    const id = await hosted();
    site.show(script(id));
    const { window, page } = await visitSite();
    await launcher(page).click();
    await say(inside(page), 'Soon gone');
    await reply(inside(page), 'You said: Soon gone');
    const conversation = await storedConversation(page);
    await launcher(page).click();
    const remove = `mutation ($id: ID!) { deleteConversation(input: { conversationId: $id }) { __typename } }`;
    const { body } = await service.graphql(remove, { id: conversation });
    expect(body.data.deleteConversation.__typename).toBe('DeleteConversationPayload');
    await page.reload();
    await expect.poll(() => stored(page)).not.toContain(conversation);
    await launcher(page).click();
    await say(inside(page), 'New');
    await reply(inside(page), 'You said: New');
    await window.close();
  });

  it('ignores messages of other windows and of another form', async () => {
    const id = await hosted();
    site.show(script(id));
    const { window, page } = await visitSite();
    await launcher(page).click();
    await composer(inside(page)).waitFor();
    const forged = { type: 'parley:state', conversation: randomUUID(), replies: [1] };
    await page.evaluate((data) => globalThis.postMessage(data, '*'), forged);
    const [, frame] = page.frames();
    await frame?.evaluate((data) => {
      for (const change of [{ conversation: '../x' }, { replies: ['1'] }, { replies: Array(100).fill(1) }]) {
        parent.postMessage({ ...data, ...change }, '*');
      }
    }, forged);
    await page.evaluate(() => new Promise((resolve) => setTimeout(resolve, 200)));
    expect(await stored(page)).toBe('{}');
    await frame?.evaluate((data) => parent.postMessage(data, '*'), forged);
    expect(await storedConversation(page)).toBe(forged.conversation);
    await window.close();
  });

  it('works on a site without storage', async () => {
    site.show(`<script>Object.defineProperty(window, 'localStorage', { get() { throw new Error('blocked'); } });
      Object.defineProperty(window, 'sessionStorage', { get() { throw new Error('blocked'); } });</script>
      ${script(await hosted())}`);
    const { window, page } = await visitSite();
    await launcher(page).click();
    await say(inside(page), 'Hello');
    await reply(inside(page), 'You said: Hello');
    expectQuiet(window);
    await window.close();
  });
});

describe('the branding of the widget', () => {
  it('opens the page of the kind of the deployment, without data-kind', async () => {
    const agent = await hosted({ kind: 'agent' });
    site.show(script(agent));
    const { window, page } = await visitSite();
    await launcher(page).click();
    await say(inside(page), 'Hello agent');
    await inside(page).getByText('You said: Hello agent').waitFor();
    expect(await page.locator('iframe').getAttribute('src')).toBe(`${service.url}/agent/${agent}`);
    expectQuiet(window);
    await window.close();
  });

  it('takes side, text, colours, theme and language from the service', async () => {
    const branding = {
      accent: '#0057b8',
      theme: 'light',
      language: 'de',
      launcherPosition: 'left',
      launcherText: 'Hilfe',
    };
    site.show(script(await hosted({ branding })));
    const { window, page } = await visitSite({ colorScheme: 'dark' });
    const button = launcher(page, 'Hilfe');
    await button.waitFor();
    expect((await button.boundingBox())?.x).toBe(20);
    expect(await button.evaluate((node) => getComputedStyle(node).backgroundColor)).toBe('rgb(0, 87, 184)');
    await button.click();
    await page.getByRole('dialog', { name: 'Hilfe' }).waitFor();
    expect((await page.getByRole('dialog').boundingBox())?.x).toBe(20);
    expect(await page.getByRole('button', { name: 'Schließen', includeHidden: true }).count()).toBe(1);
    await inside(page).getByRole('textbox', { name: 'Nachricht' }).waitFor();
    await expectAccessible(page);
    await screenshot(page, 'widget-branded');
    expectQuiet(window);
    await window.close();
  });

  it('lets attributes of the script override the service', async () => {
    const branding = { language: 'de', launcherPosition: 'left', launcherText: 'Hilfe' };
    const attributes = 'data-position="right" data-text="Ayuda" data-language="es-MX"';
    site.show(script(await hosted({ branding }), attributes));
    const { window, page } = await visitSite({ viewport: { width: 1000, height: 700 } });
    const box = await launcher(page, 'Ayuda').boundingBox();
    expect(Math.round((box?.x ?? 0) + (box?.width ?? 0))).toBe(980);
    await launcher(page, 'Ayuda').click();
    expect(await page.locator('iframe').getAttribute('src')).toMatch(/\?lang=es$/);
    const data = await inside(page).locator('#page-data').textContent();
    expect(JSON.parse(data ?? '').branding.language).toBe('es');
    await window.close();
  });

  it("follows the browser's language by default", async () => {
    site.show(script(await hosted()));
    const { window, page } = await visitSite({ locale: 'fr-CA' });
    await launcher(page, 'Discuter avec nous').waitFor();
    await window.close();
  });

  it.each<[string, DeploymentFields | undefined]>([
    ['unknown', undefined],
    ['unpublished', { published: false }],
    ['without a hosted page', { hostedPage: false }],
  ])('shows a message if the deployment is %s', async (_state, fields) => {
    site.show(script(fields ? await hosted(fields) : randomUUID(), 'data-language="de"'));
    const { window, page } = await visitSite();
    await launcher(page, 'Chatten Sie mit uns').click();
    await page.getByRole('dialog').getByText('Dieser Assistent ist nicht verfügbar.').waitFor();
    expect(await page.locator('iframe').count()).toBe(0);
    await expectAccessible(page);
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'hidden' });
    await page.setViewportSize({ width: 390, height: 844 });
    await launcher(page, 'Chatten Sie mit uns').click();
    if (!fields) await screenshot(page, 'widget-unavailable');
    await page.setViewportSize({ width: 390, height: 844 });
    await page.getByRole('button', { name: 'Schließen' }).click();
    await page.getByRole('dialog').waitFor({ state: 'hidden' });
    expectQuiet(window);
    await window.close();
  });

  it('has its default look on a site whose policy forbids to read the settings', async () => {
    const policy = `default-src 'none'; img-src data:; script-src ${service.url}; frame-src ${service.url}`;
    site.show(script(await hosted({ branding: { launcherText: 'Hilfe' } })), policy);
    const { window, page } = await visitSite();
    await launcher(page).click();
    await say(inside(page), 'Still works');
    await reply(inside(page), 'You said: Still works');
    // There the frame says that a deployment is closed, because the widget cannot know it.
    site.show(script(randomUUID()), policy);
    await page.goto(site.origin);
    await launcher(page).click();
    await inside(page).getByRole('heading', { name: 'Page not found' }).waitFor();
    await window.close();
  });
});
