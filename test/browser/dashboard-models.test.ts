import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { expectAccessible, expectQuiet, screenshot } from '../support/browser.ts';
import { choose } from '../support/choose.ts';
import { signedIn } from '../support/dashboard.ts';
import { type ProviderService, startProviderService } from '../support/provider-service.ts';
import { makeMember } from '../support/tenants.ts';
import { launchBrowser } from '../support/visit.ts';

let host: ProviderService;
let browser: Browser;
beforeAll(async () => {
  [host, browser] = await Promise.all([startProviderService(), launchBrowser()]);
  host.provider.offer({ data: [{ id: 'large' }, { id: 'small' }] });
});
afterAll(() => host?.close());

const PATH = '/dashboard/models';
const test = (page: Page) => page.getByRole('button', { name: 'Send a test call' }).click();

describe('the page of models', () => {
  it('shows what each provider offers, and tests a model', async () => {
    const window = await signedIn(browser, host.service, PATH);
    const { page } = window;
    const openai = page.locator('section', { has: page.getByRole('heading', { name: 'OpenAI', exact: true }) });
    await openai.getByText('Configured', { exact: true }).waitFor();
    await openai.getByText(/^2 models, asked/).click();
    await openai.getByText('openai:large').waitFor();
    host.provider.reply({ kind: 'answer', deltas: ['Good day!'], usage: { input: 12, output: 3 } });
    await choose(page.getByLabel('Model', { exact: true }), 'anthropic:small');
    await test(page);
    await page.getByText('Good day!').waitFor();
    await page.getByText(/^anthropic:small · .* · 12 input \+ 3 output tokens$/).waitFor();
    expect(host.provider.requests.at(-1)?.body).toMatchObject({ model: 'small' });
    await expectAccessible(page);
    await screenshot(page, 'models');
    expectQuiet(window);
    await window.close();
  });

  it('shows why a test failed, with the response of the provider', async () => {
    host.provider.reply({ kind: 'status', status: 401, body: 'Incorrect API key provided.' });
    const window = await signedIn(browser, host.service, PATH);
    const { page } = window;
    await choose(page.getByLabel('Model', { exact: true }), 'openai:large');
    await test(page);
    await page.getByText(/The model provider rejected the API key\. Check OPENAI_API_KEY/).waitFor();
    await page.getByText('Response of the provider: 401').waitFor();
    await page.getByText(/Incorrect API key provided\./).waitFor();
    await expectAccessible(page);
    await screenshot(page, 'models-failed');
    // The next test begins without the last result.
    host.provider.reply({ kind: 'answer', deltas: ['Better now.'] });
    await test(page);
    await page.getByText('Better now.').waitFor();
    expect(await page.getByText('Response of the provider: 401').count()).toBe(0);
    await window.close();
  });

  it('offers the models of the providers in the fields of a workflow', async () => {
    const window = await signedIn(browser, host.service, '/dashboard/workflows/1?section=model');
    await choose(window.page.getByLabel('Model', { exact: true }), 'openai-compatible:large');
    await window.page.getByRole('button', { name: 'Save draft' }).click();
    await window.page.getByText('All changes saved').waitFor();
    await window.close();
  });

  it('shows viewers the models without a test', async () => {
    const as = { email: 'viewer@example.com', password: 'a-long-password-of-a-viewer' };
    await makeMember(host.service, 'viewer', as);
    const window = await signedIn(browser, host.service, PATH, { as });
    await window.page
      .getByText(/^2 models, asked/)
      .first()
      .waitFor();
    expect(await window.page.getByRole('button', { name: 'Send a test call' }).count()).toBe(0);
    await window.close();
  });
});

describe('without a provider', () => {
  it('names the variables to set, and tests the model that is built in', async () => {
    const own = await startProviderService({ defaultModel: 'demo', providers: { openai: {}, anthropic: {} } });
    const window = await signedIn(browser, own.service, PATH);
    const { page } = window;
    await page.getByText('OPENAI_API_KEY=sk-…').waitFor();
    await page.getByText('DEFAULT_MODEL=anthropic:NAME').waitFor();
    expect(await page.getByText('Not configured', { exact: true }).count()).toBe(3);
    await test(page);
    await page.getByText(/^demo · /).waitFor();
    await expectAccessible(page);
    await screenshot(page, 'models-without-provider');
    await window.close();
    await own.close();
  });
});
