import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { expectAccessible, expectQuiet } from '../support/browser.ts';
import { signedIn } from '../support/dashboard.ts';
import { PNG } from '../support/pictures.ts';
import { imagePart, type ResultTalks, startResultTalks } from '../support/result-talks.ts';
import { launchBrowser } from '../support/visit.ts';

let talks: ResultTalks;
let browser: Browser;
beforeAll(async () => {
  [talks, browser] = await Promise.all([startResultTalks(), launchBrowser()]);
});
afterAll(() => talks.close());

it('shows the picture of a tool result in the trace of its turn', async () => {
  const { id } = await talks.talk({ parts: [imagePart(PNG)] });
  const { service } = talks.provided;
  const where = { conversationId: id as string };
  const run = await service.service.services.stores.prisma.run.findFirstOrThrow({ where });
  const window = await signedIn(browser, service, `/dashboard/conversations/${id}/runs/${run.id}`);
  const { page } = window;
  await page.getByRole('list', { name: 'Steps and calls' }).getByText('Call: web_shot').click();
  await page.getByText('image-1.png', { exact: true }).waitFor();
  const picture = page.getByRole('figure').getByRole('img');
  await expect.poll(() => picture.evaluate((image) => (image as HTMLImageElement).naturalWidth)).toBe(1);
  await expectAccessible(page);
  expectQuiet(window);
  await window.close();
});
