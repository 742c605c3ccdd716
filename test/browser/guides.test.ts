import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { expectAccessible, expectQuiet, screenshot } from '../support/browser.ts';
import { startService, type TestService } from '../support/service.ts';
import { launchBrowser, visit } from '../support/visit.ts';

let service: TestService;
let browser: Browser;
beforeAll(async () => {
  [service, browser] = await Promise.all([startService(), launchBrowser()]);
});
afterAll(async () => {
  await service?.close();
});

describe('the guides', () => {
  it('are readable in light and dark, on small and large screens', async () => {
    const window = await visit(browser, service.url);
    for (const name of ['guides', 'guides/rest', 'guides/operations']) {
      const page = await window.open(`/docs/${name}`);
      await expectAccessible(page);
      await screenshot(page, name.replace('/', '-'));
      await page.close();
    }
    expectQuiet(window);
    await window.close();
  });

  it('lead from the landing page to a heading of another guide', async () => {
    const window = await visit(browser, service.url);
    const page = await window.open('/');
    await page.getByRole('link', { name: 'Guides' }).click();
    await page.getByRole('navigation', { name: 'Guides' }).getByRole('link', { name: 'Limits' }).click();
    await page.getByRole('heading', { level: 1, name: 'Limits' }).waitFor();
    await page
      .getByRole('navigation', { name: 'Guides' })
      .getByRole('link', { name: 'Configuration', exact: true })
      .click();
    await page.getByRole('link', { name: 'Trusted documents' }).click();
    await page.getByRole('heading', { level: 2, name: 'Trusted documents' }).waitFor();
    expect(new URL(page.url()).hash).toBe('#trusted-documents');
    expectQuiet(window);
    await window.close();
  });
});
