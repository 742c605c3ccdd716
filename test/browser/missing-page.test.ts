import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { expectAccessible, screenshot } from '../support/browser.ts';
import { startService, type TestService } from '../support/service.ts';
import { launchBrowser, visit } from '../support/visit.ts';

describe('a hosted page that does not exist', () => {
  let service: TestService;
  let browser: Browser;
  beforeAll(async () => {
    [service, browser] = await Promise.all([startService(), launchBrowser()]);
  });
  afterAll(async () => {
    await service?.close();
  });

  it('returns a page to browsers and a JSON error to programs', async () => {
    const window = await visit(browser, service.url);
    const page = await window.context.newPage();
    const answer = await page.goto(`${service.url}/chat/00000000-0000-4000-8000-0000000000ff`);
    expect(answer?.status()).toBe(404);
    await page.getByRole('heading', { name: 'Page not found' }).waitFor();
    await expectAccessible(page);
    await screenshot(page, 'missing');
    expect(window.consoleErrors).toEqual([expect.stringContaining('404')]);
    expect(window.foreignRequests).toEqual([]);
    await window.close();
    expect((await service.send('GET', '/chat/x', { key: null })).body.error.code).toBe('not_found');
  });

  it.each([
    ['of the browser', '', 'de-CH', 'Seite nicht gefunden', 'de-CH'],
    ['of the link, as a widget asks for it', '?lang=fr', 'de-CH', 'Page introuvable', 'fr'],
    ['of a Japanese browser', '', 'ja', 'ページが見つかりません', 'ja'],
    ['of a Brazilian browser', '', 'pt-BR', 'Página não encontrada', 'pt-BR'],
    ['of the link, if it is Chinese', '?lang=zh', 'de-CH', '找不到页面', 'zh'],
    ['English, if it has no texts in that of the browser', '', 'ko', 'Page not found', 'en'],
  ])('is in the language %s', async (_name, query, locale, title, lang) => {
    const window = await visit(browser, service.url, { locale });
    const page = await window.context.newPage();
    await page.goto(`${service.url}/agent/00000000-0000-4000-8000-0000000000ff${query}`);
    await page.getByRole('heading', { name: title, exact: true }).waitFor();
    expect(await page.title()).toBe(title);
    expect(await page.evaluate(() => document.documentElement.lang)).toBe(lang);
    await expectAccessible(page);
    await window.close();
  });
});
