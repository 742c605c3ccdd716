import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { expectAccessible, expectQuiet, screenshot } from '../support/browser.ts';
import { signedIn } from '../support/dashboard.ts';
import { type JwksServer, newSigningKey, signJwt, startJwksServer } from '../support/jwks-server.ts';
import { DEMO_CHAT_ID, startService, type TestService } from '../support/service.ts';
import { launchBrowser } from '../support/visit.ts';

let service: TestService;
let browser: Browser;
let jwks: JwksServer;
beforeAll(async () => {
  [service, browser, jwks] = await Promise.all([startService(), launchBrowser(), startJwksServer()]);
});
afterAll(async () => {
  jwks?.close();
  await service?.close();
});

describe('the issuer of JWTs', () => {
  it('is set up, tested, changed and removed, and its JWTs work in between', async () => {
    const key = await newSigningKey('one');
    const statusOf = async (token: string) =>
      (await service.send('GET', '/v1/runner/conversations', { key: token })).status;
    const window = await signedIn(browser, service, '/dashboard/end-users');
    const { page } = window;
    await page.getByText('This environment accepts no JWTs.').waitFor();
    await page.getByRole('button', { name: 'Set up issuer' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Issuer', { exact: true }).fill('https://login.example.com/');
    await dialog.getByLabel('Audience').fill('parley');
    await dialog.getByLabel('URL of the keys').fill('https://10.0.0.1/jwks');
    await dialog.getByRole('button', { name: 'Save issuer' }).click();
    await dialog.getByText('Select a deployment.').waitFor();
    const { name } = await service.service.services.stores.prisma.deployment.findUniqueOrThrow({
      where: { id: DEMO_CHAT_ID },
    });
    await dialog.getByLabel(name, { exact: true }).check();
    await dialog.getByRole('button', { name: 'Save issuer' }).click();
    await dialog.getByText('The address is not public.').first().waitFor();
    await expectAccessible(page);
    await screenshot(page, 'end-users-dialog');
    await dialog.getByLabel('URL of the keys').fill(jwks.url);
    await dialog.getByRole('button', { name: 'Save issuer' }).click();
    await dialog.waitFor({ state: 'detached' });
    await page.getByText(jwks.url).waitFor();
    await page.getByRole('button', { name: 'Test issuer' }).click();
    await page.getByText('The response contains no public key').waitFor();
    await jwks.publish(key);
    await page.getByRole('button', { name: 'Test issuer' }).click();
    await page.getByText('The issuer can be used.').waitFor();
    const token = await signJwt(key, 'ada');
    expect(await statusOf(token)).toBe(200);
    await expectAccessible(page);
    await screenshot(page, 'end-users');
    await page.getByRole('button', { name: 'Change issuer' }).click();
    await dialog.getByLabel('Audience').fill('another');
    await dialog.getByRole('button', { name: 'Save issuer' }).click();
    await dialog.waitFor({ state: 'detached' });
    expect(await statusOf(token)).toBe(401);
    expect(await statusOf(await signJwt(key, 'ada', { aud: 'another' }))).toBe(200);
    await page.getByRole('button', { name: 'Remove issuer' }).click();
    await dialog.getByRole('button', { name: 'Remove' }).click();
    await page.getByText('This environment accepts no JWTs.').waitFor();
    expect(await statusOf(await signJwt(key, 'ada', { aud: 'another' }))).toBe(401);
    expectQuiet(window);
    await window.close();
  });
});
