import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { expectQuiet } from '../support/browser.ts';
import { signedIn, signInAt } from '../support/dashboard.ts';
import { accept, inviteToken } from '../support/members.ts';
import { startService, type TestService } from '../support/service.ts';
import { signIn } from '../support/sign-in.ts';
import { launchBrowser } from '../support/visit.ts';

let service: TestService;
let browser: Browser;
beforeAll(async () => {
  [service, browser] = await Promise.all([startService(), launchBrowser()]);
  await service.agentTurn('Where is my order 10482?');
});
afterAll(async () => {
  await service?.close();
});

describe('an expired session', () => {
  it('asks the user to sign in and then shows the same page again', async () => {
    const window = await signedIn(browser, service, '/dashboard/conversations?search=order');
    const { page } = window;
    await page.getByRole('table', { name: 'Conversations' }).waitFor();
    const key = await signIn(service, service);
    const { body } = await service.graphql('{ sessions { sessionId current: isCurrent } }', {}, { key });
    for (const { sessionId, current } of body.data.sessions) {
      if (current) continue;
      await service.graphql(
        'mutation ($id: ID!) { revokeSession(input: { sessionId: $id }) { __typename ... on RevokeSessionPayload { deletedId } ... on Error { code message path } } }',
        { id: sessionId },
        { key },
      );
    }
    await page.getByText('Your session has expired').waitFor();
    expect(page.url()).toContain('/dashboard/conversations?search=order');
    await signInAt(page, service.owner);
    await page.getByRole('table', { name: 'Conversations' }).waitFor();
    expect(page.url()).toContain('/dashboard/conversations?search=order');
    // Queries without a session get 401, which the browser logs.
    const unauthorized = 'Failed to load resource: the server responded with a status of 401 (Unauthorized)';
    expect([...new Set(window.consoleErrors)]).toEqual([unauthorized]);
    await window.close();
  });
});

describe('a viewer', () => {
  it('can read pages and sees no buttons that change data', async () => {
    const email = 'viewer@example.com';
    const token = await inviteToken(service, await signIn(service, service), email, 'viewer');
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
    expect(await page.getByRole('button', { name: 'Add price' }).count()).toBe(0);
    expectQuiet(window);
    await window.close();
  });
});
