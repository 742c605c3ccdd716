import type { Locator, Page } from 'playwright-core';
import { expect } from 'vitest';
import type { TestService } from './service.ts';

/** The message field of a hosted page. */
export const composer = (page: Page | ReturnType<Page['frameLocator']>): Locator =>
  page.getByRole('textbox', { name: 'Message' });

/**
 * Writes a message and sends it, once no reply is running. For about 30 ms after a click on the launcher, Chromium on a busy
 * machine gives the focus back to the site, and input of the keyboard goes there. So the text is written until it is in the
 * field, and sent with the mouse. A field that has the focus in its page does not ask the browser for it again, so it gives
 * the focus up before.
 */
export async function say(page: Page | ReturnType<Page['frameLocator']>, text: string): Promise<void> {
  const field = composer(page);
  const write = async () => {
    await field.blur();
    await field.click();
    await field.fill(text);
    return field.inputValue();
  };
  await expect.poll(write).toBe(text);
  await page.locator('button[type=submit]:enabled').click();
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
