import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { expectAccessible, expectQuiet, screenshot } from '../support/browser.ts';
import { signedIn } from '../support/dashboard.ts';
import { publish } from '../support/documents.ts';
import { startService, type TestService } from '../support/service.ts';
import { makeMember } from '../support/tenants.ts';
import { launchBrowser } from '../support/visit.ts';

let service: TestService;
let browser: Browser;
beforeAll(async () => {
  [service, browser] = await Promise.all([startService(), launchBrowser()]);
});
afterAll(() => service?.close());

const permissions = ['clipboard-read', 'clipboard-write'];

const TEXT = `"Counts the orders."
query OrderCount($type: String!) @rest(get: "/v1/x/order_count/{type}") {
  resources(filter: { type: $type }) {
    totalCount
  }
}`;

const operation = (page: Page) => page.getByLabel('Query or mutation');

describe('the pages of published operations', () => {
  it('write, check, try and publish an operation', async () => {
    await service.send('POST', '/v1/resources', { body: { type: 'order', fields: {} } });
    const window = await signedIn(browser, service, '/dashboard/documents');
    const { page } = window;
    await page.getByText('No operations yet').waitFor();
    await page.getByRole('button', { name: 'New operation' }).click();
    await page.getByRole('heading', { level: 1, name: 'New operation' }).waitFor();
    await expect.poll(() => page.getByRole('button', { name: 'Publish', exact: true }).isDisabled()).toBe(true);
    await page.getByLabel('Name').fill('order_count');
    await operation(page).fill(TEXT.replace('totalCount', 'totalNumber'));
    // The keyboard checks too.
    await operation(page).press('Control+Enter');
    await page.getByText('Cannot query field "totalNumber"').waitFor();
    await expectAccessible(page);
    await screenshot(page, 'document-problems');
    await page.getByRole('button', { name: 'Line 4, column 5' }).click();
    await page.keyboard.press('Shift+End');
    await page.keyboard.type('totalCount');
    await page.getByRole('button', { name: 'Check' }).click();
    await page.getByText('The text can be published.').waitFor();
    await page.getByText('GET /v1/x/order_count/{type}').waitFor();

    await page.getByLabel('Variables').fill('{"type": "order"');
    await page.getByText(/^This is not valid JSON/).waitFor();
    await page.getByLabel('Variables').fill('{"type": "order"}');
    await page.getByRole('button', { name: 'Run' }).click();
    await page.getByText('"totalCount": 1').waitFor();
    await expectAccessible(page);
    await screenshot(page, 'document-new');

    const [explorer] = await Promise.all([
      window.context.waitForEvent('page'),
      page.getByRole('link', { name: 'Open in the GraphQL explorer' }).click(),
    ]);
    await explorer.getByText('OrderCount').first().waitFor();
    await explorer.close();

    await page.getByRole('button', { name: 'Publish', exact: true }).click();
    await page.waitForURL('**/dashboard/documents/doc_*');
    await page.getByRole('heading', { level: 1, name: 'order_count' }).waitFor();
    const called = await service.send('GET', '/v1/x/order_count/order');
    expect(called.body).toEqual({ resources: { totalCount: 1 } });
    expectQuiet(window);
    await window.close();
  });

  it('ask before they break callers, and keep an earlier text as a version', async () => {
    const { documentId } = await publish(service, 'breaking_count', TEXT.replace('order_count', 'breaking_count'));
    const window = await signedIn(browser, service, `/dashboard/documents/${documentId}`);
    const { page } = window;
    await page.getByText('GET /v1/x/breaking_count/{type}').waitFor();
    await expect.poll(() => page.getByRole('button', { name: 'Publish version 2' }).isDisabled()).toBe(true);
    await operation(page).fill('query { resources { totalCount } }');
    await page.getByRole('button', { name: 'Publish version 2' }).click();
    const dialog = page.getByRole('dialog', { name: 'Break callers of breaking_count?' });
    await dialog.getByText('/v1/x/breaking_count/{type}').waitFor();
    await expectAccessible(page);
    await screenshot(page, 'document-breaking');
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    await dialog.waitFor({ state: 'detached' });
    expect((await service.send('GET', '/v1/x/breaking_count/order')).status).toBe(200);
    await page.getByRole('button', { name: 'Publish version 2' }).click();
    await dialog.getByRole('button', { name: 'Publish anyway' }).click();
    await page.getByRole('button', { name: 'Publish version 3' }).waitFor();
    expect((await service.send('GET', '/v1/x/breaking_count/order')).status).toBe(404);

    await page.getByRole('link', { name: 'Versions' }).click();
    const versions = page.getByRole('list', { name: 'Versions' }).getByRole('listitem');
    await versions.filter({ hasText: 'Version 2' }).getByText('Breaking', { exact: true }).waitFor();
    await page.getByText('Version 1', { exact: true }).click();
    await page.getByText('Counts the orders.').last().waitFor();
    await expectAccessible(page);
    await screenshot(page, 'document-versions');
    expectQuiet(window);
    await window.close();
  });

  it('keep a text that somebody else has overtaken', async () => {
    const { documentId } = await publish(service, 'contested', '{ resources { totalCount } }');
    const window = await signedIn(browser, service, `/dashboard/documents/${documentId}`);
    const { page } = window;
    await operation(page).fill('{ resources { totalCount } } # mine');
    await publish(service, 'contested', '{ resources { totalCount } } # theirs');
    await page.getByRole('button', { name: 'Publish version 2' }).click();
    await page.getByText('Version 2 was published after you opened this page').waitFor();
    expect(await operation(page).inputValue()).toContain('# mine');
    await page.getByRole('button', { name: 'Load version 2' }).click();
    await expect.poll(() => operation(page).inputValue()).toContain('# theirs');
    expectQuiet(window);
    await window.close();
  });

  it('show calls, examples to copy and typed files, and unpublish', async () => {
    const { documentId } = await publish(service, 'called_count', TEXT.replace('order_count', 'called_count'));
    for (const type of ['order', 'order', 'Not valid']) await service.send('GET', `/v1/x/called_count/${type}`);
    await service.service.services.stores.documentCalls.flush();
    const window = await signedIn(browser, service, `/dashboard/documents/${documentId}?tab=calls`, { permissions });
    const { page } = window;
    await page.getByText('p95 response time').waitFor();
    await page.getByRole('heading', { name: 'Response time' }).waitFor();
    await expectAccessible(page);
    await screenshot(page, 'document-calls');

    await page.getByRole('link', { name: 'Use', exact: true }).click();
    await page.getByText('curl', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Copy', exact: true }).first().click();
    const command = await page.evaluate(() => navigator.clipboard.readText());
    expect(command).toContain(`'${service.url}/v1/x/called_count/text'`);
    const download = page.waitForEvent('download');
    await page
      .getByRole('listitem')
      .filter({ hasText: 'documents.d.ts' })
      .getByRole('button', { name: 'Download' })
      .click();
    expect((await download).suggestedFilename()).toBe('documents.d.ts');
    await expectAccessible(page);
    await screenshot(page, 'document-use');

    await page.getByRole('button', { name: 'Unpublish' }).click();
    await screenshot(page, 'document-unpublish');
    await page.getByRole('dialog').getByRole('button', { name: 'Unpublish' }).click();
    await page.waitForURL('**/dashboard/documents');
    await page.getByRole('link', { name: 'breaking_count' }).waitFor();
    expect(await page.getByRole('link', { name: 'called_count' }).count()).toBe(0);
    await page.getByLabel('Name').fill('order');
    await page.getByRole('link', { name: 'breaking_count' }).waitFor({ state: 'detached' });
    await page.getByRole('link', { name: 'order_count' }).waitFor();
    await expectAccessible(page);
    await screenshot(page, 'documents');
    expectQuiet(window);
    await window.close();
  });

  it('are read-only for a viewer', async () => {
    const as = { email: 'viewer@example.com', password: 'a password of a viewer' };
    await makeMember(service, 'viewer', as);
    const { documentId } = await publish(service, 'viewed', '{ resources { totalCount } }');
    const window = await signedIn(browser, service, `/dashboard/documents/${documentId}`, { as });
    const { page } = window;
    await page.getByText('Your role allows you to view this operation').waitFor();
    await page.getByText('{ resources { totalCount } }').waitFor();
    expect(await page.getByRole('button', { name: /ublish/ }).count()).toBe(0);
    await page.getByRole('link', { name: 'All operations' }).click();
    await page.getByRole('link', { name: 'viewed' }).waitFor();
    expect(await page.getByRole('button', { name: 'New operation' }).count()).toBe(0);
    await expectAccessible(page);
    expectQuiet(window);
    await window.close();
  });
});
