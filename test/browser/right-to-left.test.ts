import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { connect, publishScripted } from '../support/actions.ts';
import { AGENT_PAGE } from '../support/agent-page.ts';
import { expectAccessible, expectQuiet, screenshot } from '../support/browser.ts';
import { DEMO_CHAT_ID, startService, type TestService } from '../support/service.ts';
import { type Site, startSite } from '../support/site.ts';
import { makeDeployment } from '../support/tenants.ts';
import { launchBrowser, visit } from '../support/visit.ts';
import { workflowsOf } from '../support/workflows.ts';

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

const chat = `/chat/${DEMO_CHAT_ID}`;

async function send(page: Page, text: string): Promise<void> {
  await page.getByRole('textbox', { name: 'الرسالة', exact: true }).fill(text);
  await page.getByRole('button', { name: 'إرسال', exact: true }).first().click();
}

/** The middle of an element, as a share of the width of the window. */
async function middleOf(page: Page, selector: string): Promise<number> {
  const box = await page.locator(selector).first().boundingBox();
  if (!box) throw new Error(`${selector} is not visible.`);
  return (box.x + box.width / 2) / (page.viewportSize()?.width ?? 1);
}

describe('hosted pages in Arabic', () => {
  it.each([
    ['a chat', chat, 'ar-EG,ar;q=0.9', '<html lang="ar-EG" dir="rtl">'],
    ['a chat whose link asks for it', `${chat}?lang=ar`, 'en', '<html lang="ar" dir="rtl">'],
    ['a missing page', '/chat/00000000-0000-4000-8000-0000000000ff', 'ar', '<html lang="ar" dir="rtl">'],
    ['a chat in another language', chat, 'de-CH', '<html lang="de-CH" dir="ltr">'],
    ['a chat with a broken language tag', chat, 'ar-"><b>', '<html lang="'],
  ])('have the direction in the HTML of the service: %s', async (_name, path, language, start) => {
    const headers = { 'accept-language': language, accept: 'text/html' };
    const html = await (await fetch(`${service.url}${path}`, { headers })).text();
    expect(html).toContain(start);
    expect(html).not.toContain('<b>');
  });

  it('are laid out from right to left: chat', async () => {
    const window = await visit(browser, service.url, { locale: 'ar-EG' });
    const page = await window.open(chat);
    await page.getByText('اكتب الرسالة الأولى إلى Demo chat.').waitFor();
    expect(await page.evaluate(() => getComputedStyle(document.body).direction)).toBe('rtl');
    await send(page, 'مرحبا! كيف حالك؟');
    await page.getByText('You said: مرحبا').waitFor();
    await send(page, 'Hello, 3 items please.');
    await page.getByText('You said: Hello').waitFor();
    // The list begins on the right. Messages of the user are on the left.
    expect(await middleOf(page, 'nav')).toBeGreaterThan(0.7);
    expect(await middleOf(page, '.own-message')).toBeLessThan(0.5);
    await expectAccessible(page);
    await screenshot(page, 'chat-arabic');
    await send(page, '/fail');
    await page.getByText('تعذّر على المساعد الرد.').waitFor();
    await screenshot(page, 'chat-arabic-failed');
    await page.setViewportSize({ width: 390, height: 844 });
    await page.getByRole('button', { name: 'المحادثات' }).click();
    await page.getByRole('dialog').waitFor();
    await screenshot(page, 'chat-arabic-list');
    expectQuiet(window);
    await window.close();
  });

  it('are laid out from right to left: agent', async () => {
    const window = await visit(browser, service.url, { locale: 'ar' });
    const page = await window.open(AGENT_PAGE);
    await page.getByRole('heading', { name: 'كيف يمكنني مساعدتك؟' }).waitFor();
    await send(page, '/ask\n/say شكرًا');
    await page.getByText('أجب عن 3 أسئلة للمتابعة.').waitFor();
    await expectAccessible(page);
    await screenshot(page, 'agent-arabic-questions');
    await page.getByRole('button', { name: 'عدم الإجابة' }).click();
    await page.getByText('أفضّل عدم الإجابة عن ذلك.').first().waitFor();
    await screenshot(page, 'agent-arabic');
    expectQuiet(window);
    await window.close();
  });
});

describe('an approval in Arabic', () => {
  it('shows the arguments from left to right', async () => {
    await connect(service, { kind: 'http', name: 'Bank', url: service.url });
    const approval = { mode: 'ALWAYS', approver: 'EITHER', allowAnonymous: true };
    const charge = { integration: 'Bank', method: 'POST', url: '/charges', description: 'Charges the card.' };
    const httpActions = [{ ...charge, name: 'charge', inputSchema: { type: 'object' }, approval }];
    const { deploymentId: id } = await publishScripted(service, workflowsOf(service), { httpActions });
    await service.service.services.stores.prisma.deployment.update({
      where: { id },
      data: { hostedPage: true, authRequired: false },
    });
    const window = await visit(browser, service.url, { locale: 'ar' });
    const page = await window.open(`/agent/${id}`);
    await send(page, '/call charge {"amount":1}');
    const form = page.getByRole('region', { name: 'هل توافق على «charge»؟' });
    await form.getByRole('button', { name: 'موافقة', exact: true }).waitFor();
    expect(await form.locator('pre').evaluate((element) => getComputedStyle(element).direction)).toBe('ltr');
    await expectAccessible(page);
    await screenshot(page, 'agent-arabic-approval');
    expectQuiet(window);
    await window.close();
  });
});

describe('the widget in Arabic', () => {
  it.each([
    ['RIGHT', 'left', 0, 0.5],
    ['LEFT', 'right', 0.5, 1],
  ] as const)('mirrors the position %s to the %s', async (launcherPosition, _side, least, most) => {
    const { id } = await makeDeployment(service, {}, { hostedPage: true, name: 'Shop', authRequired: false });
    const { body } = await service.graphql(
      'mutation ($id: ID!, $branding: DeploymentBrandingInput!) { updateDeployment(input: { deploymentId: $id, branding: $branding }) { __typename } }',
      { id, branding: { launcherPosition, language: 'AR' } },
    );
    expect(body.data.updateDeployment.__typename).toBe('UpdateDeploymentPayload');
    site.show(`<script src="${service.url}/widget.js" data-deployment="${id}"></script>`);
    const window = await visit(browser, service.url, { isOwn: true });
    const page = await window.context.newPage();
    await page.goto(site.origin);
    await page.getByRole('button', { name: 'تحدَّث معنا' }).click();
    await page.frameLocator('iframe').getByText('اكتب الرسالة الأولى إلى Shop.').waitFor();
    for (const part of ['.launcher', '.panel']) {
      const middle = await middleOf(page, part);
      expect(middle).toBeGreaterThan(least);
      expect(middle).toBeLessThan(most);
    }
    await expectAccessible(page);
    await screenshot(page, `widget-arabic-${launcherPosition.toLowerCase()}`);
    expectQuiet(window);
    await window.close();
  });
});
