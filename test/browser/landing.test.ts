import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openRunner } from '../docs/runner.ts';
import { expectAccessible, expectQuiet, screenshot } from '../support/browser.ts';
import { reply, say } from '../support/chat-page.ts';
import { DEMO_AGENT_ID, DEMO_CHAT_ID, startService, type TestService } from '../support/service.ts';
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
  it('links to every page', async () => {
    const window = await visit(browser, service.url);
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
    await expectAccessible(page);
    await screenshot(page, 'landing');
    expectQuiet(window);
    await window.close();
  });

  it.each([
    { label: 'curl', language: 'sh', printed: '"content":"You said: Hello"' },
    { label: 'GraphQL', language: 'graphql', printed: '"content":"You said: Hello"' },
    { label: 'SDK', language: 'ts', printed: "text: 'You said: Hello'" },
  ])('shows a request in $label that works with an API key', async ({ label, language, printed }) => {
    const window = await visit(browser, service.url, { permissions: ['clipboard-read', 'clipboard-write'] });
    const page = await window.open('/');
    await page.getByRole('button', { name: `Copy ${label}` }).click();
    await page.getByText('Copied').waitFor();
    const copied = await page.evaluate(() => navigator.clipboard.readText());
    const runner = await openRunner(service);
    try {
      const text = copied.replaceAll('YOUR_KEY', service.keys.test);
      expect(await runner.run({ file: '/', line: 1, language, purpose: 'run', text })).toContain(printed);
    } finally {
      await runner.close();
    }
    await window.close();
  });

  it('starts a chat with the demo after a click, and nothing before', async () => {
    const window = await visit(browser, service.url, { isOwn: true });
    const page = await window.open('/');
    const start = page.getByRole('button', { name: 'Start a chat' });
    await start.waitFor();
    expect(await page.locator('iframe').count()).toBe(0);
    expect(await window.context.cookies()).toEqual([]);
    await start.click();
    const chat = page.frameLocator('iframe[title="Chat with the demo"]');
    await say(chat, 'Hello from the landing page');
    await reply(chat, 'You said: Hello from the landing page');
    await expectAccessible(page);
    await page.getByRole('heading', { name: 'Try it' }).scrollIntoViewIfNeeded();
    await screenshot(page, 'landing-chat');
    expectQuiet(window);
    await window.context.close();
  });

  it('omits the explorer, the reference and demo pages that are turned off', async () => {
    const closed = await startService({ introspection: false });
    try {
      await closed.service.services.stores.prisma.deployment.updateMany({ data: { hostedPage: false } });
      const window = await visit(browser, closed.url);
      const page = await window.open('/');
      await page.getByRole('link', { name: 'Dashboard' }).waitFor();
      const links = page.getByRole('link');
      expect(await links.evaluateAll((all) => all.map((link) => link.getAttribute('href')))).toEqual([
        '#main',
        '/dashboard',
        '/docs/guides',
      ]);
      expect(await page.getByRole('button', { name: 'Start a chat' }).count()).toBe(0);
      const response = await page.request.get(closed.url);
      expect(response.headers()['content-security-policy']).not.toContain('frame-src');
      for (const id of [DEMO_AGENT_ID, DEMO_CHAT_ID]) {
        expect(await page.content()).not.toContain(id);
        expect(await response.text()).not.toContain(id);
      }
      await window.close();
    } finally {
      await closed.close();
    }
  });
});
