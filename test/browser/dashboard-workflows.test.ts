import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { expectAccessible, expectQuiet, screenshot } from '../support/browser.ts';
import { choose } from '../support/choose.ts';
import { type SignedInVisit, signedIn } from '../support/dashboard.ts';
import { expectError } from '../support/error-bodies.ts';
import { resultOf } from '../support/results.ts';
import { startService, type TestService } from '../support/service.ts';
import { instructionsOf, makeShop } from '../support/shop-workflow.ts';
import { makeMember } from '../support/tenants.ts';
import { launchBrowser } from '../support/visit.ts';
import { publishedWorkflow, type Workflows, workflowsOf } from '../support/workflows.ts';

let service: TestService;
let browser: Browser;
let flows: Workflows;
beforeAll(async () => {
  [service, browser] = await Promise.all([startService(), launchBrowser()]);
  flows = workflowsOf(service);
});
afterAll(async () => {
  await service?.close();
});

const open = (workflowId: number, query = ''): Promise<SignedInVisit> =>
  signedIn(browser, service, `/dashboard/workflows/${workflowId}${query}`);

const saved = (page: Page) => page.getByText('All changes saved').waitFor();
const unsaved = (page: Page) => page.getByText('Unsaved changes', { exact: true }).waitFor();
const save = (page: Page) => page.getByRole('button', { name: 'Save draft' }).click();
const instructions = (page: Page) => page.getByLabel('Instructions');
const section = (page: Page, name: string) =>
  page.getByRole('navigation', { name: 'Sections of the draft' }).getByRole('link', { name }).click();

describe('the list of workflows', () => {
  it('shows the deployments of each workflow and creates a workflow', async () => {
    const { workflowId } = await makeShop(service);
    const window = await signedIn(browser, service, '/dashboard/workflows');
    const { page } = window;
    const row = page.getByRole('row', { name: /Bookshop assistant/ });
    await row.getByText('Unpublished changes').first().waitFor();
    await expectAccessible(page);
    await screenshot(page, 'workflows');
    expect(await row.getByRole('link', { name: 'Bookshop assistant' }).getAttribute('href')).toMatch(`/${workflowId}`);
    await page.getByRole('button', { name: 'New workflow' }).click();
    await page.getByLabel('Name').fill('Returns desk');
    await page.getByLabel('Instructions').fill('Help with returns.');
    await page.getByRole('button', { name: 'Create', exact: true }).click();
    await page.getByRole('heading', { name: 'Returns desk', level: 1 }).waitFor();
    await expect.poll(() => instructions(page).inputValue()).toBe('Help with returns.');
    expectQuiet(window);
    await window.close();
  });
});

describe('a workflow', () => {
  it('is edited, tested, published and rolled back, and its deployment runs each version', async () => {
    const { workflowId, deploymentId } = await publishedWorkflow(flows, { instructions: 'The first.' });
    const window = await open(workflowId);
    const { page } = window;
    await instructions(page).fill('The second, for {{NAME}}.');
    await unsaved(page);
    await page.getByRole('link', { name: 'Playground' }).click();
    await page.getByText('Tests use the saved draft').waitFor();
    await page.getByRole('button', { name: 'Save changes' }).click();
    await page.getByText('Tests use the saved draft').waitFor({ state: 'hidden' });
    await page.getByLabel('{{NAME}}').fill('Ann');
    await page.getByLabel('Message').fill('/instructions');
    await page.getByRole('button', { name: 'Send' }).click();
    await page.getByText('The second, for Ann.').waitFor();
    await page.getByText(/^demo · \d+ input tokens · \d+ output tokens · [\d.]+ m?s$/).waitFor();
    await page.getByLabel('Message').fill('/fail');
    await page.getByRole('button', { name: 'Send' }).click();
    await page.getByRole('alert').waitFor();
    expect(await instructionsOf(service, deploymentId)).toBe('The first.');

    await page.getByRole('link', { name: 'Publish', exact: true }).click();
    await page
      .getByRole('row', { name: /instructions/ })
      .getByText('The second, for {{NAME}}.')
      .waitFor();
    await page.getByLabel('Site', { exact: true }).check();
    await page.getByRole('button', { name: 'Publish' }).click();
    await page.getByText('Version 2 is published').waitFor();
    expect(await instructionsOf(service, deploymentId)).toBe('The second, for .');

    await page.getByRole('link', { name: 'Versions' }).click();
    await page.getByRole('button', { name: 'Roll back to version 1' }).click();
    const dialog = page.getByRole('dialog');
    await dialog
      .getByRole('row', { name: /instructions/ })
      .getByText('The first.')
      .waitFor();
    await dialog.getByRole('button', { name: 'Run version 1' }).click();
    await dialog.waitFor({ state: 'hidden' });
    await page
      .getByRole('row', { name: /^Version 1/ })
      .getByText('Site')
      .waitFor();
    expect(await instructionsOf(service, deploymentId)).toBe('The first.');
    await page.getByRole('link', { name: 'Publish', exact: true }).click();
    await page.getByText('Version 2 is newer').waitFor();
    expect(await page.getByText('Unpublished changes').count()).toBe(0);
    expectQuiet(window);
    await window.close();
  });

  it('can require a trigger to start', async () => {
    const { workflowId, deploymentId } = await publishedWorkflow(flows);
    const window = await open(workflowId, '?section=start');
    await window.page.getByLabel('Require a trigger').click();
    await window.page.locator('input:checked:enabled + div', { hasText: 'Require a trigger' }).waitFor();
    const body = { content: [{ type: 'text', text: 'Hi' }] };
    const answer = await service.send('POST', `/v1/runner/${deploymentId}/conversation`, { body });
    expectError(answer, 'trigger_required', { param: 'trigger_id' });
    await window.close();
  });
});

