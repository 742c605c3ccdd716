import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { expectAccessible, expectQuiet, launchBrowser, screenshot, visit } from '../support/browser.ts';
import { composer, reply, say } from '../support/chat-page.ts';
import { ROOT } from '../support/database.ts';
import { text } from '../support/doors.ts';
import { startService, type TestService } from '../support/service.ts';
import { type Site, startSite } from '../support/site.ts';
import { type DeploymentFields, makeDeployment } from '../support/tenants.ts';
import { createTrigger } from '../support/triggers.ts';

let service: TestService;
let browser: Browser;
let site: Site;
let id: string;
beforeAll(async () => {
  [service, browser, site] = await Promise.all([startService(), launchBrowser(), startSite()]);
  id = await hosted({ authRequired: false });
});
afterAll(async () => {
  await browser?.close();
  await service?.close();
  await site?.close();
});
beforeEach(() => site.show(script()));

async function hosted(fields: DeploymentFields): Promise<string> {
  const { id: made } = await makeDeployment(service, {}, { hostedPage: true, name: 'Shop help', ...fields });
  await service.service.services.prisma.deployment.update({
    where: { id: made },
    data: { anonymousPerMinute: 10_000 },
  });
  return made;
}

function script(attributes = '', deployment = id): string {
  return `<script src="${service.url}/widget.js" data-deployment="${deployment}" ${attributes}></script>`;
}

/** A visitor of the site. */
async function visitSite(options: BrowserContextOptions = {}) {
  const window = await visit(browser, service.url, options);
  const page = await window.context.newPage();
  await page.goto(site.origin);
  return { window, page };
}

const launcher = (page: Page, name = 'Chat with us') => page.getByRole('button', { name, exact: true });
const inside = (page: Page) => page.frameLocator('iframe');

