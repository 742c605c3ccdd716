import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { expectAccessible, expectQuiet, screenshot } from '../support/browser.ts';
import { signedIn } from '../support/dashboard.ts';
import { resultOf } from '../support/results.ts';
import { startService, type TestService } from '../support/service.ts';
import { instructionsOf } from '../support/shop-workflow.ts';
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

const update = async (id: number, draft: object) => resultOf(await flows.updateWorkflow({ id, input: { draft } }));

describe('a publication', () => {
  it('publishes only the draft that the user has seen', async () => {
    const { workflowId, deploymentId } = await publishedWorkflow(flows, { instructions: 'First.' });
    await update(workflowId, { instructions: 'Seen.' });
    const window = await signedIn(browser, service, `/dashboard/workflows/${workflowId}?tab=publish`);
    const { page } = window;
    await page.getByText('Seen.').waitFor();
    await page.getByLabel('Site', { exact: true }).check();
    const publish = page.getByRole('button', { name: 'Publish' });
    // Somebody changes the draft after the click. The page would show an earlier change before the click.
    await page.route('**/graphql', async (route) => {
      if (route.request().postData()?.includes('mutation Publish(')) {
        await update(workflowId, { instructions: 'Not seen.' });
      }
      await route.continue();
    });
    await publish.click();
    await page.getByText('Not published: somebody else has changed the draft').waitFor();
    await page.unrouteAll({ behavior: 'wait' });
    expect(await instructionsOf(service, deploymentId)).toBe('First.');
    await page.getByText('Not seen.').waitFor();
    await publish.click();
    await page.getByText('Version 2 is published').waitFor();
    expect(await instructionsOf(service, deploymentId)).toBe('Not seen.');
    await page.getByText('No differences.').waitFor();
    await page.getByLabel('Site', { exact: true }).check();
    await publish.click();
    await page.getByText('The draft is identical to version 2').waitFor();
    expectQuiet(window);
    await window.close();
  });

  it('leaves out unsaved changes and says so', async () => {
    const { workflowId, deploymentId } = await publishedWorkflow(flows, { instructions: 'First.' });
    const window = await signedIn(browser, service, `/dashboard/workflows/${workflowId}`);
    const { page } = window;
    await page.getByLabel('Instructions').fill('Second.');
    await page.getByRole('link', { name: 'Publish', exact: true }).click();
    await page.getByText('Your draft has unsaved changes.').waitFor();
    await page.getByText('No differences.').waitFor();
    await page.getByRole('button', { name: 'Save draft' }).click();
    await page.getByText('Second.').waitFor();
    await page.getByLabel('Site', { exact: true }).check();
    await page.getByRole('button', { name: 'Publish' }).click();
    await page.getByText('Version 2 is published').waitFor();
    expect(await instructionsOf(service, deploymentId)).toBe('Second.');
    expectQuiet(window);
    await window.close();
  });

  it('offers to create the first deployment', async () => {
    const { workflowId } = resultOf(await flows.createWorkflow({ input: { name: 'Alone' } }));
    const window = await signedIn(browser, service, `/dashboard/workflows/${workflowId}?tab=publish`);
    const { page } = window;
    await page.getByText('No deployments yet').waitFor();
    await expectAccessible(page);
    await screenshot(page, 'workflow-publish-empty');
    await page.getByRole('button', { name: 'New deployment' }).click();
    await page.getByRole('dialog').getByLabel('Name').fill('Its first');
    await page.getByRole('button', { name: 'Create and publish', exact: true }).click();
    await page.getByRole('heading', { name: 'Its first', level: 1 }).waitFor();
    await page.getByText('Version 1', { exact: true }).waitFor();
    expectQuiet(window);
    await window.close();
  });
});

describe('names of the maximum length', () => {
  it('fit on a phone on every page', async () => {
    const name = 'W'.repeat(100);
    const tool = 't'.repeat(64);
    const draft = { instructions: 'First.', clientTools: [{ name: tool }] };
    const { workflowId } = resultOf(await flows.createWorkflow({ input: { name, draft } }));
    const { deploymentId } = resultOf(await flows.createDeployment({ id: workflowId, input: { name, kind: 'CHAT' } }));
    resultOf(await flows.publish({ id: workflowId, deployments: [deploymentId] }));
    await update(workflowId, { clientTools: [{ name: tool, description: 'd'.repeat(300) }] });
    const window = await signedIn(browser, service, '/dashboard/workflows', { viewport: { width: 390, height: 844 } });
    const { page } = window;
    const workflow = `/workflows/${workflowId}`;
    const abilities = `${workflow}?section=abilities`;
    const paths = [
      '/workflows',
      workflow,
      abilities,
      `${workflow}?tab=playground`,
      `${workflow}?tab=publish`,
      `${workflow}?tab=versions`,
    ];
    for (const path of [...paths, '/deployments', `/deployments/${deploymentId}`]) {
      await page.goto(`${service.url}/dashboard${path}`);
      await page.getByText(name).filter({ visible: true }).first().waitFor();
      const summary = page.locator('summary');
      if (path === abilities) await summary.last().click();
      if (/tab=[pv][uer]/.test(path)) await page.getByRole('row', { name: /clientTools/ }).waitFor();
      expect(await page.evaluate(() => [location.href, document.documentElement.scrollWidth - innerWidth])).toEqual([
        `${service.url}/dashboard${path}`,
        0,
      ]);
    }
    expectQuiet(window);
    await window.close();
  });
});
