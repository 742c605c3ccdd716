import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { expectAccessible, expectQuiet, screenshot } from '../support/browser.ts';
import { composer, reply, say } from '../support/chat-page.ts';
import { endUserToken, REVOKE_TOKENS } from '../support/end-users.ts';
import { startService, type TestService } from '../support/service.ts';
import { type Site, startSite } from '../support/site.ts';
import { makeDeployment } from '../support/tenants.ts';
import { launchBrowser, visit } from '../support/visit.ts';

let service: TestService;
let browser: Browser;
let site: Site;
beforeAll(async () => {
  [service, browser, site] = await Promise.all([startService(), launchBrowser(), startSite()]);
});
afterAll(async () => {
  await service?.close();
  await site?.close();
});

const NOT_IDENTIFIED = 'This site has not signed you in here. Sign in on the site, then try again.';

/** A deployment that only identified users can use. The sites of tests are on `localhost`. */
async function hosted(fields: object = {}): Promise<string> {
  const { id } = await makeDeployment(service, {}, { hostedPage: true, authRequired: true });
  const data = { allowlist: ['localhost'], ...fields };
  await service.service.services.stores.prisma.deployment.update({ where: { id }, data });
  return id;
}

const widget = (id: string, then = '') =>
  `<script src="${service.url}/widget.js" data-deployment="${id}"></script><script>${then}</script>`;

/** Opens the site. Its scripts have `tokenFor(user, seconds)`, as its server would make tokens. */
async function visitSite(id: string) {
  const window = await visit(browser, service.url, { isOwn: true });
  const page = await window.context.newPage();
  const made: string[] = [];
  await page.exposeFunction('tokenFor', async (user: string, ttlSeconds = 600) => {
    const token = await endUserToken(service, id, user, { ttlSeconds });
    made.push(token);
    return { token, expiresAt: Date.now() + ttlSeconds * 1_000 };
  });
  await page.goto(site.origin);
  return { window, page, made };
}

const launcher = (page: Page) => page.getByRole('button', { name: 'Chat with us', exact: true });
const inside = (page: Page) => page.frameLocator('iframe');
const identify = (page: Page, call: string) => page.evaluate(`Parley.identify(${call})`);

/** The users who own the conversations of a deployment. */
async function owners(deploymentId: string): Promise<(string | null)[]> {
  const rows = await service.service.services.stores.prisma.conversation.findMany({ where: { deploymentId } });
  return rows.map(({ endUser }) => endUser);
}

async function startedBy(id: string, user: string, text: string): Promise<void> {
  const key = await endUserToken(service, id, user);
  const body = { content: [{ type: 'text', text }] };
  expect((await service.send('POST', `/v1/runner/${id}/conversation`, { key, body })).status).toBe(200);
}

