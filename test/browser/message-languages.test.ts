import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { expectAccessible, expectQuiet, screenshot } from '../support/browser.ts';
import { composer, say } from '../support/chat-page.ts';
import { DEMO_CHAT_ID, startService, type TestService } from '../support/service.ts';
import { launchBrowser, type Visit, visit } from '../support/visit.ts';

let service: TestService;
let browser: Browser;
beforeAll(async () => {
  [service, browser] = await Promise.all([startService(), launchBrowser()]);
});
afterAll(async () => {
  await service?.close();
});

const log = (page: Page) => page.getByRole('log');

/** The reply begins with "You said:". */
const repeated = (text: string) => `Repeat:\n\n${text}`;

/** Opens the chat, and lets the model repeat this text in its own paragraphs. */
async function replied(text: string): Promise<{ window: Visit; page: Page }> {
  const window = await visit(browser, service.url);
  const page = await window.open(`/chat/${DEMO_CHAT_ID}`);
  await say(page, repeated(text));
  return { window, page };
}

const directionOf = (page: Page, text: string) =>
  log(page)
    .getByText(text)
    .last()
    .evaluate((element) => getComputedStyle(element).direction);

describe('a reply', () => {
  it('in Chinese has emphasis next to punctuation, and its addresses end before it', async () => {
    const text = '**注意：**正文。看 https://example.com/b，然后**继续。**大约3~5天，价格100~200元。~~旧。~~新';
    const { window, page } = await replied(text);
    await log(page).locator('strong', { hasText: '注意：' }).waitFor();
    expect(await log(page).locator('strong').allTextContents()).toEqual(['注意：', '继续。']);
    const link = log(page).getByRole('link', { name: 'https://example.com/b', exact: true });
    expect(await link.getAttribute('href')).toBe('https://example.com/b');
    expect(await log(page).locator('del').allTextContents()).toEqual(['旧。']);
    await screenshot(page, 'reply-chinese');
    expectQuiet(window);
    await window.close();
  });

  it('in Arabic goes from right to left, and its code stays in one piece', async () => {
    const { window, page } = await replied(
      'أدخل الرقم `1Z999AA10123456784` ثم اضغط\n\n- واحد\n- اثنان\n\nAnd a paragraph',
    );
    const code = log(page).locator('code', { hasText: '1Z999AA10123456784' });
    await code.waitFor();
    expect(await directionOf(page, 'ثم اضغط')).toBe('rtl');
    expect(await directionOf(page, 'اثنان')).toBe('rtl');
    expect(await directionOf(page, 'And a paragraph')).toBe('ltr');
    // Each letter is drawn to the right of the one before.
    const lefts = await code.evaluate((element) => {
      const text = element.firstChild as Text;
      return Array.from({ length: text.length }, (_, at) => {
        const range = document.createRange();
        range.setStart(text, at);
        range.setEnd(text, at + 1);
        return range.getBoundingClientRect().left;
      });
    });
    expect(lefts).toEqual(lefts.toSorted((one, other) => one - other));
    // Markers of a list are inside the message.
    const padding = await log(page)
      .locator('ul')
      .first()
      .evaluate((list) => getComputedStyle(list).paddingRight);
    expect(Number.parseFloat(padding)).toBeGreaterThan(0);
    await screenshot(page, 'reply-arabic');
    await expectAccessible(page);
    expectQuiet(window);
    await window.close();
  });

  it('draws formulas with a script that only they load, within the policy of the page', async () => {
    const { window, page } = await replied('Costs $5 and $6, US$7, $8-$9 and 价格$5到$6元.');
    await log(page).getByText('Costs $5 and $6, US$7, $8-$9 and 价格$5到$6元.').last().waitFor();
    const scripts = () =>
      page.evaluate(
        () => performance.getEntriesByType('resource').filter(({ name }) => /\/formula-/.test(name)).length,
      );
    expect(await scripts()).toBe(0);
    const formulas = [
      'Euler: $e^{i\\pi} + 1 = 0$ and $\\color{red}{x}\\ \\boxed{y}\\ \\cancel{z}$',
      '$$\n\\int_0^\\infty \\frac{x^2}{\\sqrt{2}} \\, dx = \\begin{pmatrix} a & b \\\\ c & d \\end{pmatrix}\n$$',
      'Brackets: \\(a_1\\), but \\(see there\\), \\\\(not this\\\\) and `\\(x\\)`',
      '- In a list:\n  \\[\n  \\frac{a}{b}\n  + c \\\\\n  \\]',
      'Wrong: $\\frac{1}$ and $\\href{https://example.com}{x}$',
    ];
    await say(page, repeated(formulas.join('\n\n')));
    await expect.poll(() => log(page).locator('math').count()).toBeGreaterThanOrEqual(5);
    expect(await scripts()).toBe(1);
    expect(await log(page).locator('math[display=block] mfrac').count()).toBe(2);
    await log(page).locator('li math[display=block]', { hasText: '+' }).waitFor();
    const brackets = log(page).locator('p', { hasText: 'Brackets:' }).last();
    expect(await brackets.locator('math').count()).toBe(1);
    for (const text of ['but (see there)', '\\(not this\\)', '\\(x\\)']) await brackets.getByText(text).waitFor();
    expect(await log(page).locator('math a, math [href]').count()).toBe(0);
    await log(page).getByText('\\frac{1}', { exact: true }).last().waitFor();
    await screenshot(page, 'reply-formulas');
    await expectAccessible(page);
    expectQuiet(window);
    await window.close();
  });
});

describe('the message field and the messages of a user', () => {
  it('have the direction of their text', async () => {
    const window = await visit(browser, service.url);
    const page = await window.open(`/chat/${DEMO_CHAT_ID}`);
    const direction = () => composer(page).evaluate((field) => getComputedStyle(field).direction);
    await composer(page).fill('שלום עולם');
    expect(await direction()).toBe('rtl');
    await composer(page).press('Enter');
    await log(page).getByText('שלום עולם', { exact: true }).waitFor();
    expect(await directionOf(page, 'You said:')).toBe('ltr');
    const sent = log(page).getByText('שלום עולם', { exact: true });
    expect(await sent.evaluate((element) => getComputedStyle(element).direction)).toBe('rtl');
    await composer(page).fill('Hello');
    expect(await direction()).toBe('ltr');
    expectQuiet(window);
    await window.close();
  });
});
