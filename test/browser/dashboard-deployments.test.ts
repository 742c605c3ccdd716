import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { textContent } from '../support/agent-apis.ts';
import { expectAccessible, expectQuiet, screenshot } from '../support/browser.ts';
import { choose } from '../support/choose.ts';
import { type SignedInVisit, signedIn } from '../support/dashboard.ts';
import { expectError } from '../support/error-bodies.ts';
import { resultOf } from '../support/results.ts';
import { startService, type TestService } from '../support/service.ts';
import { instructionsOf, makeShop } from '../support/shop-workflow.ts';
import { makeDeployment, makeMember } from '../support/tenants.ts';
import { launchBrowser } from '../support/visit.ts';
import { workflowsOf } from '../support/workflows.ts';

let service: TestService;
let browser: Browser;
beforeAll(async () => {
  [service, browser] = await Promise.all([startService(), launchBrowser()]);
});
afterAll(async () => {
  await service?.close();
});

const open = (deploymentId: string, tab: string): Promise<SignedInVisit> =>
  signedIn(browser, service, `/dashboard/deployments/${deploymentId}?tab=${tab}`);

const openTab = (page: Page, name: string) =>
  page.getByRole('navigation', { name: 'Parts of the deployment' }).getByRole('link', { name }).click();

/** Runs a turn without credentials. */
const anonymousTurn = (deploymentId: string, headers: Record<string, string> = {}) =>
  service.send('POST', `/v1/runner/${deploymentId}/conversation`, {
    key: null,
    headers,
    body: { content: textContent('Hi') },
  });

/** A part of the page with its own save button. */
const part = (page: Page, title: string) =>
  page.locator('section').filter({ has: page.getByRole('heading', { name: title, level: 2 }) });

const stored = async (id: string) => resultOf(await workflowsOf(service).deployment({ id }));

