import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { LANGUAGES } from '../../src/contract/branding/languages.ts';
import { AGENT_PAGE } from '../support/agent-page.ts';
import { expectAccessible, expectQuiet, screenshot } from '../support/browser.ts';
import { DEMO_CHAT_ID, startService, type TestService } from '../support/service.ts';
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

/** The path of a script with the texts of a language. */
const CATALOGUE = new RegExp(`/(${LANGUAGES.join('|')})-`);

const chat = `/chat/${DEMO_CHAT_ID}`;

describe('the language of the hosted pages', () => {
  it('is German in a German browser: chat', async () => {
    const window = await visit(browser, service.url, { locale: 'de-CH' });
    const page = await window.open(chat);
    const scripts = new Set<string>();
    page.on('response', (response) => void scripts.add(new URL(response.url()).pathname));
    await page.reload();
    await page.getByText('Schreiben Sie die erste Nachricht an Demo chat.').waitFor();
    expect(await page.evaluate(() => document.documentElement.lang)).toBe('de-CH');
    expect([...scripts].filter((path) => CATALOGUE.test(path))).toEqual([expect.stringMatching(/\/de-/)]);
    await expectAccessible(page);
    await screenshot(page, 'chat-german');
    const field = page.getByRole('textbox', { name: 'Nachricht' });
    await page.locator('input[type=file]').setInputFiles({
      name: 'Grüße.txt',
      mimeType: 'text/plain',
      buffer: Buffer.alloc(1_500_000, 'x'),
    });
    await page.getByRole('list', { name: 'Angehängte Dateien' }).getByText('1.4 MB').waitFor();
    await field.fill('Hallo');
    await page.getByRole('button', { name: 'Senden' }).click();
    await page.getByRole('log', { name: 'Nachrichten' }).getByText('You said: Hallo').waitFor();
    await page.getByRole('link', { name: 'Grüße.txt' }).waitFor();
    await page.getByRole('log').getByText('gerade eben').first().waitFor();
    await page.getByRole('button', { name: 'Kopieren' }).first().waitFor();
    await page
      .getByRole('navigation', { name: 'Unterhaltungen' })
      .getByRole('button', { name: 'Hallo' })
      .first()
      .waitFor();
    await field.fill('/fail');
    await field.press('Enter');
    await page.getByText('Der Assistent konnte nicht antworten.').waitFor();
    await page.getByRole('button', { name: 'Fortfahren' }).waitFor();
    await expectAccessible(page);
    await screenshot(page, 'chat-german-failed');
    expectQuiet(window);
    await window.close();
  });

  it('is German in a German browser: agent', async () => {
    const window = await visit(browser, service.url, { locale: 'de-DE' });
    const page = await window.open(AGENT_PAGE);
    await page.getByRole('heading', { name: 'Wie kann ich helfen?' }).waitFor();
    await page.getByRole('textbox', { name: 'Nachricht' }).fill('/ask\n/upload\n/complete\n/say Danke');
    await page.getByRole('button', { name: 'Senden', exact: true }).click();
    const questions = page.getByRole('region', { name: 'Der Assistent hat Fragen' });
    await questions.getByText('Beantworten Sie 3 Fragen, um fortzufahren.').waitFor();
    await questions.getByRole('button', { name: 'Senden' }).click();
    await questions.getByRole('alert').getByText('Beantworten Sie „What is your name?“.').waitFor();
    await page.getByRole('button', { name: 'Nicht antworten' }).waitFor();
    await expectAccessible(page);
    await screenshot(page, 'agent-german');
    await questions.getByLabel('What is your name?').fill('Ann');
    await questions.getByRole('radio', { name: 'phone' }).check();
    await questions.getByRole('button', { name: 'Senden' }).click();
    await page.getByText(/bis zu 10,0 MB/).waitFor();
    const buffer = Buffer.from('Dear all');
    await page
      .locator('form input[type=file]')
      .first()
      .setInputFiles({ name: 'a.txt', mimeType: 'text/plain', buffer });
    await page.getByRole('list', { name: 'Gewählte Dateien' }).waitFor();
    await page.locator('section').getByRole('button', { name: 'Senden', exact: true }).click();
    await page.getByText('Der Assistent hat die Unterhaltung abgeschlossen.').waitFor();
    await page.getByText('Diese Unterhaltung ist beendet. Sie können sie weiterhin lesen.').waitFor();
    for (const call of await page.locator('li details').all()) await call.locator('summary').click();
    await page.getByText('Nichts gewählt').waitFor();
    await expectAccessible(page);
    await screenshot(page, 'agent-german-ended');
    expect(await page.locator('main').innerText()).not.toMatch(
      /Answered|Done|Copy|just now|User|Questions|Helpful|has ended|completed the/,
    );
    expectQuiet(window);
    await window.close();
  });

  it.each([
    ['ES', 'es', 'Escribe el primer mensaje a Shop.'],
    ['FR', 'fr', 'Écrivez le premier message à Shop.'],
    ['AR', 'ar', 'اكتب الرسالة الأولى إلى Shop.'],
    ['JA', 'ja', 'Shopに最初のメッセージを送りましょう。'],
    ['PT', 'pt', 'Escreva a primeira mensagem para Shop.'],
    ['ZH', 'zh', '给Shop发送第一条消息吧。'],
    ['EN', 'en-GB', 'Write the first message to Shop.'],
  ] as const)('is %s if the deployment says so', async (language, lang, greeting) => {
    const { id } = await makeDeployment(service, {}, { hostedPage: true, name: 'Shop' });
    const { body } = await service.graphql(
      'mutation ($id: ID!, $language: BrandingLanguage!) { updateDeployment(input: { deploymentId: $id, branding: { language: $language } }) { __typename } }',
      { id, language },
    );
    expect(body.data.updateDeployment.__typename).toBe('UpdateDeploymentPayload');
    const window = await visit(browser, service.url, { locale: 'en-GB' });
    const page = await window.open(`/chat/${id}`);
    await page.getByText(greeting).waitFor();
    expect(await page.evaluate(() => document.documentElement.lang)).toBe(lang);
    await expectAccessible(page);
    expectQuiet(window);
    await window.close();
  });
});
