import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { expectAccessible, expectQuiet, screenshot } from '../support/browser.ts';
import { signedIn } from '../support/dashboard.ts';
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

const open = (workflowId: number) => signedIn(browser, service, `/dashboard/workflows/${workflowId}`);

const saved = (page: Page) => page.getByText('All changes saved').waitFor();
const save = (page: Page) => page.getByRole('button', { name: 'Save draft' }).click();
const instructions = (page: Page) => page.getByLabel('Instructions');

describe('a draft that somebody else has changed', () => {
  const raced = async () => {
    const { workflowId } = resultOf(await flows.createWorkflow({ input: { name: 'Raced' } }));
    const window = await open(workflowId);
    await instructions(window.page).fill('Mine.');
    resultOf(
      await flows.updateWorkflow({ id: workflowId, input: { draft: { instructions: 'Theirs.', maxSteps: 3 } } }),
    );
    await save(window.page);
    await window.page.getByText('This draft has changed since you started').waitFor();
    const stored = async () => resultOf(await flows.workflow({ id: workflowId })).draft;
    expect((await stored()).instructions).toBe('Theirs.');
    return { window, stored, workflowId };
  };

  it('warns before it overwrites, and can load the other changes', async () => {
    const { window, stored } = await raced();
    const { page } = window;
    await page.getByText('Changed since then: instructions, max steps.').waitFor();
    await expectAccessible(page);
    await screenshot(page, 'workflow-conflict');
    await page.getByRole('button', { name: 'Load their changes' }).click();
    await saved(page);
    await expect.poll(() => instructions(page).inputValue()).toBe('Theirs.');
    expect((await stored()).maxSteps).toBe(3);
    expectQuiet(window);
    await window.close();
  });

  it('can overwrite the other changes', async () => {
    const { window, stored } = await raced();
    await window.page.getByRole('button', { name: 'Overwrite with mine' }).click();
    await saved(window.page);
    expect(await stored()).toMatchObject({ instructions: 'Mine.', maxSteps: 16 });
    expectQuiet(window);
    await window.close();
  });
});

describe('unsaved changes', () => {
  it('survive a change of tabs and need a confirmation before the user leaves the page', async () => {
    const { workflowId } = resultOf(await flows.createWorkflow({ input: { name: 'Left' } }));
    const window = await signedIn(browser, service, '/dashboard/workflows');
    const { page } = window;
    const here = `**/dashboard/workflows/${workflowId}`;
    const asked = page.getByRole('dialog', { name: 'Leave without saving?' });
    const stay = async () => {
      await asked.getByRole('button', { name: 'Stay here' }).click();
      await asked.waitFor({ state: 'hidden' });
      await page.waitForURL(here);
      await expect.poll(() => instructions(page).inputValue()).toBe('Not yet.');
    };
    await page.getByRole('link', { name: 'Left' }).click();
    await instructions(page).fill('Not yet.');
    await page.getByRole('link', { name: 'Versions' }).click();
    await page.waitForURL(`${here}?tab=versions`);
    await page.getByRole('link', { name: 'Draft', exact: true }).click();
    await page.getByRole('link', { name: 'Deployments' }).click();
    await stay();
    await page.getByLabel('Environment').selectOption('test');
    await stay();
    await page.evaluate(() => history.go(-3));
    await asked.waitFor();
    await expectAccessible(page);
    await stay();
    const [dialog] = await Promise.all([page.waitForEvent('dialog'), page.close({ runBeforeUnload: true })]);
    expect(dialog.type()).toBe('beforeunload');
    await dialog.dismiss();
    await page.evaluate(() => history.back());
    await asked.getByRole('button', { name: 'Leave without saving' }).click();
    await page.getByRole('heading', { name: 'Workflows', level: 1 }).waitFor();
    expectQuiet(window);
    await window.close();
  });
});