describe('a user whom the site identifies', () => {
  it.each(['chat', 'agent'] as const)('sees and makes only their own conversations on the %s page', async (kind) => {
    const id = await hosted({ kind });
    const key = { ada: await endUserToken(service, id, 'ada'), grace: await endUserToken(service, id, 'grace') };
    for (const [user, token] of Object.entries(key)) {
      const path = kind === 'chat' ? `/v1/runner/${id}/conversation` : `/v2/runner/${id}/conversation`;
      const body = { content: [{ type: 'text', text: `Secret of ${user}` }] };
      expect((await service.send('POST', path, { key: token, body })).status).toBe(200);
    }
    site.show(widget(id, `Parley.identify(() => tokenFor('ada'))`));
    const { window, page } = await visitSite(id);
    await launcher(page).click();
    await say(inside(page), 'Hello as ada');
    await reply(inside(page), 'You said: Hello as ada');
    await inside(page).getByRole('button', { name: 'Conversations' }).click();
    await inside(page)
      .getByRole('button', { name: /^Secret of ada / })
      .waitFor();
    expect(await inside(page).getByText('Secret of grace').count()).toBe(0);
    await expectAccessible(page);
    await screenshot(page, `widget-identified-${kind}`);
    expect((await owners(id)).sort()).toEqual(['ada', 'ada', 'grace']);
    expectQuiet(window);
    await window.close();
  });

  it('finds their conversation again on the next page, and stores nothing in the frame', async () => {
    const id = await hosted();
    site.show(widget(id, `Parley.identify(() => tokenFor('ada'))`));
    const { window, page } = await visitSite(id);
    await launcher(page).click();
    await say(inside(page), 'Remember me');
    await reply(inside(page), 'You said: Remember me');
    await expect.poll(() => page.evaluate(() => JSON.stringify(localStorage))).toContain('conversation');
    const frame = page.frames().find((one) => one.url().startsWith(service.url));
    const stored = await frame?.evaluate(() => JSON.stringify([{ ...localStorage }, { ...sessionStorage }]));
    expect(stored).toBe('[{},{}]');
    await page.reload();
    await reply(inside(page), 'You said: Remember me');
    expectQuiet(window);
    await window.close();
  });

  it('gets a new token before the old one expires, and after it was revoked', async () => {
    const id = await hosted();
    site.show(widget(id, `Parley.identify(() => tokenFor('brief', 4))`));
    const { window, page, made } = await visitSite(id);
    const refused: string[] = [];
    page.on('response', (response) => {
      if (response.status() === 401) refused.push(response.url());
    });
    await launcher(page).click();
    await say(inside(page), 'First');
    await reply(inside(page), 'You said: First');
    // The first token has expired, so the next request must have another one.
    const [first = ''] = made;
    await expect
      .poll(async () => (await service.send('GET', '/v1/runner/conversations', { key: first })).status)
      .toBe(401);
    await say(inside(page), 'Next');
    await reply(inside(page), 'You said: Next');
    expect(refused).toEqual([]);
    await identify(page, `() => tokenFor('brief')`);
    // It could be another user, so the page starts with a new conversation.
    await expect.poll(() => inside(page).getByText('You said: Next').count()).toBe(0);
    await say(inside(page), 'Again');
    await reply(inside(page), 'You said: Again');
    const before = made.length;
    await service.graphql(REVOKE_TOKENS, { input: { endUser: 'brief' } });
    await say(inside(page), 'Second');
    await reply(inside(page), 'You said: Second');
    expect(made.length).toBeGreaterThan(before);
    expect(refused).not.toEqual([]);
    expect(await owners(id)).toEqual(['brief', 'brief']);
    await window.close();
  });

  it('shows and stores nothing of the old user after identify(null), and the next user finds only their own', async () => {
    const id = await hosted();
    await startedBy(id, 'grace', 'Secret of grace');
    site.show(widget(id, `Parley.identify(() => tokenFor('ada'))`));
    const { window, page } = await visitSite(id);
    await launcher(page).click();
    await say(inside(page), 'Secret of ada');
    await reply(inside(page), 'You said: Secret of ada');
    await identify(page, 'null');
    await expect.poll(() => inside(page).getByText('Secret of ada').count()).toBe(0);
    expect(await page.evaluate(() => JSON.stringify(localStorage))).not.toContain('conversation');
    await identify(page, `() => tokenFor('grace')`);
    await composer(inside(page)).waitFor();
    await inside(page).getByRole('button', { name: 'Conversations' }).click();
    await inside(page)
      .getByRole('button', { name: /^Secret of grace / })
      .waitFor();
    expect(await inside(page).getByText('Secret of ada').count()).toBe(0);
    await window.close();
  });

  it('gets a request to sign in if the site has no token, and continues after the next attempt', async () => {
    const id = await hosted();
    site.show(widget(id, `let user = null; Parley.identify(() => user && tokenFor(user))`));
    const { window, page } = await visitSite(id);
    await launcher(page).click();
    await inside(page).getByText(NOT_IDENTIFIED).waitFor();
    await expectAccessible(page);
    await page.evaluate(`user = 'ada'`);
    await inside(page).getByRole('button', { name: 'Try again' }).click();
    await say(inside(page), 'Signed in');
    await reply(inside(page), 'You said: Signed in');
    await expect(identify(page, '{}')).rejects.toThrow('Parley.identify needs a token');
    await window.close();
  });
});

describe('a page that answers without being allowed to', () => {
  /** Answers every request of the frame, and also sends tokens that nobody has asked for. */
  const answering = (id: string) => `<iframe title="frame" src="${service.url}/chat/${id}?identified"></iframe><script>
    addEventListener('message', async ({ source, data }) => {
      if (data.type !== 'parley:token-request') return;
      window.asked = true;
      source.postMessage({ type: 'parley:token', id: data.id, ...(await tokenFor('attacker')) }, '*');
    });</script>`;

  it('identifies nobody if its host is not on the list, though it may show the page', async () => {
    const id = await hosted({ allowlist: [], authRequired: false });
    site.show(answering(id));
    const { window, page } = await visitSite(id);
    await inside(page).getByText(NOT_IDENTIFIED).waitFor();
    expect(await page.evaluate('window.asked')).toBe(true);
    expect(await owners(id)).toEqual([]);
    await window.close();
  });

  it('identifies a user if its host is on the list', async () => {
    const id = await hosted();
    site.show(answering(id));
    const { window, page } = await visitSite(id);
    await say(inside(page), 'Hello');
    await reply(inside(page), 'You said: Hello');
    expect(await owners(id)).toEqual(['attacker']);
    await window.close();
  });

  it('identifies nobody from a frame next to the hosted page', async () => {
    const id = await hosted();
    const hostile = await startSite();
    hostile.show(`<script>
      addEventListener('message', ({ data: token }) => {
        for (let id = 0; id < 20; id += 1) parent.frames[0].postMessage({ type: 'parley:token', id, token }, '*');
        parent.postMessage('sent', '*');
      });</script>`);
    site.show(`<iframe title="frame" src="${service.url}/chat/${id}?identified"></iframe>
      <iframe title="hostile" src="${hostile.origin}"></iframe><script>
      addEventListener('message', async ({ data }) => {
        if (data === 'sent') window.sent = true;
        else if (data.type === 'parley:token-request') frames[1].postMessage((await tokenFor('attacker')).token, '*');
      });</script>`);
    const { window, page } = await visitSite(id);
    await expect.poll(() => page.evaluate('window.sent')).toBe(true);
    await page.frameLocator('iframe').first().getByText(NOT_IDENTIFIED).waitFor();
    expect(await owners(id)).toEqual([]);
    await hostile.close();
    await window.close();
  });
});
