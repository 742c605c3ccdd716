import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { expectAccessible, expectQuiet } from '../support/browser.ts';
import { signedIn } from '../support/dashboard.ts';
import { startService, type TestService } from '../support/service.ts';
import { makeDeployment } from '../support/tenants.ts';
import { createTrigger } from '../support/triggers.ts';
import { launchBrowser } from '../support/visit.ts';

let service: TestService;
let browser: Browser;
beforeAll(async () => {
  [service, browser] = await Promise.all([startService(), launchBrowser()]);
});
afterAll(async () => {
  await service?.close();
});

describe('the delete buttons', () => {
  it('delete a trigger, its deployment and its workflow, and show what depends on an object', async () => {
    const { id, workflowId } = await makeDeployment(service, {}, { name: 'Old shop' });
    const trigger = (await createTrigger(service, {}, id)).body.id;
    const window = await signedIn(browser, service, `/dashboard/deployments/${id}`);
    const { page } = window;
    const dialog = page.getByRole('dialog');
    const confirm = () => dialog.getByRole('button', { name: 'Delete permanently' }).click();

    await page.getByRole('button', { name: 'Delete', exact: true }).click();
    await confirm();
    await dialog.getByText('The deployment cannot be deleted: 1 trigger depends on it.').waitFor();
    await expectAccessible(page);
    await dialog.getByRole('button', { name: 'Cancel' }).click();

    await page.goto(`${service.url}/dashboard/triggers?deployment=${id}`);
    await page.getByRole('button', { name: `Delete ${trigger}` }).click();
    await confirm();
    await page.getByRole('row', { name: new RegExp(trigger) }).waitFor({ state: 'hidden' });

    await page.goto(`${service.url}/dashboard/deployments/${id}`);
    await page.getByRole('button', { name: 'Delete', exact: true }).click();
    await confirm();
    await page.waitForURL('**/dashboard/deployments');

    await page.goto(`${service.url}/dashboard/workflows/${workflowId}`);
    await page.getByRole('button', { name: 'Delete', exact: true }).click();
    await confirm();
    await page.waitForURL('**/dashboard/workflows');
    const { prisma } = service.service.services.stores;
    expect(await prisma.workflow.count({ where: { id: workflowId } })).toBe(0);
    expectQuiet(window);
    await window.close();
  });
});
