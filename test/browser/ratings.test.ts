import type { Browser, FrameLocator, Page } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { liftLimits } from '../support/agent-page.ts';
import { expectAccessible, expectQuiet, screenshot } from '../support/browser.ts';
import { cidOf, reply, say } from '../support/chat-page.ts';
import { addFilter, choose } from '../support/choose.ts';
import { signedIn } from '../support/dashboard.ts';
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

const ids = { chat: '', agent: '' };
beforeEach(async () => {
  for (const kind of ['chat', 'agent'] as const) {
    const { id } = await makeDeployment(
      service,
      {},
      { kind, name: 'Shop help', hostedPage: true, authRequired: false },
    );
    ids[kind] = id;
  }
  await liftLimits(service);
});

type Place = Page | FrameLocator;

const group = (place: Place) => place.getByRole('group', { name: 'Rate this reply' }).last();
const thumb = (place: Place, name: string) => group(place).getByRole('button', { name, exact: true });
const isPressed = (place: Place, name: string) => thumb(place, name).getAttribute('aria-pressed');

/** The stored rating of the latest message. */
async function stored(conversationId: string | null) {
  const { body } = await service.send('GET', `/v1/runner/conversation/${conversationId}/messages`);
  const rating = body.items.at(-1).rating;
  return rating ? [rating.value, rating.comment] : null;
}

describe.each(['chat', 'agent'] as const)('the rating of a reply on the %s page', (kind) => {
  it('is set with a comment, survives a reload, and can be changed and removed', async () => {
    const window = await visit(browser, service.url);
    const page = await window.open(`/${kind}/${ids[kind]}`);
    await say(page, 'Hello');
    await reply(page, 'You said: Hello');
    await expect.poll(() => cidOf(page)).toBeTruthy();
    expect(await isPressed(page, 'Helpful')).toBe('false');
    await thumb(page, 'Not helpful').click();
    await group(page).getByText('Thank you for your feedback.').waitFor();
    expect([await isPressed(page, 'Helpful'), await isPressed(page, 'Not helpful')]).toEqual(['false', 'true']);
    await group(page).getByLabel('What was wrong? (optional)').fill('The price is wrong.');
    await expectAccessible(page);
    await screenshot(page, `${kind}-rating`);
    await group(page).getByRole('button', { name: 'Send comment' }).click();
    // The text field has the same text until the comment is stored.
    await group(page).getByRole('paragraph').getByText('The price is wrong.').waitFor();
    expect(await stored(cidOf(page))).toEqual(['down', 'The price is wrong.']);
    await page.reload();
    await group(page).getByText('The price is wrong.').waitFor();
    expect(await isPressed(page, 'Not helpful')).toBe('true');
    await thumb(page, 'Helpful').click();
    await group(page).getByRole('button', { name: 'Close' }).click();
    expect(await stored(cidOf(page))).toEqual(['up', null]);
    await thumb(page, 'Helpful').click();
    await expect.poll(() => stored(cidOf(page))).toBeNull();
    expect(await isPressed(page, 'Helpful')).toBe('false');
    expectQuiet(window);
    await window.close();
  });

  it('is always visible for the newest reply, and on touch screens', async () => {
    const window = await visit(browser, service.url);
    const page = await window.open(`/${kind}/${ids[kind]}`);
    await say(page, 'Hello');
    await reply(page, 'You said: Hello');
    await page.mouse.move(0, 0);
    const opacity = (place: Page) =>
      thumb(place, 'Helpful').evaluate((button) => getComputedStyle(button.parentElement as Element).opacity);
    await expect.poll(() => opacity(page)).toBe('1');
    const phone = await visit(browser, service.url, { hasTouch: true, isMobile: true });
    const touched = await phone.open(`/${kind}/${ids[kind]}?cid=${cidOf(page)}`);
    await reply(touched, 'You said: Hello');
    expect(await opacity(touched)).toBe('1');
    await phone.close();
    await window.close();
  });

  it('says that it could not be saved, and keeps the earlier rating', async () => {
    const window = await visit(browser, service.url, { isOwn: true });
    const page = await window.open(`/${kind}/${ids[kind]}`);
    await say(page, 'Hello');
    await reply(page, 'You said: Hello');
    await page.route('**/rating', (route) => route.fulfill({ status: 403, json: { error: { code: 'forbidden' } } }));
    await thumb(page, 'Helpful').click();
    await group(page).getByRole('alert').getByText('Your feedback could not be saved. Try again.').waitFor();
    expect(await isPressed(page, 'Helpful')).toBe('false');
    await page.unroute('**/rating');
    await thumb(page, 'Helpful').click();
    await group(page).getByText('Thank you for your feedback.').waitFor();
    expect(await stored(cidOf(page))).toEqual(['up', null]);
    await window.close();
  });
});

