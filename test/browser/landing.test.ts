import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { expectAccessible, expectQuiet, screenshot } from '../support/browser.ts';
import { DEMO_AGENT_ID, startService, type TestService } from '../support/service.ts';
import { launchBrowser, visit } from '../support/visit.ts';

let service: TestService;
let browser: Browser;
beforeAll(async () => {
  [service, browser] = await Promise.all([startService(), launchBrowser()]);
});
afterAll(async () => {
  await service?.close();
});

describe('the landing page', () => {
  it('links to every page and shows a request that works with an API key', async () => {
    const window = await visit(browser, service.url, { permissions: ['clipboard-read', 'clipboard-write'] });
    const page = await window.open('/');
    await page.getByRole('heading', { level: 1 }).waitFor();
    const addresses = await page
      .getByRole('link')
      .evaluateAll((links) => links.map((link) => link.getAttribute('href')));
    expect(addresses).toContain(`/agent/${DEMO_AGENT_ID}`);
    for (const address of addresses) {
      const answer = await page.request.get(`${service.url}${address}`, { headers: { accept: 'text/html' } });
      expect([address, answer.status()]).toEqual([address, 200]);
    }
    await page.getByRole('button', { name: 'Copy command' }).click();
    await page.getByText('Copied').waitFor();
    const command = await page.evaluate(() => navigator.clipboard.readText());
    const [, url = '', body = ''] = /curl -s (\S+)[\s\S]*-d '(.*)'/.exec(command) ?? [];
    const answer = await service.send('POST', new URL(url).pathname, { body: JSON.parse(body) });
    expect(answer.body.content).toBe('You said: Hello');
    await expectAccessible(page);
    await screenshot(page, 'landing');
    expectQuiet(window);
    await window.close();
  });

  it('omits the explorer, the reference and demo pages that are turned off', async () => {
    const closed = await startService({ introspection: false });
    try {
      await closed.service.services.prisma.deployment.updateMany({ data: { hostedPage: false } });
      const window = await visit(browser, closed.url);
      const page = await window.open('/');
      await page.getByRole('link', { name: 'Dashboard' }).waitFor();
      const links = page.getByRole('link');
      expect(await links.evaluateAll((all) => all.map((link) => link.getAttribute('href')))).toEqual([
        '#main',
        '/dashboard',
        '/docs/guides',
      ]);
      await window.close();
    } finally {
      await closed.close();
    }
  });
});