describe('an invalid draft', () => {
  it('shows the error at the field that the service names', async () => {
    const { workflowId } = await makeShop(service);
    const window = await open(workflowId, '?section=abilities');
    const { page } = window;
    const second = page
      .locator('section', { has: page.getByRole('heading', { name: 'Client tools' }) })
      .getByRole('listitem')
      .first();
    await second.locator('summary').click();
    await second.getByLabel('Name', { exact: true }).fill('show book');
    await save(page);
    await second.getByText('starting with a letter', { exact: false }).nth(1).waitFor();
    const name = second.getByLabel('Name', { exact: true });
    expect(await name.getAttribute('aria-invalid')).toBe('true');
    await page.waitForFunction(() => document.activeElement?.getAttribute('aria-invalid') === 'true');
    await page.getByRole('alert').getByText('Not saved').waitFor();
    await expectAccessible(page);
    await name.fill('show_a_book');
    await save(page);
    await saved(page);
    expect(await name.getAttribute('aria-invalid')).toBeNull();
    expectQuiet(window);
    await window.close();
  });

  it('shows an error while the user types invalid JSON, and does not save it', async () => {
    const { workflowId } = resultOf(await flows.createWorkflow({ input: { name: 'New' } }));
    const window = await open(workflowId, '?section=replies');
    const { page } = window;
    const schema = page.getByLabel('Output schema');
    await schema.fill('{"type":');
    await page.getByText('This is not valid JSON').waitFor();
    await save(page);
    await page.waitForFunction(() => document.activeElement?.getAttribute('aria-invalid') === 'true');
    await schema.fill('["object"]');
    await page.getByText('Enter a JSON object').waitFor();
    await schema.fill('{"type":"object"}');
    await page.getByRole('button', { name: 'Format' }).click();
    await expect.poll(() => schema.inputValue()).toBe('{\n  "type": "object"\n}');
    await save(page);
    await saved(page);
    expect(resultOf(await flows.workflow({ id: workflowId })).draft.outputSchema).toEqual({ type: 'object' });
    expectQuiet(window);
    await window.close();
  });
});

describe('the pages of a workflow', () => {
  it('are accessible in light and dark mode, on a phone and on a desktop', async () => {
    const { workflowId } = await makeShop(service);
    const window = await open(workflowId);
    const { page } = window;
    await instructions(page).waitFor();
    await expectAccessible(page);
    await screenshot(page, 'workflow-draft');
    await section(page, 'Actions');
    await page.locator('summary', { hasText: 'find_order' }).click();
    await expectAccessible(page);
    await screenshot(page, 'workflow-draft-actions');
    await section(page, 'Abilities');
    await page.locator('summary', { hasText: 'show_book' }).click();
    await expectAccessible(page);
    await screenshot(page, 'workflow-draft-tools');
    for (const name of ['Model', 'Approvals', 'Replies', 'Limits and recovery', 'Start']) {
      await section(page, name);
      await expectAccessible(page);
      await screenshot(page, `workflow-draft-${name.toLowerCase().replaceAll(' ', '-')}`);
    }
    await page.getByRole('link', { name: 'Publish', exact: true }).click();
    await page
      .getByRole('row', { name: /titleModel/ })
      .first()
      .waitFor();
    await expectAccessible(page);
    await screenshot(page, 'workflow-publish');
    await page.getByRole('link', { name: 'Versions' }).click();
    await choose(page.getByLabel('From'), '1');
    await page.waitForURL('**from=1');
    await choose(page.getByLabel('To'), '2');
    await page.getByRole('table', { name: 'Version 1 and Version 2' }).waitFor();
    await expectAccessible(page);
    await screenshot(page, 'workflow-versions');
    await page.reload();
    await page.getByRole('table', { name: 'Version 1 and Version 2' }).waitFor();
    expectQuiet(window);
    await window.close();
  });

  it('are read-only for a viewer', async () => {
    const { workflowId } = await makeShop(service);
    const as = { email: 'viewer@example.com', password: 'a password of a viewer' };
    await makeMember(service, 'viewer', as);
    const window = await signedIn(browser, service, `/dashboard/workflows/${workflowId}`, { as });
    const { page } = window;
    await page.getByText('Your role allows you to view').waitFor();
    await expect.poll(() => instructions(page).isDisabled()).toBe(true);
    expect(await page.getByRole('button', { name: 'Save draft' }).count()).toBe(0);
    await section(page, 'Actions');
    await page.locator('summary', { hasText: 'find_order' }).click();
    await page.getByLabel('URL').waitFor();
    await expectAccessible(page);
    await page.getByRole('link', { name: 'Publish', exact: true }).click();
    await page.getByText('Your role allows you to view').waitFor();
    await expect.poll(() => page.getByLabel('Website chat').isDisabled()).toBe(true);
    await page.getByRole('link', { name: 'Versions' }).click();
    await page.getByRole('row', { name: /^Version 2/ }).waitFor();
    expect(await page.getByRole('button', { name: /^Roll back/ }).count()).toBe(0);
    expectQuiet(window);
    await window.close();
  });
});
