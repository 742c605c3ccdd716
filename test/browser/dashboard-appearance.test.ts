import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { LIMITS } from '../../src/contract/limits.ts';
import { expectAccessible, expectQuiet, screenshot } from '../support/browser.ts';
import { choose } from '../support/choose.ts';
import { type SignedInVisit, signedIn } from '../support/dashboard.ts';
import { PNG, pngOf } from '../support/pictures.ts';
import { resultOf } from '../support/results.ts';
import { startService, type TestService } from '../support/service.ts';
import { type DeploymentFields, makeDeployment } from '../support/tenants.ts';
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

async function open(fields: DeploymentFields = {}): Promise<{ id: string; window: SignedInVisit; page: Page }> {
  const { id } = await makeDeployment(service, {}, { name: 'Website chat', hostedPage: true, ...fields });
  const window = await signedIn(browser, service, `/dashboard/deployments/${id}?tab=appearance`);
  await window.page.getByRole('heading', { name: 'Appearance' }).waitFor();
  return { id, window, page: window.page };
}

const openTab = (page: Page, name: string) =>
  page.getByRole('navigation', { name: 'Parts of the deployment' }).getByRole('link', { name }).click();

const preview = (page: Page) => page.getByRole('region', { name: 'Preview' });

async function save(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Save appearance' }).click();
  await expect.poll(() => page.getByText('Unsaved changes', { exact: true }).count()).toBe(0);
}

const stored = async (id: string) => {
  const { branding } = await service.service.services.stores.prisma.deployment.findUniqueOrThrow({ where: { id } });
  return branding;
};

const logo = (buffer: Buffer, mimeType = 'image/png') => ({ name: 'logo.png', mimeType, buffer });

