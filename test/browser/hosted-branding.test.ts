import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { accentOf } from '../../src/contract/branding/accent.ts';
import { expectAccessible, expectQuiet, screenshot } from '../support/browser.ts';
import { cidOf, composer, reply, say, storedTexts } from '../support/chat-page.ts';
import { startService, type TestService } from '../support/service.ts';
import { makeDeployment } from '../support/tenants.ts';
import { launchBrowser, visit } from '../support/visit.ts';

let service: TestService;
let browser: Browser;
beforeAll(async () => {
  [service, browser] = await Promise.all([startService(), launchBrowser()]);
});
afterAll(async () => {
  await service?.close();
});

/** A color as the browser computes it. */
const rgbOf = (hex: string) => `rgb(${[1, 3, 5].map((at) => Number.parseInt(hex.slice(at, at + 2), 16)).join(', ')})`;

const PNG = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

const UPDATE = `mutation ($id: ID!, $branding: DeploymentBrandingInput) {
  updateDeployment(input: { deploymentId: $id, branding: $branding }) { __typename ... on Error { message } } }`;

async function makeBranded(kind: 'chat' | 'agent', branding: object): Promise<string> {
  const { id } = await makeDeployment(service, {}, { kind, hostedPage: true, name: 'Shop' });
  const { body } = await service.graphql(UPDATE, { id, branding });
  expect(body.data.updateDeployment).toEqual({ __typename: 'UpdateDeploymentPayload' });
  return `/${kind}/${id}`;
}

const BRANDING = {
  name: 'Blue Shoes',
  logo: PNG,
  accent: '#ffd400',
  greeting: 'Hello! What are you looking for?',
  suggestedPrompts: ['Where is my order?', 'I want to return…'],
};

describe.each(['chat', 'agent'] as const)('the branding of a deployment on its %s page', (kind) => {
  it('shows name, logo, accent color, greeting and suggested prompts', async () => {
    const path = await makeBranded(kind, BRANDING);
    const window = await visit(browser, service.url);
    const page = await window.open(path);
    await page.getByRole('heading', { name: 'Blue Shoes', exact: true }).waitFor();
    await page.getByText('Hello! What are you looking for?').waitFor();
    const logo = page.locator('header img');
    await expect.poll(() => logo.evaluate((image: HTMLImageElement) => image.naturalWidth)).toBeGreaterThan(0);
    await composer(page).fill('x');
    const send = page.getByRole('button', { name: 'Send', exact: true });
    // The accent color is darkened for the light theme.
    await expect
      .poll(() => send.evaluate((button) => getComputedStyle(button).backgroundColor))
      .toBe(rgbOf(accentOf('#ffd400').light));
    await composer(page).fill('');
    await expectAccessible(page);
    await screenshot(page, `${kind}-branding`);
    await page.getByRole('button', { name: 'I want to return…' }).click();
    await expect.poll(() => composer(page).inputValue()).toBe('I want to return ');
    expect(await composer(page).evaluate((field) => field === document.activeElement)).toBe(true);
    await composer(page).fill('');
    await page.getByRole('list', { name: 'Suggestions' }).getByRole('button', { name: 'Where is my order?' }).click();
    await reply(page, 'You said: Where is my order?');
    await expect.poll(() => cidOf(page)).not.toBeNull();
    expect(await storedTexts(service, cidOf(page))).toEqual(['Where is my order?', 'You said: Where is my order?']);
    expect(await page.getByRole('list', { name: 'Suggestions' }).count()).toBe(0);
    // The tint of a bright accent alone is almost as bright as the page.
    const own = page.getByRole('log').locator('.own-message').first();
    expect(await own.evaluate((bubble) => getComputedStyle(bubble).borderTopWidth)).toBe('1px');
    await expectAccessible(page);
    expectQuiet(window);
    await window.close();
  });

  it.each([
    ['DARK', 'light', true],
    ['LIGHT', 'dark', false],
    ['AUTO', 'dark', true],
  ] as const)('shows the theme %s if the system is %s', async (theme, colorScheme, isDark) => {
    const path = await makeBranded(kind, { theme, accent: '#ffd400' });
    const window = await visit(browser, service.url);
    const page = await window.open('/healthz');
    await page.emulateMedia({ colorScheme });
    await page.goto(`${service.url}${path}`);
    const brightness = () =>
      page.locator('header').evaluate((node) => {
        const parts = getComputedStyle(node).backgroundColor.match(/\d+/g) ?? [];
        return Math.max(...parts.map(Number));
      });
    await expect.poll(async () => (await brightness()) < 64).toBe(isDark);
    const accent = await page.evaluate(() => document.documentElement.style.getPropertyValue('--color-accent'));
    expect(accent).toBe(theme === 'LIGHT' ? accentOf('#ffd400').light : '#ffd400');
    expectQuiet(window);
    await window.close();
  });
});

describe('a branded chat page', () => {
  it('follows the system while it is open', async () => {
    const path = await makeBranded('chat', { accent: '#ffd400' });
    const window = await visit(browser, service.url);
    const page = await window.open(path);
    await composer(page).waitFor();
    const accent = () => page.evaluate(() => document.documentElement.style.getPropertyValue('--color-accent'));
    expect(await accent()).toBe(accentOf('#ffd400').light);
    await page.emulateMedia({ colorScheme: 'dark' });
    await expect.poll(accent).toBe('#ffd400');
    await say(page, 'Hello');
    await reply(page, 'You said: Hello');
    await window.close();
  });
});
