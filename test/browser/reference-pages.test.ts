import { type Browser, chromium, type Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startService, type TestService } from '../support/service.ts';

const SWITCHES = [
  ...['--headless', '--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run'],
  ...['--disable-background-networking', '--disable-component-update', '--disable-sync'],
];

/** A page, and what it did that nobody wants to see. */
interface Watched {
  readonly page: Page;
  /** Complaints of the console, and errors that no script caught. */
  readonly complaints: string[];
  /** Requests to anywhere but the service. */
  readonly abroad: string[];
}

describe("WIRE 13: the pages of the contracts, from this server's own files", () => {
  let service: TestService;
  let browser: Browser;
  beforeAll(async () => {
    service = await startService();
    const executablePath = process.env.CHROMIUM ?? '/usr/bin/chromium';
    browser = await chromium.launch({ executablePath, args: SWITCHES });
  });
  afterAll(async () => {
    await browser?.close();
    await service?.close();
  });

  async function open(path: string): Promise<Watched> {
    const page = await browser.newPage({ viewport: { width: 1280, height: 900 } });
    const watched: Watched = { page, complaints: [], abroad: [] };
    page.on('console', (message) => {
      if (['error', 'warning'].includes(message.type())) watched.complaints.push(message.text());
    });
    page.on('pageerror', (error) => watched.complaints.push(String(error)));
    await page.route('**/*', (route) => {
      const url = route.request().url();
      if (url.startsWith(`${service.url}/`) || /^(data|blob):/.test(url)) return route.continue();
      watched.abroad.push(url);
      return route.abort();
    });
    // Megabytes of script: a busy machine takes its time.
    page.setDefaultTimeout(90_000);
    await page.goto(`${service.url}${path}`);
    return watched;
  }

  function expectQuiet({ complaints, abroad }: Watched): void {
    expect({ complaints, abroad }).toEqual({ complaints: [], abroad: [] });
  }

  it('the explorer runs a query with the key that it is given, keeps none of it, and shows the schema', async () => {
    await service.chat('Hello from a browser');
    const watched = await open('/graphql');
    const { page } = watched;
    await page.getByLabel('Key', { exact: true }).fill(service.key);
    await page.getByRole('button', { name: /execute query/i }).click();
    await page.locator('.graphiql-response').getByText('Hello from a browser').waitFor();
    await page.getByRole('button', { name: /documentation explorer/i }).click();
    await page.getByText('All Schema Types').waitFor();
    expect(await page.evaluate(() => JSON.stringify(localStorage))).not.toContain(service.key);
    expectQuiet(watched);
    await page.close();
  });

  it('the explorer says what is missing where it is given no key', async () => {
    const { page, abroad } = await open('/graphql');
    await page.getByRole('button', { name: /execute query/i }).click();
    await page.locator('.graphiql-response').getByText('unauthorized').waitFor();
    expect(abroad).toEqual([]);
    await page.close();
  });

  it('the reference tries a request out', async () => {
    const watched = await open('/docs');
    const { page } = watched;
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
    expectQuiet(watched);
    await page.close();
  });

  it('the browser itself lets neither page ask another host', async () => {
    for (const path of ['/graphql', '/docs']) {
      const { page, complaints, abroad } = await open(path);
      const refused = await page.evaluate(() =>
        fetch('http://localhost:9/').then(
          () => false,
          () => true,
        ),
      );
      expect([refused, abroad]).toEqual([true, []]);
      expect(complaints.join()).toContain('Content Security Policy');
      await page.close();
    }
  });
});
