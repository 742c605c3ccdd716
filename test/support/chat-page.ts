import type { Locator, Page } from 'playwright-core';
import { expect } from 'vitest';
import type { TestService } from './service.ts';

/** The message field of a hosted page. */
export const composer = (page: Page | ReturnType<Page['frameLocator']>): Locator =>
  page.getByRole('textbox', { name: 'Message' });

/**
 * Writes a message and sends it with Enter, once no reply is running: until then Enter keeps the text. The click gives the focus to the widget's frame: on a busy machine Chromium may
 * give it back to the page after the click on the launcher.
 */
export async function say(page: Page | ReturnType<Page['frameLocator']>, text: string): Promise<void> {
  await composer(page).click();
  await composer(page).fill(text);
  await page.locator('button[type=submit]:enabled').waitFor();
  await composer(page).press('Enter');
}

/** Waits for a complete reply. */
export async function reply(page: Page | ReturnType<Page['frameLocator']>, text: string | RegExp): Promise<void> {
  await page.getByRole('log').getByText(text).waitFor();
}

/** The first text of each stored message. */
export async function storedTexts(
  service: TestService,
  conversationId: string | null,
): Promise<(string | undefined)[]> {
  const { status, body } = await service.send(
    'GET',
    `/v1/runner/conversation/${conversationId}/messages?page_size=100`,
  );
  expect(status).toBe(200);
  return body.items.map(({ content }: { content: { text?: string }[] }) => content[0]?.text);
}

/** The conversation ID in the address. */
export const cidOf = (page: Page): string | null => new URL(page.url()).searchParams.get('cid');

/** The page no longer learns what other clients do: the requests of its feed stay open. */
export const blockFeed = (page: Page) => page.route('**/graphql', () => {});