describe('the rating of a reply in the widget', () => {
  it('works in the frame on a site of another origin', async () => {
    site.show(`<script src="${service.url}/widget.js" data-deployment="${ids.chat}"></script>`);
    const window = await visit(browser, service.url, { isOwn: true });
    const page = await window.context.newPage();
    await page.goto(site.origin);
    await page.getByRole('button', { name: 'Chat with us', exact: true }).click();
    const frame = page.frameLocator('iframe');
    await say(frame, 'Hello from the site');
    await reply(frame, 'You said: Hello from the site');
    await thumb(frame, 'Helpful').click();
    await group(frame).getByText('Thank you for your feedback.').waitFor();
    expect(await isPressed(frame, 'Helpful')).toBe('true');
    await window.close();
  });
});

describe('ratings in the dashboard', () => {
  /** A conversation with a reply, and its rating. */
  async function rated(rating: 'up' | 'down', comment?: string): Promise<string> {
    const content = [{ type: 'text', text: `Rated ${rating}` }];
    const { body } = await service.send('POST', `/v1/runner/${ids.chat}/conversation`, { body: { content } });
    const path = `/v1/runner/conversation/${body.conversation_id}/messages`;
    const { items } = (await service.send('GET', path)).body;
    await service.send('PUT', `${path}/${items[1].id}/rating`, { body: { rating, comment } });
    return body.conversation_id;
  }

  it('filter the list, mark its rows, and appear in the timeline live', async () => {
    const id = await rated('down', 'Too long');
    await rated('up');
    const window = await signedIn(browser, service, `/dashboard/conversations?deployment=${ids.chat}`);
    const { page } = window;
    const rows = page.getByRole('table', { name: 'Conversations' }).locator('tbody tr');
    await expect.poll(() => rows.count()).toBe(2);
    await choose(await addFilter(page, 'Rating'), 'Not helpful');
    await expect.poll(() => rows.count()).toBe(1);
    expect(await rows.first().textContent()).toContain('1 not helpful');
    await expectAccessible(page);
    await screenshot(page, 'dashboard-conversations-rated');
    await page.getByRole('link', { name: 'Rated down' }).click();
    await page.getByText('Not helpful: Too long').waitFor();
    await expectAccessible(page);
    const path = `/v1/runner/conversation/${id}/messages`;
    const { items } = (await service.send('GET', path)).body;
    await service.send('PUT', `${path}/${items[1].id}/rating`, { body: { rating: 'up', comment: 'Better now' } });
    await page.getByText('Helpful: Better now').waitFor();
    // Members only read ratings.
    expect(await page.getByRole('group', { name: 'Rate this reply' }).count()).toBe(0);
    expectQuiet(window);
    await window.close();
  });

  it('are compared by version on the page of the deployment', async () => {
    await rated('up');
    await rated('up');
    const other = await rated('down');
    await service.service.services.stores.prisma.run.updateMany({
      where: { conversationId: other },
      data: { workflowVersion: 2 },
    });
    const window = await signedIn(browser, service, `/dashboard/deployments/${ids.chat}?tab=feedback`);
    const { page } = window;
    const table = page.getByRole('table', { name: /^Ratings by version/ });
    await table.waitFor();
    const cells = await table.locator('tbody tr').allInnerTexts();
    expect(cells.map((text) => text.replaceAll(/\s+/g, ' '))).toEqual([
      expect.stringMatching(/Version 2 .*0 \(0 ?%\).*1/),
      expect.stringMatching(/Version 1 .*2 \(100 ?%\).*0/),
    ]);
    await page.getByRole('heading', { name: 'Ratings' }).waitFor();
    await expectAccessible(page);
    await screenshot(page, 'dashboard-deployment-ratings');
    await page.getByRole('link', { name: 'Conversations with replies that did not help' }).click();
    await page.waitForURL(/rating=down/);
    await page.getByRole('link', { name: 'Rated down' }).waitFor();
    expectQuiet(window);
    await window.close();
  });
});