describe('the script of the widget', () => {
  it('is a classic script of less than 4 kB, which declares no name of its own', () => {
    const built = readFileSync(join(ROOT, 'dist/web/widget.js'), 'utf8');
    expect(Buffer.byteLength(built)).toBeLessThan(4_096);
    // Neither import nor export: it would not even be read.
    expect(() => new Function(built)).not.toThrow();
    expect(built).toMatch(/^\(\(\)=>\{/);
  });

  it('opens the chat of a public deployment on a site of another origin, and talks', async () => {
    const { window, page } = await visitSite();
    await expectAccessible(page);
    expect(await launcher(page).getAttribute('aria-expanded')).toBe('false');
    await launcher(page).click();
    expect(await launcher(page).getAttribute('aria-expanded')).toBe('true');
    expect(await page.locator('iframe').getAttribute('title')).toBe('Chat with us');
    await say(inside(page), 'Hello from the site');
    await reply(inside(page), 'You said: Hello from the site');
    await expectAccessible(page);
    await screenshot(page, 'widget-open');
    expectQuiet(window);
    await window.close();
  });

  it('is opened and closed by keyboard: the focus goes in and comes back, and what was said stays', async () => {
    const { window, page } = await visitSite();
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await say(inside(page), 'Still here?');
    await reply(inside(page), 'You said: Still here?');
    await composer(inside(page)).press('Escape');
    await page.locator('iframe').waitFor({ state: 'hidden' });
    const focused = () => page.evaluate(() => document.activeElement?.shadowRoot?.activeElement?.className);
    expect(await focused()).toBe('launcher');
    await page.keyboard.press('Enter');
    await reply(inside(page), 'You said: Still here?');
    // Escape stops a reply before it closes anything.
    await say(inside(page), '/stream 2000');
    await inside(page)
      .getByText(/word10\b/)
      .waitFor();
    await composer(inside(page)).press('Escape');
    await inside(page).getByText('You stopped this reply.').waitFor();
    expect(await launcher(page).getAttribute('aria-expanded')).toBe('true');
    await launcher(page).click();
    await page.locator('iframe').waitFor({ state: 'hidden' });
    expectQuiet(window);
    await window.close();
  });

  it('covers the screen of a phone, with a button to close it', async () => {
    const { window, page } = await visitSite({ viewport: { width: 390, height: 844 } });
    await launcher(page).click();
    await composer(inside(page)).waitFor();
    const box = await page.getByRole('dialog').boundingBox();
    expect(box).toEqual({ x: 0, y: 0, width: 390, height: 844 });
    await page.getByRole('button', { name: 'Close' }).click();
    await page.locator('iframe').waitFor({ state: 'hidden' });
    await launcher(page).waitFor();
    expectQuiet(window);
    await window.close();
  });

  it('takes its options from its element: the page, a trigger, a label, and whether it is open', async () => {
    const agent = await hosted({ authRequired: false, kind: 'agent' });
    site.show(script('data-kind="agent" data-label="Ask &quot;us&quot;" data-open', agent));
    const { window, page } = await visitSite();
    expect(await launcher(page, 'Ask "us"').getAttribute('aria-expanded')).toBe('true');
    expect(await page.locator('iframe').getAttribute('src')).toBe(`${service.url}/agent/${agent}`);
    const { body } = await createTrigger(service, { content: text('Where is my order?') }, id);
    site.show(script(`data-trigger="${body.id}" data-open="true"`));
    await page.goto(site.origin);
    await reply(inside(page), 'You said: Where is my order?');
    expectQuiet(window);
    await window.close();
  });

  it('takes nothing of the styles of its site, and leaves nothing of its own there', async () => {
    site.show(`<style>button { display: none !important } * { color: red }</style>${script()}<p id="own">Text</p>`);
    const { window, page } = await visitSite();
    await launcher(page).waitFor();
    expect(await page.locator('#own').evaluate((own) => getComputedStyle(own).color)).toBe('rgb(255, 0, 0)');
    expect(await launcher(page).evaluate((button) => getComputedStyle(button).color)).toBe('rgb(255, 255, 255)');
    expectQuiet(window);
    await window.close();
  });

  it('works on a site with a strict policy', async () => {
    const policy = `default-src 'none'; img-src data:; script-src ${service.url}; frame-src ${service.url}; require-trusted-types-for 'script'`;
    site.show(script(), policy);
    const { window, page } = await visitSite();
    await launcher(page).click();
    await say(inside(page), 'Strict');
    await reply(inside(page), 'You said: Strict');
    expectQuiet(window);
    await window.close();
  });

  it('is there once where it is loaded twice', async () => {
    site.show(script() + script());
    const { window, page } = await visitSite();
    await launcher(page).waitFor();
    await expect.poll(() => launcher(page).count()).toBe(1);
    expectQuiet(window);
    await window.close();
  });

  it.each(['', 'x'])('says in the console what is missing where its deployment is "%s"', async (deployment) => {
    site.show(script('', deployment));
    const { window, page } = await visitSite();
    expect(await launcher(page).count()).toBe(0);
    expect(window.complaints).toEqual([expect.stringContaining('data-deployment')]);
    await window.close();
  });
});

describe('WIRE 4: the page of a deployment in a frame', () => {
  it('is shown on sites of its allowlist, and talks there where its own host is on it too', async () => {
    site.show(script('', await hosted({ authRequired: false, allowlist: ['localhost', '127.0.0.1'] })));
    const { window, page } = await visitSite();
    await launcher(page).click();
    await say(inside(page), 'Allowed');
    await reply(inside(page), 'You said: Allowed');
    expectQuiet(window);
    await window.close();
  });

  it('is blocked by the browser on any other site', async () => {
    site.show(script('', await hosted({ authRequired: false, allowlist: ['shop.example'] })));
    const { window, page } = await visitSite();
    const refused = page.waitForEvent('console', (message) => message.text().includes('frame-ancestors'));
    await launcher(page).click();
    await refused;
    expect(await composer(inside(page)).count()).toBe(0);
    await window.close();
  });

  it.each([
    ['asks for credentials', true, 401],
    ['has an allowlist without its own host', false, 403],
  ])('offers to be opened in a new tab, as its cookie is not sent to the frame, where it %s', async (...given) => {
    const [, authRequired, status] = given;
    site.show(script('', await hosted({ authRequired, allowlist: ['localhost'] })));
    const { window, page } = await visitSite();
    await launcher(page).click();
    await say(inside(page), 'Hello?');
    const link = inside(page).getByRole('link', { name: 'Open in a new tab' });
    await link.waitFor();
    await inside(page).getByText('Hello?', { exact: true }).waitFor();
    await screenshot(page, 'widget-new-tab');
    const opened = window.context.waitForEvent('page');
    await link.click();
    const tab = await opened;
    await say(tab, 'Hello!');
    await reply(tab, 'You said: Hello!');
    expect(window.complaints).toEqual([expect.stringContaining(String(status))]);
    await window.close();
  });
});