describe('the list of deployments', () => {
  it('filters by workflow in the URL and creates a deployment', async () => {
    const { workflowId } = await makeShop(service);
    const window = await signedIn(browser, service, '/dashboard/deployments');
    const { page } = window;
    await page.getByRole('row', { name: /Demo chat/ }).waitFor();
    await choose(page.getByLabel('Workflow', { exact: true }), 'Bookshop assistant');
    await page.getByRole('row', { name: /Demo chat/ }).waitFor({ state: 'hidden' });
    await page.waitForURL(`**?workflow=${workflowId}`);
    await expect.poll(() => page.getByRole('row').count()).toBe(3);
    await page.reload();
    await page.getByRole('row', { name: /Website chat.*Version 2.*Unpublished changes/ }).waitFor();
    await expectAccessible(page);
    await screenshot(page, 'deployments');
    await page.getByRole('button', { name: 'New deployment' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Name').fill('Newsletter');
    await choose(dialog.getByLabel('Type'), 'AGENT');
    await expectAccessible(page);
    await dialog.getByRole('button', { name: 'Create', exact: true }).click();
    await page.getByRole('heading', { name: 'Newsletter', level: 1 }).waitFor();
    await page.getByText('Not published. Publish a version first.').first().waitFor();
    await openTab(page, 'Versions');
    await page.getByText('Requests get 404 until you publish a version.').waitFor();
    await page.getByRole('link', { name: 'Publish the draft' }).click();
    await page.getByLabel('Newsletter').check();
    await page.getByRole('button', { name: 'Publish' }).click();
    await page.getByText('Newsletter will use it').waitFor();
    expectQuiet(window);
    await window.close();
  });
});

describe('the version of a deployment', () => {
  it('changes for clients after a rollback and after unpublishing', async () => {
    const { site } = await makeShop(service);
    const window = await open(site, 'versions');
    const { page } = window;
    expect(await instructionsOf(service, site)).toContain('Harbour Street');
    await page.getByRole('button', { name: 'Change version' }).click();
    const dialog = page.getByRole('dialog');
    await choose(dialog.getByLabel('Version', { exact: true }), '1');
    await dialog.getByRole('row', { name: /instructions/ }).waitFor();
    await expectAccessible(page);
    await screenshot(page, 'deployment-roll-back');
    await dialog.getByRole('button', { name: 'Run version 1' }).click();
    await dialog.waitFor({ state: 'hidden' });
    await page.getByRole('row', { name: /Version 1 Running/ }).waitFor();
    expect(await instructionsOf(service, site)).toBe('You are the assistant of a bookshop.');
    await page.getByRole('button', { name: 'Unpublish' }).click();
    await dialog.getByRole('button', { name: 'Unpublish' }).click();
    await page.getByText('Not published', { exact: true }).first().waitFor();
    const answer = await service.send('POST', `/v1/runner/${site}/conversation`, {
      body: { content: textContent('Hi') },
    });
    expectError(answer, 'not_found', { param: 'deployment_id' });
    await openTab(page, 'Share');
    await page.getByText('Not published. Publish a version first.').first().waitFor();
    expectQuiet(window);
    await window.close();
  });
});

describe('the settings of a deployment', () => {
  it('take effect for clients with the next request', async () => {
    const { id } = await makeDeployment(service, {});
    expectError(await anonymousTurn(id), 'unauthorized');
    const window = await open(id, 'access');
    const { page } = window;
    const save = async () => {
      await page.getByRole('button', { name: 'Save settings' }).click();
      await part(page, 'Settings').getByText('All changes saved').waitFor();
    };
    await page.getByLabel('Require credentials').uncheck();
    await page.getByText('Unsaved changes', { exact: true }).waitFor();
    await save();
    expect((await anonymousTurn(id)).status).toBe(200);
    await page.getByRole('button', { name: 'Add host' }).click();
    await page.getByLabel('Host 1', { exact: true }).fill('Shop.example.com');
    await page.getByLabel('Queue it').check();
    await page.getByRole('group', { name: 'If the reader of a streamed reply' }).getByLabel('Continue').check();
    await page.getByLabel('Allow client tools in requests').uncheck();
    await page.getByLabel('Allow editing').uncheck();
    await page.getByLabel('Turns in total').fill('600');
    await page.getByLabel('Bytes of one file').fill('2000');
    await page.getByLabel('Types of files').fill('application/pdf\nimage/*');
    await save();
    const files = { maxFileBytes: true, fileTypes: true, allowEditing: true } as const;
    const { prisma } = service.service.services.stores;
    const rules = await prisma.deployment.findUniqueOrThrow({ where: { id }, select: files });
    expect(rules).toEqual({ maxFileBytes: 2_000, fileTypes: ['application/pdf', 'image/*'], allowEditing: false });
    expectError(await anonymousTurn(id), 'origin_not_allowed');
    expect((await anonymousTurn(id, { origin: 'https://shop.example.com' })).status).toBe(200);
    expect(await stored(id)).toMatchObject({
      allowlist: ['shop.example.com'],
      doubleTextPolicy: 'ENQUEUE',
      onReaderGone: 'CONTINUE',
      dynamicClientTools: false,
    });
    await page.getByLabel('Turns in total').fill('');
    await page.getByLabel('Bytes of one file').fill('');
    await page.getByLabel('Types of files').fill('');
    await page.getByRole('button', { name: 'Remove host 1' }).click();
    await save();
    const reset = await prisma.deployment.findUniqueOrThrow({ where: { id } });
    expect(reset).toMatchObject({ turnsPerMinute: null, maxFileBytes: null, fileTypes: [] });
    expect((await stored(id)).allowlist).toEqual([]);
    expectQuiet(window);
    await window.close();
  });

  it('show an error at its field and keep what somebody else changed meanwhile', async () => {
    const { id } = await makeDeployment(service, {}, { allowlist: ['example.com'] });
    const window = await open(id, 'access');
    const { page } = window;
    await page.getByRole('button', { name: 'Add host' }).click();
    await page.getByLabel('Host 2', { exact: true }).fill('not a host');
    await page.getByRole('button', { name: 'Save settings' }).click();
    await page.getByText('must be a host name like example.com').first().waitFor();
    expect(await page.getByLabel('Host 2', { exact: true }).getAttribute('aria-invalid')).toBe('true');
    expect(await page.getByLabel('Host 1', { exact: true }).getAttribute('aria-invalid')).toBeNull();
    await page.getByLabel('Requests per IP address').fill('many');
    await page.getByText(/^Enter a whole number from 1 to/).waitFor();
    await expectAccessible(page);
    await page.getByLabel('Requests per IP address').fill('60');
    await page.getByLabel('Host 2', { exact: true }).fill('example.org');
    resultOf(await workflowsOf(service).updateDeployment({ id, input: { doubleTextPolicy: 'INTERRUPT' } }));
    await page.getByRole('button', { name: 'Save settings' }).click();
    await part(page, 'Settings').getByText('All changes saved').waitFor();
    expect(await stored(id)).toMatchObject({
      allowlist: ['example.com', 'example.org'],
      doubleTextPolicy: 'INTERRUPT',
    });
    await page.getByLabel('Name', { exact: true }).fill('Not saved');
    await page.getByRole('navigation', { name: 'Dashboard' }).getByRole('link', { name: 'Triggers' }).click();
    await page.getByRole('dialog', { name: 'Leave without saving?' }).waitFor();
    expectQuiet(window);
    await window.close();
  });
});

describe('the usage guide of a deployment', () => {
  it('offers links and code to copy, and says what prevents their use', async () => {
    const { id } = await makeDeployment(service, {}, { name: 'Website chat' });
    const window = await signedIn(browser, service, `/dashboard/deployments/${id}`, {
      permissions: ['clipboard-read', 'clipboard-write'],
    });
    const { page } = window;
    const widget = page.getByRole('region', { name: 'Widget on your site' });
    await widget.getByText('The hosted page is off').waitFor();
    await widget.getByText('No other site can show it').waitFor();
    await expectAccessible(page);
    await screenshot(page, 'deployment');
    await widget.getByRole('button', { name: 'Copy' }).click();
    await widget.getByText('Copied').waitFor();
    const clipboard = () => page.evaluate(() => navigator.clipboard.readText());
    expect(await clipboard()).toBe(`<script src="${service.url}/widget.js" data-deployment="${id}"></script>`);
    const hosted = page.getByRole('region', { name: 'Hosted page' });
    // A chat has no page for agents.
    expect(await hosted.getByRole('link').count()).toBe(1);
    await hosted.getByRole('button', { name: 'Copy link' }).click();
    await hosted.getByText('Copied').waitFor();
    expect(await clipboard()).toBe(`https://chat.example.com/chat/${id}`);
    await openTab(page, 'Access and limits');
    await part(page, 'Settings').getByRole('button', { name: 'Discard' }).scrollIntoViewIfNeeded();
    await screenshot(page, 'deployment-settings');
    await page.getByRole('checkbox', { name: 'Hosted page' }).check();
    await page.getByLabel('Require credentials').uncheck();
    await page.getByRole('button', { name: 'Save settings' }).click();
    await part(page, 'Settings').getByText('All changes saved').waitFor();
    await openTab(page, 'Share');
    await widget.getByRole('button', { name: 'Copy' }).waitFor();
    await widget.getByText('The hosted page is off').waitFor({ state: 'hidden' });
    expect(await widget.getByText('No other site can show it').count()).toBe(0);
    expect((await service.send('GET', `/chat/${id}`, { key: null })).status).toBe(200);
    const api = page.getByRole('region', { name: 'API' });
    expect(await api.locator('pre').textContent()).not.toContain('x-api-key');
    await api.getByRole('button', { name: 'Copy' }).click();
    await api.getByText('Copied').waitFor();
    expect(await clipboard()).toContain(`/v1/runner/${id}/conversation`);
    await service.service.services.stores.prisma.deployment.update({
      where: { id },
      data: { allowlist: ['shop.example'] },
    });
    await page.reload();
    await widget.getByText('Add 127.0.0.1 to the allowlist').waitFor();
    expectQuiet(window);
    await window.close();
  });

  it('is read-only for a viewer', async () => {
    const { site } = await makeShop(service);
    const as = { email: 'viewer@example.com', password: 'a password of a viewer' };
    await makeMember(service, 'viewer', as);
    const window = await signedIn(browser, service, `/dashboard/deployments/${site}`, { as });
    const { page } = window;
    await page.getByText('Your role allows you to view').waitFor();
    await page.getByRole('button', { name: 'Copy', exact: true }).first().waitFor();
    await openTab(page, 'Access and limits');
    await expect.poll(() => page.getByLabel('Require credentials').isDisabled()).toBe(true);
    await openTab(page, 'Appearance');
    await expect.poll(() => page.getByLabel('Greeting').isDisabled()).toBe(true);
    expect(await page.getByRole('button', { name: /^Save/ }).count()).toBe(0);
    await openTab(page, 'Versions');
    await page.getByRole('table', { name: 'Versions' }).waitFor();
    for (const name of ['Unpublish', 'Change version']) {
      expect(await page.getByRole('button', { name }).count()).toBe(0);
    }
    await expectAccessible(page);
    expectQuiet(window);
    await window.close();
  });
});
