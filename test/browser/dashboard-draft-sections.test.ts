import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { expectAccessible, expectQuiet, screenshot } from '../support/browser.ts';
import { choose } from '../support/choose.ts';
import { accountMenu, signedIn, signInAt } from '../support/dashboard.ts';
import { resultOf } from '../support/results.ts';
import { startService, type TestService } from '../support/service.ts';
import { launchBrowser } from '../support/visit.ts';
import { type Workflows, workflowsOf } from '../support/workflows.ts';

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

const open = (workflowId: number, query = '') =>
  signedIn(browser, service, `/dashboard/workflows/${workflowId}${query}`);

const saved = (page: Page) => page.getByText('All changes saved').waitFor();
const saveButton = (page: Page) => page.getByRole('button', { name: 'Save draft' });
const save = (page: Page) => saveButton(page).click();
/** The page notices when it saves, or earlier: it loads again when its live updates begin. */
const noticeExpiry = async (page: Page) => {
  const expired = page.getByText('Your session has expired');
  await saveButton(page).or(expired).click();
  await expired.waitFor();
};
const instructions = (page: Page) => page.getByLabel('Instructions');
const section = (page: Page, name: string) =>
  page.getByRole('navigation', { name: 'Sections of the draft' }).getByRole('link', { name }).click();

describe('the switches of a draft', () => {
  it('let the assistant ask, and keep their settings until the draft is saved', async () => {
    const { workflowId } = resultOf(await flows.createWorkflow({ input: { name: 'Asks' } }));
    const window = await open(workflowId, '?section=abilities');
    const { page } = window;
    const ask = page.getByRole('switch', { name: 'Ask the user questions' });
    const settings = page.locator('details', { hasText: 'Settings of “Ask the user questions”' });
    const availability = settings.getByLabel('Availability');
    await ask.check();
    await settings.locator('summary').click();
    await choose(availability, 'ALWAYS');
    await expectAccessible(page);
    await screenshot(page, 'workflow-abilities');
    await ask.uncheck();
    await section(page, 'Model');
    await section(page, 'Abilities');
    await ask.check();
    await settings.locator('summary').click();
    await availability.getByText('Always').waitFor();
    await page.getByRole('switch', { name: 'Ask for files' }).check();
    await save(page);
    await saved(page);
    expect(resultOf(await flows.workflow({ id: workflowId })).draft.clientTools).toMatchObject([
      { name: 'ask_user', availability: 'ALWAYS' },
      { name: 'upload_document', availability: 'WHEN_CONNECTED' },
    ]);
    await ask.uncheck();
    await save(page);
    await saved(page);
    await ask.check();
    await settings.locator('summary').click();
    await availability.getByText('When the client declares it').waitFor();
    expectQuiet(window);
    await window.close();
  });

  it('select a model of a configured provider, or take any other name', async () => {
    const { workflowId } = resultOf(await flows.createWorkflow({ input: { name: 'Modelled' } }));
    const window = await open(workflowId, '?section=model');
    const { page } = window;
    await page.getByText('Not configured on this service: openai, anthropic, openai-compatible.').waitFor();
    await choose(page.getByLabel('Model', { exact: true }), 'Another model…');
    const name = page.getByLabel('Model: name');
    await name.fill('gpt');
    await save(page);
    await expect.poll(() => name.getAttribute('aria-invalid')).toBe('true');
    await expectAccessible(page);
    await screenshot(page, 'workflow-model');
    await name.fill('anthropic:claude-a');
    await page.getByText('anthropic is not configured on this service.').waitFor();
    await save(page);
    await saved(page);
    expect(resultOf(await flows.workflow({ id: workflowId })).draft.model).toBe('anthropic:claude-a');
    await choose(page.getByLabel('Model', { exact: true }), 'demo');
    await save(page);
    await saved(page);
    expect(resultOf(await flows.workflow({ id: workflowId })).draft.model).toBe('demo');
    expectQuiet(window);
    await window.close();
  });
});