describe('the appearance of a deployment', () => {
  it('is previewed while it is edited, and saved with its logo', async () => {
    const { id, window, page } = await open();
    await page.getByLabel('Public name').fill('Acme help');
    await page.getByLabel('Greeting').fill('Hello! How can we help?');
    await page.locator('input[type=file]').setInputFiles(logo(PNG));
    await page.getByRole('button', { name: 'Add prompt' }).click();
    await page.getByLabel('Prompt 1', { exact: true }).fill('Where is my order?');
    await page.getByLabel('Accent color', { exact: true }).fill('#FFD400');
    await choose(page.getByLabel('Side of the launcher'), 'LEFT');
    await page.getByLabel('Text of the launcher').fill('Ask us');
    const text = await preview(page).innerText();
    for (const shown of ['Acme help', 'Hello! How can we help?', 'Where is my order?', 'Ask us']) {
      expect(text.split(shown)).toHaveLength(3);
    }
    const shades = page.getByRole('list', { name: 'Contrast of the accent color' });
    await shades.getByText(/^Light theme: #\w{6}, contrast 4\.\d : 1$/).waitFor();
    await shades.getByText('Your color has 1.2 : 1 and text needs 4.5 : 1, so pages use this shade.').waitFor();
    await shades.getByText(/^Dark theme: #ffd400, contrast \d+\.\d : 1$/).waitFor();
    await expectAccessible(page);
    await save(page);
    await expect.poll(() => page.getByAltText('Logo').getAttribute('src')).toMatch(`/logos/${id}/`);
    expect(await stored(id)).toEqual({
      name: 'Acme help',
      greeting: 'Hello! How can we help?',
      logo: { digest: expect.any(String), mimeType: 'image/png' },
      suggestedPrompts: ['Where is my order?'],
      accent: '#ffd400',
      launcherPosition: 'left',
      launcherText: 'Ask us',
    });
    await page.getByRole('heading', { name: 'Appearance' }).scrollIntoViewIfNeeded();
    await screenshot(page, 'deployment-appearance');
    await page.reload();
    const picture = page.getByAltText('Logo');
    await picture.waitFor();
    expect(await picture.evaluate((image: HTMLImageElement) => image.decode().then(() => image.naturalWidth))).toBe(1);
    await page.getByRole('button', { name: 'Remove logo' }).click();
    await page.getByRole('button', { name: 'Use the default' }).click();
    await page.getByLabel('Greeting').fill('');
    await save(page);
    expect(await stored(id)).not.toHaveProperty('logo');
    expect(await stored(id)).not.toHaveProperty('accent');
    expect(await stored(id)).not.toHaveProperty('greeting');
    expectQuiet(window);
    await window.close();
  });

  it('shows one theme in the preview if the page has only one', async () => {
    const { window, page } = await open({ kind: 'agent' });
    await preview(page).getByText('Preview, dark theme').waitFor();
    const theme = page.getByRole('combobox', { name: 'Theme', exact: true });
    await choose(theme, 'LIGHT');
    // Tells a lost or wrong choice from a preview that does not follow the form.
    await expect.poll(() => theme.innerText()).toBe('Light');
    await preview(page).getByText('Preview, dark theme').waitFor({ state: 'hidden' });
    await preview(page).getByText('How can I help?').waitFor();
    await choose(page.getByLabel('Language of the interface'), 'ES');
    await save(page);
    await openTab(page, 'Share');
    const widget = page.getByRole('region', { name: 'Widget on your site' });
    expect(await widget.locator('pre').textContent()).toContain('data-kind="agent"');
    expectQuiet(window);
    await window.close();
  });

  it('shows errors at their fields and keeps what somebody else changed', async () => {
    const { id, window, page } = await open();
    await page.getByLabel('Accent color', { exact: true }).fill('red');
    await page.getByText('Enter a color like #3b4ce0.').waitFor();
    await page.locator('input[type=file]').setInputFiles(logo(pngOf(LIMITS.logoBytes + 1)));
    await page.getByText('logo.png is 200 kB. The limit is 200 kB.').waitFor();
    await page.locator('input[type=file]').setInputFiles(logo(Buffer.from('<svg/>'), 'image/svg+xml'));
    await page.getByText('logo.png is not a PNG, JPEG or WebP picture.').waitFor();
    await expectAccessible(page);
    await page.getByLabel('Accent color', { exact: true }).fill('#0057b8');
    // The browser believes the name of the file. The service reads its content.
    await page.locator('input[type=file]').setInputFiles(logo(Buffer.from('<html>')));
    await page.getByRole('button', { name: 'Save appearance' }).click();
    await page.getByText('Logo must be a PNG, JPEG or WebP picture.', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Remove logo' }).click();
    const other = { authRequired: false, branding: { greeting: 'From somebody else' } };
    resultOf(await workflowsOf(service).updateDeployment({ id, input: other }));
    await save(page);
    expect(await stored(id)).toEqual({ accent: '#0057b8', greeting: 'From somebody else' });
    await window.close();
  });

  it('asks before unsaved changes of either form are lost', async () => {
    const { window, page } = await open();
    await page.getByLabel('Public name').fill('Not saved');
    await openTab(page, 'Access and limits');
    await page.getByLabel('Turns in total').fill('60');
    await page.getByRole('button', { name: 'Save settings' }).click();
    await page.getByText('All changes saved').filter({ visible: true }).waitFor();
    await openTab(page, 'Appearance');
    await expect.poll(() => page.getByLabel('Public name').inputValue()).toBe('Not saved');
    await page.getByText('Unsaved changes', { exact: true }).filter({ visible: true }).waitFor();
    await page.getByRole('navigation', { name: 'Dashboard' }).getByRole('link', { name: 'Triggers' }).click();
    await page.getByRole('dialog', { name: 'Leave without saving?' }).waitFor();
    await page.getByRole('button', { name: 'Leave without saving' }).click();
    await page.getByRole('heading', { name: 'Triggers', level: 1 }).waitFor();
    expectQuiet(window);
    await window.close();
  });
});
