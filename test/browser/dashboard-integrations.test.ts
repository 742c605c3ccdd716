import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { connect } from '../support/actions.ts';
import { expectAccessible, expectQuiet, screenshot } from '../support/browser.ts';
import { choose } from '../support/choose.ts';
import { signedIn } from '../support/dashboard.ts';
import { expectForgotten } from '../support/dashboard-secrets.ts';
import { startMcp, textResult } from '../support/mcp-server.ts';
import { startService, type TestService } from '../support/service.ts';
import { launchBrowser } from '../support/visit.ts';

let service: TestService;
let browser: Browser;
beforeAll(async () => {
  [service, browser] = await Promise.all([startService(), launchBrowser()]);
});
afterAll(async () => {
  await service?.close();
});

const SECRET = 'Bearer a-token-that-nobody-else-may-see';

describe('the integrations page', () => {
  it('connects an API, hides its header values, and disconnects it permanently', async () => {
    const window = await signedIn(browser, service, '/dashboard/integrations');
    const { page } = window;
    await page.getByText('No integrations yet').waitFor();
    await screenshot(page, 'integrations-empty');
    await page.getByRole('button', { name: 'Connect integration' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Name', { exact: true }).fill('Order desk');
    await dialog.getByLabel('URL').fill('http://127.0.0.1:9/orders/v1');
    await dialog.getByRole('button', { name: 'Add header' }).click();
    await dialog.getByLabel('Header 1: name').fill('Authorization');
    await dialog.getByLabel('Header 1: value').fill(SECRET);
    await expectAccessible(page);
    await screenshot(page, 'integration-connect');
    await dialog.getByRole('button', { name: 'Connect', exact: true }).click();
    const row = page.getByRole('row', { name: /Order desk/ });
    await row.getByText('Authorization').waitFor();
    await expectForgotten(page, SECRET);

    await page.getByRole('button', { name: 'Edit Order desk' }).click();
    await dialog.getByText('Stored headers: Authorization.').waitFor();
    await expectForgotten(page, SECRET);
    await screenshot(page, 'integration-edit');
    await dialog.getByLabel('Name', { exact: true }).fill('Orders');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('row', { name: /Orders/ }).waitFor();

    await page.getByRole('button', { name: 'Disconnect Orders' }).click();
    await dialog.getByText('You cannot undo this.').waitFor();
    await screenshot(page, 'integration-disconnect');
    await dialog.getByRole('button', { name: 'Disconnect permanently' }).click();
    await page.getByText('No integrations yet').waitFor();
    await choose(page.getByLabel('Show'), 'Disconnected');
    await page.waitForURL('**/integrations?state=disconnected');
    await page.getByRole('row', { name: /Orders.*Disconnected/ }).waitFor();
    expect(await page.getByRole('button', { name: /Edit|Disconnect / }).count()).toBe(0);
    await page.reload();
    await page.getByRole('row', { name: /Orders.*Disconnected/ }).waitFor();
    expectQuiet(window);
    await window.close();
  });

  it('shows the tools of an MCP server, those that are left out, and the last error', async () => {
    const tool = (fields: object = {}) => ({ fields, call: () => textResult('ok') });
    const server = await startMcp({
      look: tool({ annotations: { readOnlyHint: true } }),
      change: tool(),
      odd: tool({ name: null }),
    });
    await connect(service, { kind: 'mcp', name: 'Desk', url: server.url });
    const window = await signedIn(browser, service, '/dashboard/integrations');
    const { page } = window;
    const dialog = page.getByRole('dialog');
    const open = () => page.getByRole('button', { name: 'Tools of Desk' }).click();
    await open();
    await dialog.getByText('The server responds.').waitFor();
    await dialog.getByRole('row', { name: /look.*Read-only/ }).waitFor();
    await dialog.getByRole('row', { name: /change.*Can change something/ }).waitFor();
    await dialog.getByRole('row', { name: /#3.*It has no name/ }).waitFor();
    await expectAccessible(page);
    await screenshot(page, 'integration-tools');
    await page.keyboard.press('Escape');

    await server.close();
    const other = await startMcp({});
    other.respondWith((response) => response.writeHead(503).end());
    await connect(service, { kind: 'mcp', name: 'Down', url: other.url });
    await page.reload();
    const openDown = () => page.getByRole('button', { name: 'Tools of Down' }).click();
    await openDown();
    await dialog.getByText('The MCP server responded with 503.').waitFor();
    await page.keyboard.press('Escape');
    await openDown();
    await dialog.getByText(/Last error: The MCP server responded with 503/).waitFor();
    await screenshot(page, 'integration-tools-error');
    await other.close();
    expectQuiet(window);
    await window.close();
  });

  it('shows each error at its field', async () => {
    const window = await signedIn(browser, service, '/dashboard/integrations');
    const { page } = window;
    await page.getByRole('button', { name: 'Connect integration' }).click();
    const dialog = page.getByRole('dialog');
    await choose(dialog.getByLabel('Type'), 'MCP server');
    await dialog.getByLabel('Name', { exact: true }).fill('Knowledge');
    await dialog.getByLabel('URL').fill('ftp://files.example.com');
    await dialog.getByRole('button', { name: 'Connect', exact: true }).click();
    await dialog.getByText(/^URL cannot be used\./).waitFor();
    expect(await dialog.getByLabel('URL').getAttribute('aria-invalid')).toBe('true');
    await dialog.getByLabel('URL').fill('http://127.0.0.1:9/mcp');
    await dialog.getByRole('button', { name: 'Add header' }).click();
    await dialog.getByLabel('Header 1: name').fill('not a name');
    await dialog.getByLabel('Header 1: value').fill('x');
    await dialog.getByRole('button', { name: 'Connect', exact: true }).click();
    await dialog.getByText('Name must be the name of an HTTP header.').waitFor();
    expect(await dialog.getByLabel('Header 1: name').getAttribute('aria-invalid')).toBe('true');
    await screenshot(page, 'integration-faults');
    await dialog.getByLabel('Header 1: name').fill('X-Tenant');
    await dialog.getByRole('button', { name: 'Connect', exact: true }).click();
    await page.getByRole('row', { name: /Knowledge.*MCP server/ }).waitFor();

    // Stored header values must not go to another host.
    await page.getByRole('button', { name: 'Edit Knowledge' }).click();
    await dialog.getByLabel('URL').fill('http://127.0.0.1:10/mcp');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await dialog.getByText(/must be sent again if the URL changes to another origin/).waitFor();
    await dialog.getByRole('button', { name: 'Replace all headers' }).click();
    await expect.poll(() => dialog.getByLabel('Header 1: name').inputValue()).toBe('X-Tenant');
    await dialog.getByLabel('Header 1: value').fill('acme');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('row', { name: /127\.0\.0\.1:10\/mcp/ }).waitFor();
    await expectAccessible(page);
    await screenshot(page, 'integrations');
    expectQuiet(window);
    await window.close();
  });

  it('shows an integration that somebody else connects without a reload', async () => {
    const window = await signedIn(browser, service, '/dashboard/integrations');
    const { page } = window;
    await page.getByRole('row', { name: /Knowledge/ }).waitFor();
    const live = page.waitForResponse((response) => response.request().headers().accept === 'text/event-stream');
    await page.reload();
    await live;
    await service.graphql(
      'mutation ($input: ConnectIntegrationInput!) { connectIntegration(input: $input) { __typename ... on ConnectIntegrationPayload { integration { name } } ... on Error { code message path } } }',
      {
        input: { kind: 'HTTP', name: 'Weather', url: 'http://127.0.0.1:9/weather' },
      },
    );
    await page.getByRole('row', { name: /Weather/ }).waitFor();
    expectQuiet(window);
    await window.close();
  });
});
