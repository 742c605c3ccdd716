import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { expectQuiet } from '../support/browser.ts';
import { startService, type TestService } from '../support/service.ts';
import { launchBrowser, visit } from '../support/visit.ts';

describe("the pages of the contracts, from this server's own files", () => {
  let service: TestService;
  let browser: Browser;
  beforeAll(async () => {
    [service, browser] = await Promise.all([startService(), launchBrowser()]);
  });
  afterAll(async () => {
    await service?.close();
  });

  async function open(path: string) {
    const window = await visit(browser, service.url);
    return { window, page: await window.open(path) };
  }

  it('the explorer runs a query with the key of the user, does not store the key, and shows the schema', async () => {
    await service.chat('Hello from a browser');
    const { window, page } = await open('/graphql');
    await page.getByLabel('API key', { exact: true }).fill(service.key);
    await page.getByRole('button', { name: /execute query/i }).click();
    await page.locator('.graphiql-response').getByText('Hello from a browser').waitFor();
    await page.getByRole('button', { name: /documentation explorer/i }).click();
    await page.getByText('All Schema Types').waitFor();
    expect(await page.evaluate(() => JSON.stringify(localStorage))).not.toContain(service.key);
    expectQuiet(window);
    await window.close();
  });

  it('the explorer says what is missing where it is given no key', async () => {
    const { window, page } = await open('/graphql');
    await page.getByRole('button', { name: /execute query/i }).click();
    await page.locator('.graphiql-response').getByText('UNAUTHORIZED').waitFor();
    expect(window.foreignRequests).toEqual([]);
    await window.close();
  });

  it('the reference tries a request out', async () => {
    const { window, page } = await open('/docs');
    await page.getByRole('button', { name: 'Authorize' }).click();
    await page.getByLabel('auth-bearer-value').fill(service.key);
    await page
      .locator('.auth-container')
      .filter({ hasText: 'bearer' })
      .getByRole('button', { name: 'Apply credentials' })
      .first()
      .click();
    await page.getByRole('button', { name: 'Close' }).first().click();
    const operation = page.locator('#operations-resources-CreateResource');
    await operation.locator('.opblock-summary-control').click();
    await operation.getByRole('button', { name: 'Execute' }).click();
    await operation.locator('.live-responses-table .response-col_status').getByText('201').waitFor();
    expect((await service.send('GET', '/v1/resources?type=contact')).body.data).toMatchObject([
      { fields: { name: 'Ada Lovelace' } },
    ]);
    expectQuiet(window);
    await window.close();
  });

  it('the browser itself lets neither page ask another host', async () => {
    for (const path of ['/graphql', '/docs']) {
      const { window, page } = await open(path);
      const refused = await page.evaluate(() =>
        fetch('http://localhost:9/').then(
          () => false,
          () => true,
        ),
      );
      expect([refused, window.foreignRequests]).toEqual([true, []]);
      expect(window.consoleErrors.join()).toContain('Content Security Policy');
      await window.close();
    }
  });
});
