import type { Locator, Page } from 'playwright-core';

/** The note of a message that the assistant is writing. */
export const writing = (page: Page): Locator => page.getByText('Writing…', { exact: true });

/** Watches how often a page shows a text. */
export interface TextWatch {
  /** The different numbers since the text appeared for the first time: `[1]` without a flicker or a double. */
  counts(): Promise<number[]>;
}

/** Counts the elements of the conversation whose own text contains `text`, after each change of the page. */
export async function watchText(page: Page, text: string): Promise<TextWatch> {
  const counts = await page.evaluateHandle((wanted) => {
    const seen = new Set<number>();
    const count = () => {
      const walker = document.createTreeWalker(document.querySelector('main') ?? document.body, NodeFilter.SHOW_TEXT);
      let found = 0;
      while (walker.nextNode()) if (walker.currentNode.textContent?.includes(wanted)) found += 1;
      if (found > 0 || seen.size > 0) seen.add(found);
    };
    new MutationObserver(count).observe(document.body, { childList: true, characterData: true, subtree: true });
    count();
    return seen;
  }, text);
  return { counts: () => counts.evaluate((seen) => [...seen]) };
}
