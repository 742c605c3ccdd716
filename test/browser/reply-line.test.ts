import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { AGENT_PAGE } from '../support/agent-page.ts';
import { expectAccessible, expectQuiet, screenshot } from '../support/browser.ts';
import { say } from '../support/chat-page.ts';
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

/** The opacity of the line below each reply, oldest first. */
const opacities = (page: Page) =>
  page
    .getByRole('button', { name: 'Read aloud' })
    .evaluateAll((buttons) => buttons.map((button) => getComputedStyle(button.parentElement as Element).opacity));

async function sayTwice(page: Page): Promise<void> {
  for (const index of [0, 1]) {
    await say(page, `message ${index}`);
    await page.getByRole('button', { name: 'Read aloud' }).nth(index).waitFor();
  }
}

const pages = [
  ['chat', `/chat/${DEMO_CHAT_ID}`],
  ['agent', AGENT_PAGE],
] as const;

describe('the line below a reply', () => {
  it.each(pages)('is one line, visible on hover or focus and for the newest reply: %s', async (name, path) => {
    const window = await visit(browser, service.url);
    const page = await window.open(path);
    await sayTwice(page);
    await page.mouse.move(0, 0);
    await expect.poll(() => opacities(page)).toEqual(['0', '1']);
    const [first, last] = await page.getByRole('button', { name: 'Helpful', exact: true }).all();
    const [reading, lastReading] = await page.getByRole('button', { name: 'Read aloud' }).all();
    const middle = async (button: typeof first) => {
      const box = await button?.boundingBox();
      return Math.round((box?.y ?? 0) + (box?.height ?? 0) / 2);
    };
    expect(await middle(last)).toBe(await middle(lastReading));
    const before = await middle(last);
    await reading?.focus();
    await expect.poll(() => opacities(page)).toEqual(['1', '1']);
    expect(await middle(last)).toBe(before);
    await page.getByRole('textbox', { name: 'Message', exact: true }).focus();
    await expect.poll(() => opacities(page)).toEqual(['0', '1']);
    await first?.hover();
    await expect.poll(() => opacities(page)).toEqual(['1', '1']);
    await expectAccessible(page);
    await screenshot(page, `reply-line-${name}`);
    expectQuiet(window);
    await window.close();
  });

  it('is always visible on a touch screen', async () => {
    const window = await visit(browser, service.url, { hasTouch: true, isMobile: true });
    const page = await window.open(`/chat/${DEMO_CHAT_ID}`);
    await sayTwice(page);
    await expect.poll(() => opacities(page)).toEqual(['1', '1']);
    await window.close();
  });

  it('reads a reply, and offers it again when the voice ends', async () => {
    const window = await visit(browser, service.url);
    const page = await window.open(`/chat/${DEMO_CHAT_ID}`);
    await say(page, 'one');
    const button = page.getByRole('button', { name: 'Read aloud', exact: true });
    // The browser of this test has no voice, so its reading ends at once.
    const names = button.evaluate(
      (element) =>
        new Promise<(string | null)[]>((resolve) => {
          const seen: (string | null)[] = [];
          new MutationObserver(() => {
            seen.push(element.getAttribute('aria-label'));
            if (seen.length === 2) resolve(seen);
          }).observe(element, { attributeFilter: ['aria-label'] });
          (element as HTMLElement).click();
        }),
    );
    expect(await names).toEqual(['Stop reading aloud', 'Read aloud']);
    expectQuiet(window);
    await window.close();
  });

  it('has no button that reads aloud in a browser that cannot speak', async () => {
    const window = await visit(browser, service.url);
    await window.context.addInitScript(() => Reflect.deleteProperty(globalThis, 'speechSynthesis'));
    const page = await window.open(`/chat/${DEMO_CHAT_ID}`);
    await say(page, 'one');
    await page.getByRole('button', { name: 'Helpful', exact: true }).waitFor();
    expect(await page.getByRole('button', { name: 'Read aloud' }).count()).toBe(0);
    await window.close();
  });
});