describe('the sections of a draft', () => {
  it('show in a closed action what it requests, and in one list what waits for an approval', async () => {
    const approval = { mode: 'ALWAYS', approver: 'MEMBER' };
    const draft = {
      httpActions: [
        { name: 'find_order', description: '', method: 'GET', url: 'https://8.8.8.8/orders' },
        { name: 'refund', description: '', method: 'POST', url: 'https://8.8.8.8/refunds', approval },
      ],
      toolApprovals: [{ tool: 'update_resource', mode: 'WHEN', when: { required: ['price'] }, approver: 'EITHER' }],
    };
    const { workflowId } = resultOf(await flows.createWorkflow({ input: { name: 'Refunds', draft } }));
    const window = await open(workflowId, '?section=approvals');
    const { page } = window;
    const waiting = page.getByRole('list', { name: 'What needs an approval' });
    await waiting.getByRole('listitem').first().waitFor();
    const texts = await waiting.getByRole('listitem').allInnerTexts();
    expect(texts.map((text) => text.replaceAll(/\s+/g, ' '))).toEqual([
      'HTTP action refund A member approves every call',
      'Tool update_resource Client or member approves some calls',
    ]);
    await expectAccessible(page);
    await screenshot(page, 'workflow-approvals');
    await page.getByRole('button', { name: 'Go to the actions' }).click();
    const closed = page.locator('summary', { hasText: 'refund' });
    await closed.getByText('POST https://8.8.8.8/refunds').waitFor();
    await closed.getByText('A member approves every call').waitFor();
    await page.locator('summary', { hasText: 'find_order' }).getByText('No approval').waitFor();
    await expectAccessible(page);
    await screenshot(page, 'workflow-actions-closed');
    await window.close();
  });

  it('mark invalid fields, and saving opens the section of the first one', async () => {
    const { workflowId } = resultOf(await flows.createWorkflow({ input: { name: 'Wrong' } }));
    const window = await open(workflowId, '?section=limits');
    const { page } = window;
    await page.getByLabel('Max steps').fill('99');
    await section(page, 'Start');
    await page.getByRole('link', { name: 'Limits and recovery Invalid' }).waitFor();
    await expectAccessible(page);
    await screenshot(page, 'workflow-sections');
    await save(page);
    await page.waitForURL('**section=limits');
    await page.waitForFunction(() => document.activeElement?.getAttribute('aria-invalid') === 'true');
    await page.setViewportSize({ width: 390, height: 844 });
    await choose(page.getByLabel('Section', { exact: true }), 'Replies');
    await page.getByLabel('Output schema').waitFor();
    expectQuiet(window);
    await window.close();
  });
});

describe('unsaved changes of an expired session', () => {
  it('return after the sign-in, and are gone after they are saved', async () => {
    const { workflowId } = resultOf(await flows.createWorkflow({ input: { name: 'Expired' } }));
    const window = await signedIn(browser, service, `/dashboard/workflows/${workflowId}`, { newSession: true });
    const { page } = window;
    await instructions(page).fill('Half a day of work.');
    await window.context.clearCookies();
    await noticeExpiry(page);
    await signInAt(page, service.owner);
    const notice = page.getByText('This browser has unsaved changes of yours');
    await notice.waitFor();
    expect(await instructions(page).inputValue()).toBe('');
    await expectAccessible(page);
    await screenshot(page, 'workflow-restore');
    await page.getByRole('button', { name: 'Restore changes' }).click();
    expect(await instructions(page).inputValue()).toBe('Half a day of work.');
    await save(page);
    await saved(page);
    expect(resultOf(await flows.workflow({ id: workflowId })).draft.instructions).toBe('Half a day of work.');
    await page.reload();
    await instructions(page).waitFor();
    expect(await notice.count()).toBe(0);
    await window.close();
  });

  it('report a conflict if somebody has changed the draft since, and leave with the user who signs out', async () => {
    const { workflowId } = resultOf(await flows.createWorkflow({ input: { name: 'Expired too' } }));
    const window = await signedIn(browser, service, `/dashboard/workflows/${workflowId}`, { newSession: true });
    const { page } = window;
    await instructions(page).fill('Mine.');
    await window.context.clearCookies();
    await noticeExpiry(page);
    resultOf(await flows.updateWorkflow({ id: workflowId, input: { draft: { instructions: 'Theirs.' } } }));
    await signInAt(page, service.owner);
    await page.getByRole('button', { name: 'Restore changes' }).click();
    await page.getByText('This draft has changed since you started').waitFor();
    const stored = () =>
      page.evaluate(() => Object.keys(localStorage).filter((key) => key.startsWith('parley-draft-')));
    expect(await stored()).toHaveLength(1);
    await accountMenu(page).click();
    await page.getByRole('menuitem', { name: 'Sign out' }).click();
    await page.getByLabel('Password').waitFor();
    expect(await stored()).toEqual([]);
    await window.close();
  });
});
