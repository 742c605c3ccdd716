import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import { ROOT } from './database.ts';
import type { Visit } from './visit.ts';

const SCREENSHOTS = join(ROOT, 'test/browser/screenshots');

/** Expects no error or warning on the console, and no request to another host. */
export function expectQuiet({ consoleErrors, foreignRequests }: Visit): void {
  expect({ complaints: consoleErrors, abroad: foreignRequests }).toEqual({ complaints: [], abroad: [] });
}

/** Less than half of the full source, which each page compiles again. */
const AXE = readFileSync(fileURLToPath(import.meta.resolve('axe-core/axe.min.js')), 'utf8');

/** Leaves out what no test reads: the nodes of passed rules, and a unique selector of each node. */
const ONLY_VIOLATIONS = { resultTypes: ['violations'], selectors: false };

/** Expects no serious or critical finding of axe on the current page, in light and in dark. */
export async function expectAccessible(page: Page): Promise<void> {
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme });
    // The browser evaluates it directly, because the page's policy blocks script tags.
    if (!(await page.evaluate(() => 'axe' in globalThis))) await page.evaluate(AXE);
    // Dark mode differs only in colours.
    const rules = { ...ONLY_VIOLATIONS, ...(colorScheme === 'dark' && { runOnly: ['color-contrast'] }) };
    const findings = await page.evaluate(async (options) => {
      const { axe: pageAxe } = globalThis as unknown as {
        axe: { run(options: object): Promise<{ violations: Violation[] }> };
      };
      const { violations } = await pageAxe.run(options);
      return violations.map(({ id, impact, nodes }) => ({
        id,
        impact,
        at: nodes.map(({ html }) => html.slice(0, 200)),
      }));
    }, rules);
    const faults = findings.filter(({ impact }) => impact === 'serious' || impact === 'critical');
    expect({ colorScheme, faults }).toEqual({ colorScheme, faults: [] });
  }
}

interface Violation {
  readonly id: string;
  readonly impact: string | null;
  readonly nodes: readonly { readonly html: string }[];
}

const PICTURES = { off: [], light: ['light'], dark: ['light', 'dark'] } as const;

/** Colour schemes of the pictures: `SCREENSHOTS=light` or `SCREENSHOTS=dark`. Drawing them takes a third of the run. */
const SCHEMES = PICTURES[(process.env.SCREENSHOTS || 'off') as keyof typeof PICTURES];

/**
 * Checks that the page needs no horizontal scrolling at two widths. With `SCREENSHOTS`, writes `NAME-390.png` and
 * `NAME-1440.png` to `test/browser/screenshots`, for people to look at.
 */
export async function screenshot(page: Page, name: string): Promise<void> {
  mkdirSync(SCREENSHOTS, { recursive: true });
  const before = page.viewportSize();
  for (const width of [390, 1440]) {
    await page.setViewportSize({ width, height: width === 390 ? 844 : 900 });
    for (const colorScheme of SCHEMES) {
      await page.emulateMedia({ colorScheme });
      const suffix = colorScheme === 'dark' ? '-dark' : '';
      await page.screenshot({ path: join(SCREENSHOTS, `${name}-${width}${suffix}.png`) });
    }
    // Popups move a frame after the window has changed its size.
    await expect
      .poll(() => page.evaluate(() => document.documentElement.scrollWidth - innerWidth))
      .toBeLessThanOrEqual(0);
  }
  await page.emulateMedia({ colorScheme: 'light' });
  if (before) await page.setViewportSize(before);
}
