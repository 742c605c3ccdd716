import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { textContent } from '../support/agent-apis.ts';
import { expectAccessible, expectQuiet, screenshot } from '../support/browser.ts';
import { composer, reply, say } from '../support/chat-page.ts';
import { ROOT } from '../support/database.ts';
import { startService, type TestService } from '../support/service.ts';
import { type Site, startSite } from '../support/site.ts';
import { type DeploymentFields, makeDeployment } from '../support/tenants.ts';
import { createTrigger } from '../support/triggers.ts';
import { launchBrowser, visit } from '../support/visit.ts';

let service: TestService;
let browser: Browser;
let site: Site;
let id: string;
beforeAll(async () => {
  [service, browser, site] = await Promise.all([startService(), launchBrowser(), startSite()]);
  id = await hosted({ authRequired: false });
});
afterAll(async () => {
  await service?.close();
  await site?.close();
});
beforeEach(() => site.show(script()));

function strictPolicy(more: string): string {
  return `default-src 'none'; img-src data:; script-src ${service.url}; frame-src ${service.url}; require-trusted-types-for 'script'; ${more}`;
}

async function hosted(fields: DeploymentFields): Promise<string> {
  const { id } = await makeDeployment(service, {}, { hostedPage: true, name: 'Shop help', ...fields });
  await service.service.services.stores.prisma.deployment.update({
    where: { id },
    data: { anonymousPerMinute: 10_000 },
  });
  return id;
}

function script(attributes = '', deployment = id): string {
  return `<script src="${service.url}/widget.js" data-deployment="${deployment}" ${attributes}></script>`;
}

/** Opens the site in a browser. */
async function visitSite(options: BrowserContextOptions = {}) {
  const window = await visit(browser, service.url, { isOwn: true, ...options });
  const page = await window.context.newPage();
  await page.goto(site.origin);
  return { window, page };
}

const launcher = (page: Page, name = 'Chat with us') => page.getByRole('button', { name, exact: true });
const inside = (page: Page) => page.frameLocator('iframe');

describe('the script of the widget', () => {
  it('is a classic script of less than 8 kB that declares no global names', () => {
    const built = readFileSync(join(ROOT, 'dist/web/widget.js'), 'utf8');
    expect(gzipSync(built).byteLength).toBeLessThan(8_192);
    // A classic script cannot contain import or export.
    expect(() => new Function(built)).not.toThrow();
    expect(built).toMatch(/^\(function\(\)\{.*\}\)\(\);\s*$/s);
  });

  it('opens the chat of a public deployment on a site of another origin', async () => {
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

  it('opens and closes by keyboard, moves the focus and keeps the conversation', async () => {
    const { window, page } = await visitSite();
    await launcher(page).waitFor();
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
    // The first Escape stops the reply, the second closes the widget.
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

  it('covers the screen of a phone and has a close button', async () => {
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

  it('reads its options from its element: page, trigger, label and initial state', async () => {
    const agent = await hosted({ authRequired: false, kind: 'agent' });
    site.show(script('data-kind="agent" data-label="Ask &quot;us&quot;" data-open', agent));
    const { window, page } = await visitSite();
    expect(await launcher(page, 'Ask "us"').getAttribute('aria-expanded')).toBe('true');
    expect(await page.locator('iframe').getAttribute('src')).toBe(`${service.url}/agent/${agent}`);
    const { body } = await createTrigger(service, { content: textContent('Where is my order?') }, id);
    site.show(script(`data-trigger="${body.id}" data-open="true"`));
    await page.goto(site.origin);
    await reply(inside(page), 'You said: Where is my order?');
    expectQuiet(window);
    await window.close();
  });

  it('is isolated from the styles of the site in both directions', async () => {
    site.show(`<style>button { display: none !important } * { color: red }</style>${script()}<p id="own">Text</p>`);
    const { window, page } = await visitSite();
    await launcher(page).waitFor();
    expect(await page.locator('#own').evaluate((own) => getComputedStyle(own).color)).toBe('rgb(255, 0, 0)');
    expect(await launcher(page).evaluate((button) => getComputedStyle(button).color)).toBe('rgb(255, 255, 255)');
    expectQuiet(window);
    await window.close();
  });

  it('works on a site with a strict content security policy', async () => {
    site.show(script(), strictPolicy(`connect-src ${service.url}`));
    const { window, page } = await visitSite();
    await launcher(page).click();
    await say(inside(page), 'Strict');
    await reply(inside(page), 'You said: Strict');
    expectQuiet(window);
    await window.close();
  });

  it('appears once if it is loaded twice', async () => {
    site.show(script() + script());
    const { window, page } = await visitSite();
    await launcher(page).waitFor();
    await expect.poll(() => launcher(page).count()).toBe(1);
    expectQuiet(window);
    await window.close();
  });

  it.each(['', 'x'])('logs an error if its deployment is "%s"', async (deployment) => {
    site.show(script('', deployment));
    const { window, page } = await visitSite();
    expect(await launcher(page).count()).toBe(0);
    expect(window.consoleErrors).toEqual([expect.stringContaining('data-deployment')]);
    await window.close();
  });
});

describe('a hosted page in a frame', () => {
  it('works on sites of the allowlist if the allowlist contains its own host', async () => {
    site.show(script('', await hosted({ authRequired: false, allowlist: ['localhost', '127.0.0.1'] })));
    const { window, page } = await visitSite();
    await launcher(page).click();
    await say(inside(page), 'Allowed');
    await reply(inside(page), 'You said: Allowed');
    expectQuiet(window);
    await window.close();
  });

  it('is blocked by the browser on other sites, where the widget says so', async () => {
    const deployment = await hosted({ authRequired: false, allowlist: ['shop.example'] });
    site.show(script('', deployment));
    const { window, page } = await visitSite();
    await launcher(page).click();
    await page.getByText('This assistant is not available on this site.').waitFor();
    expect(await page.locator('iframe').count()).toBe(0);
    expectQuiet(window);
    // A site that has no widget, but a frame.
    const rejection = page.waitForEvent('console', (message) => message.text().includes('frame-ancestors'));
    site.show(`<iframe src="${service.url}/chat/${deployment}" title="Chat"></iframe>`);
    await page.goto(site.origin);
    await rejection;
    expect(await composer(inside(page)).count()).toBe(0);
    await window.close();
  });

  it.each([
    ['asks for credentials', true, 401],
    ['has an allowlist without its own host', false, 403],
  ])(
    'links to a new tab if it %s, because browsers send no cookies to the frame',
    async (_reason, authRequired, status) => {
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
      expect(window.consoleErrors).toEqual([expect.stringContaining(String(status))]);
      await window.close();
    },
  );
});
