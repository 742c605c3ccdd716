import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { expectQuiet, launchBrowser } from '../support/browser.ts';
import { signedIn, signInAt } from '../support/dashboard.ts';
import { accept, invited } from '../support/members.ts';
import { startService, type TestService } from '../support/service.ts';

let service: TestService;
let browser: Browser;
beforeAll(async () => {
  [service, browser] = await Promise.all([startService(), launchBrowser()]);
  await service.agentTurn('Where is my order 10482?');
});
afterAll(async () => {
  await browser?.close();
  await service?.close();
});

/** A bearer of the owner's. */
async function ownerToken(): Promise<string> {
  const { body } = await service.graphql(
    'mutation ($input: SignInInput!) { signIn(input: $input) { token } }',
    { input: service.owner },
    { key: null },
  );
  return body.data.signIn.token;
}

describe('a session that is over', () => {
  it('is told on the page that was open, and signing in leads back to it', async () => {
    const window = await signedIn(browser, service, '/dashboard/conversations?search=order');
    const { page } = window;
    await page.getByRole('table', { name: 'Conversations' }).waitFor();
    const key = await ownerToken();
    const { body } = await service.graphql('{ sessions { sessionId current: isCurrent } }', {}, { key });
    for (const { sessionId, current } of body.data.sessions) {
      if (current) continue;
      await service.graphql('mutation ($id: UUID!) { revokeSession(sessionId: $id) }', { id: sessionId }, { key });
    }
    await page.getByText('Your session is over').waitFor();
    expect(page.url()).toContain('/dashboard/conversations?search=order');
    await signInAt(page, service.owner);
    await page.getByRole('table', { name: 'Conversations' }).waitFor();
    expect(page.url()).toContain('/dashboard/conversations?search=order');
    // Those who read without a session are told so.
    const told = 'Failed to load resource: the server responded with a status of 401 (Unauthorized)';
    expect([...new Set(window.complaints)]).toEqual([told]);
    await window.close();
  });
});

describe('a viewer', () => {
  it('sees what may be read, and nothing that changes it', async () => {
    const email = 'viewer@example.com';
    const token = await invited(service, await ownerToken(), email, 'viewer');
    await accept(service, { token, name: 'Vera', password: 'a password of some length' });
    await service.agentTurn('/ask', { client_capabilities: ['ask_user'] });
    const window = await signedIn(browser, service, '/dashboard/conversations', {
      as: { email, password: 'a password of some length' },
    });
    const { page } = window;
    const navigation = page.getByRole('navigation', { name: 'Dashboard' });
    await navigation.getByRole('link', { name: 'Usage and cost' }).waitFor();
    for (const name of ['API keys', 'Members', 'Audit log', 'Webhooks']) {
      expect(await navigation.getByRole('link', { name, exact: true }).count()).toBe(0);
    }
    await page.getByRole('link', { name: '/ask' }).first().click();
    await page.getByRole('list', { name: 'Conversation' }).getByText('Questions', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Export' }).waitFor();
    expect(await page.getByRole('button', { name: 'Delete' }).count()).toBe(0);
    expect(await page.getByRole('heading', { name: 'Waiting for the client' }).count()).toBe(0);
    await navigation.getByRole('link', { name: 'Usage and cost' }).click();
    await page.getByRole('heading', { name: 'Model prices' }).waitFor();
    expect(await page.getByRole('button', { name: 'Set a price' }).count()).toBe(0);
    expectQuiet(window);
    await window.close();
  });
});
