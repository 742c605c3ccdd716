import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { expectAccessible, expectQuiet, launchBrowser, screenshot } from '../support/browser.ts';
import { signedIn } from '../support/dashboard.ts';
import { expectForgotten } from '../support/dashboard-secrets.ts';
import { startService, type TestService } from '../support/service.ts';

let service: TestService;
let browser: Browser;
beforeAll(async () => {
  [service, browser] = await Promise.all([startService(), launchBrowser()]);
});
afterAll(async () => {
  await browser?.close();
  await service?.close();
});

const SECRET = 'Bearer a-token-that-nobody-else-may-see';

describe('the page of integrations', () => {
  it('connects an API with headers whose values nobody sees again, and disconnects it for ever', async () => {
    const window = await signedIn(browser, service, '/dashboard/integrations');
    const { page } = window;
    await page.getByText('Nothing is connected here').waitFor();
    await screenshot(page, 'integrations-empty');
    await page.getByRole('button', { name: 'Connect an integration' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Name', { exact: true }).fill('Order desk');
    await dialog.getByLabel('Address').fill('http://127.0.0.1:9/orders/v1');
    await dialog.getByRole('button', { name: 'Add a header' }).click();
    await dialog.getByLabel('Name of header 1').fill('Authorization');
    await dialog.getByLabel('Value of header 1').fill(SECRET);
    await expectAccessible(page);
    await screenshot(page, 'integration-connect');
    await dialog.getByRole('button', { name: 'Connect', exact: true }).click();
    const row = page.getByRole('row', { name: /Order desk/ });
    await row.getByText('Authorization').waitFor();
    await expectForgotten(page, SECRET);

    await page.getByRole('button', { name: 'Edit Order desk' }).click();
    await dialog.getByText('Sent along as they are stored: Authorization.').waitFor();
    await expectForgotten(page, SECRET);
    await screenshot(page, 'integration-edit');
    await dialog.getByLabel('Name', { exact: true }).fill('Orders');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('row', { name: /Orders/ }).waitFor();

    await page.getByRole('button', { name: 'Disconnect Orders' }).click();
    await dialog.getByText('This is for ever').waitFor();
    await screenshot(page, 'integration-disconnect');
    await dialog.getByRole('button', { name: 'Disconnect for ever' }).click();
    await page.getByText('Nothing is connected here').waitFor();
    await page.getByLabel('Show').selectOption('Disconnected');
    await page.waitForURL('**/integrations?state=disconnected');
    await page.getByRole('row', { name: /Orders.*Disconnected/ }).waitFor();
    expect(await page.getByRole('button', { name: /Edit|Disconnect / }).count()).toBe(0);
    await page.reload();
    await page.getByRole('row', { name: /Orders.*Disconnected/ }).waitFor();
    expectQuiet(window);
    await window.close();
  });

  it('says at its field why something cannot be taken', async () => {
    const window = await signedIn(browser, service, '/dashboard/integrations');
    const { page } = window;
    await page.getByRole('button', { name: 'Connect an integration' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Kind').selectOption('MCP server');
    await dialog.getByLabel('Name', { exact: true }).fill('Knowledge');
    await dialog.getByLabel('Address').fill('ftp://files.example.com');
    await dialog.getByRole('button', { name: 'Connect', exact: true }).click();
    await dialog.getByText(/^URL cannot be used\./).waitFor();
    expect(await dialog.getByLabel('Address').getAttribute('aria-invalid')).toBe('true');
    await dialog.getByLabel('Address').fill('http://127.0.0.1:9/mcp');
    await dialog.getByRole('button', { name: 'Add a header' }).click();
    await dialog.getByLabel('Name of header 1').fill('not a name');
    await dialog.getByLabel('Value of header 1').fill('x');
    await dialog.getByRole('button', { name: 'Connect', exact: true }).click();
    await dialog.getByText('Name must be the name of an HTTP header.').waitFor();
    expect(await dialog.getByLabel('Name of header 1').getAttribute('aria-invalid')).toBe('true');
    await screenshot(page, 'integration-faults');
    await dialog.getByLabel('Name of header 1').fill('X-Tenant');
    await dialog.getByRole('button', { name: 'Connect', exact: true }).click();
    await page.getByRole('row', { name: /Knowledge.*MCP server/ }).waitFor();

    // Stored values go to no other host.
    await page.getByRole('button', { name: 'Edit Knowledge' }).click();
    await dialog.getByLabel('Address').fill('http://127.0.0.1:10/mcp');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await dialog.getByText(/must be given again where the address is at another host/).waitFor();
    await dialog.getByRole('button', { name: 'Replace all headers' }).click();
    await expect.poll(() => dialog.getByLabel('Name of header 1').inputValue()).toBe('X-Tenant');
    await dialog.getByLabel('Value of header 1').fill('acme');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('row', { name: /127\.0\.0\.1:10\/mcp/ }).waitFor();
    await expectAccessible(page);
    await screenshot(page, 'integrations');
    expectQuiet(window);
    await window.close();
  });

  it('shows at once what somebody else has connected', async () => {
    const window = await signedIn(browser, service, '/dashboard/integrations');
    const { page } = window;
    await page.getByRole('row', { name: /Knowledge/ }).waitFor();
    const live = page.waitForResponse((response) => response.request().headers().accept === 'text/event-stream');
    await page.reload();
    await live;
    await service.graphql(
      'mutation ($input: ConnectIntegrationInput!) { connectIntegration(input: $input) { name } }',
      {
        input: { kind: 'http', name: 'Weather', url: 'http://127.0.0.1:9/weather' },
      },
    );
    await page.getByRole('row', { name: /Weather/ }).waitFor();
    expectQuiet(window);
    await window.close();
  });
});
