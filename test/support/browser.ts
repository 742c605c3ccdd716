import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import axe from 'axe-core';
import { type Browser, type BrowserContext, type BrowserContextOptions, chromium, type Page } from 'playwright-core';
import { expect } from 'vitest';
import { ROOT } from './database.ts';

const SWITCHES = [
  ...['--headless', '--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run'],
  ...['--disable-background-networking', '--disable-component-update', '--disable-sync'],
  // Intercepting requests would do as well, but it takes the cache away, and time with each of them.
  '--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1, EXCLUDE localhost',
];

const SCREENSHOTS = join(ROOT, 'test/browser/screenshots');

/** A browser without a trace of what was before. */
export function launchBrowser(): Promise<Browser> {
  return chromium.launch({ executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium', args: SWITCHES });
}

/** Somebody's browser window: cookies of its own, and note of what its pages did that nobody wants to see. */
export interface Visit {
  readonly context: BrowserContext;
  /** Complaints of the console, and errors that no script caught, of all its pages. */
  readonly complaints: string[];
  /** Requests to anywhere but the service, of all its pages. The browser knows no host but this machine. */
  readonly abroad: string[];
  /** Opens a page of the service. */
  open(path: string): Promise<Page>;
  close(): Promise<void>;
}

export async function visit(browser: Browser, origin: string, options: BrowserContextOptions = {}): Promise<Visit> {
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 }, ...options });
  context.setDefaultTimeout(60_000);
  const complaints: string[] = [];
  const abroad: string[] = [];
  context.on('console', (message) => {
    if (['error', 'warning'].includes(message.type())) complaints.push(message.text());
  });
  context.on('weberror', (error) => complaints.push(String(error.error())));
  context.on('request', (request) => {
    const url = request.url();
    // Where a window goes is what the test opens; no page may have frames, and links are followed by people.
    if (request.isNavigationRequest()) return;
    if (!url.startsWith(`${origin}/`) && !/^(data|blob):/.test(url)) abroad.push(url);
  });
  return {
    context,
    complaints,
    abroad,
    async open(path) {
      const page = await context.newPage();
      await page.goto(`${origin}${path}`);
      return page;
    },
    close: () => context.close(),
  };
}

/** No error or warning on the console, and no request to another host. */
export function expectQuiet({ complaints, abroad }: Visit): void {
  expect({ complaints, abroad }).toEqual({ complaints: [], abroad: [] });
}

/** What axe finds on the page as it is now, in light and in dark: nothing serious or critical. */
export async function expectAccessible(page: Page): Promise<void> {
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
    // Evaluated by the browser itself, which the page's policy lets no script tag do.
    if (!(await page.evaluate(() => 'axe' in globalThis))) await page.evaluate(axe.source);
    // Dark differs in its colours alone.
    const rules = colorScheme === 'dark' ? { runOnly: ['color-contrast'] } : {};
    const found = await page.evaluate(async (options) => {
      const { axe: here } = globalThis as unknown as {
        axe: { run(options: object): Promise<{ violations: Violation[] }> };
      };
      const { violations } = await here.run(options);
      return violations.map(({ id, impact, nodes }) => ({
        id,
        impact,
        at: nodes.map(({ html }) => html.slice(0, 200)),
      }));
    }, rules);
    const faults = found.filter(({ impact }) => impact === 'serious' || impact === 'critical');
    expect({ colorScheme, faults }).toEqual({ colorScheme, faults: [] });
  }
}

interface Violation {
  readonly id: string;
  readonly impact: string | null;
  readonly nodes: readonly { readonly html: string }[];
}

/** With `SCREENSHOTS=dark` in the environment each picture has a dark twin. */
const SCHEMES = process.env.SCREENSHOTS === 'dark' ? (['light', 'dark'] as const) : (['light'] as const);

/** Writes `NAME-390.png` and `NAME-1440.png` to `test/browser/screenshots`, for people to look at. */
export async function screenshot(page: Page, name: string): Promise<void> {
  mkdirSync(SCREENSHOTS, { recursive: true });
  const before = page.viewportSize();
  for (const width of [390, 1440]) {
    await page.setViewportSize({ width, height: width === 390 ? 844 : 900 });
    for (const colorScheme of SCHEMES) {
      await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
      const suffix = colorScheme === 'dark' ? '-dark' : '';
      await page.screenshot({ path: join(SCREENSHOTS, `${name}-${width}${suffix}.png`) });
    }
    // Nothing has to be scrolled sideways to be read.
    expect(await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)).toBeLessThanOrEqual(0);
  }
  await page.emulateMedia({ colorScheme: 'light' });
  if (before) await page.setViewportSize(before);
}
