import {
  type Browser,
  type BrowserContext,
  type BrowserContextOptions,
  type ConsoleMessage,
  chromium,
  type Page,
  type Request,
  type WebError,
} from 'playwright-core';

const SWITCHES = [
  ...['--headless', '--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--process-per-site'],
  ...['--disable-background-networking', '--disable-component-update', '--disable-sync'],
  // A page lives for seconds: to optimize its code takes more CPU time than the optimized code saves.
  '--js-flags=--no-opt --no-maglev',
  // Intercepting requests would work too, but it disables the cache and slows each request.
  '--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1, EXCLUDE localhost',
];

/** Chromium without its own windows: it takes a quarter less CPU time than all of Chromium. */
export const CHROMIUM = process.env.CHROMIUM ?? '/usr/bin/chromium-headless-shell';

let browser: Promise<Browser> | undefined;

/** The browser of this worker, without a profile. The files of a worker share it. It ends with the worker. */
export function launchBrowser(): Promise<Browser> {
  browser ??= chromium.launch({ executablePath: CHROMIUM, args: SWITCHES });
  return browser;
}

/** A browser window with its own cookies. It records what its pages must not do. */
export interface Visit {
  readonly context: BrowserContext;
  /** Console errors and warnings, and uncaught errors, of all its pages. */
  readonly consoleErrors: string[];
  /** Requests from any page to a host other than the service. The browser can resolve only this machine. */
  readonly foreignRequests: string[];
  /** Opens a page of the service. */
  open(path: string): Promise<Page>;
  close(): Promise<void>;
}

export interface VisitOptions extends BrowserContextOptions {
  /** Set by tests that change their window in a way that cannot be undone, like a script for every page. */
  readonly isOwn?: boolean;
}

/** Pages do not animate: each frame of an animation takes CPU time, and no test looks at one. */
const DEFAULTS = { viewport: { width: 1440, height: 900 }, reducedMotion: 'reduce' } as const;

export async function visit(browser: Browser, origin: string, options: VisitOptions = {}): Promise<Visit> {
  const window = await takeWindow(browser, options);
  const { context } = window;
  const consoleErrors: string[] = [];
  const foreignRequests: string[] = [];
  const onConsole = (message: ConsoleMessage) => {
    if (['error', 'warning'].includes(message.type())) consoleErrors.push(message.text());
  };
  const onError = (error: WebError) => void consoleErrors.push(String(error.error()));
  const onRequest = (request: Request) => {
    const url = request.url();
    // The test opens the top-level pages. Pages may not have frames, and only people follow links.
    if (request.isNavigationRequest()) return;
    if (!url.startsWith(`${origin}/`) && !/^(data|blob):/.test(url)) foreignRequests.push(url);
  };
  context.on('console', onConsole).on('weberror', onError).on('request', onRequest);
  let first = window.page;
  return {
    context,
    consoleErrors,
    foreignRequests,
    async open(path) {
      const page = first ?? (await context.newPage());
      first = undefined;
      await page.goto(`${origin}${path}`);
      return page;
    },
    async close() {
      context.off('console', onConsole).off('weberror', onError).off('request', onRequest);
      if (!isReusable(options) || !(await isEmptied(context, origin))) return context.close();
      idleOf(browser).push({ ...window, page: context.pages()[0] });
    },
  };
}

type Size = BrowserContextOptions['viewport'];

/** A context, with its first page if it is open. */
interface Window {
  readonly context: BrowserContext;
  /** The size of every new page. It belongs to the context and never changes. */
  readonly size: Size;
  readonly page?: Page | undefined;
}

/** Idle windows. A new context takes 1 s of CPU time for its first page, and a used one takes 0.15 s. */
const IDLE = new WeakMap<Browser, Window[]>();

function idleOf(browser: Browser): Window[] {
  const windows = IDLE.get(browser) ?? [];
  IDLE.set(browser, windows);
  return windows;
}

/** Takes an idle window out of the list. Its new pages have this size. */
function takeIdle(browser: Browser, size: Size): Window | undefined {
  const windows = idleOf(browser);
  const index = windows.findLastIndex((one) => one.size?.width === size?.width && one.size?.height === size?.height);
  return index === -1 ? undefined : windows.splice(index, 1)[0];
}

/** Options that a used context can take on, or has. */
const CHANGEABLE = new Set(['viewport', 'permissions', 'extraHTTPHeaders', 'storageState']);

const isReusable = (options: VisitOptions) => Object.keys(options).every((name) => CHANGEABLE.has(name));

async function takeWindow(browser: Browser, visitOptions: VisitOptions): Promise<Window> {
  const { isOwn: _, ...options } = visitOptions;
  const { viewport: size = DEFAULTS.viewport } = options;
  const idle = isReusable(visitOptions) ? takeIdle(browser, size) : undefined;
  if (!idle) {
    const context = await browser.newContext({ ...DEFAULTS, ...options });
    context.setDefaultTimeout(60_000);
    return { context, size };
  }
  const { permissions = [], extraHTTPHeaders = {}, storageState } = options;
  if (typeof storageState === 'object') await idle.context.addCookies(storageState.cookies);
  await idle.context.setExtraHTTPHeaders(extraHTTPHeaders);
  await idle.context.grantPermissions(permissions);
  if (size) await idle.page?.setViewportSize(size);
  return idle;
}

/**
 * Empties a window for the next test. Its page stays at the origin, because its process cannot be used for another one.
 * False if that is not possible.
 */
async function isEmptied(context: BrowserContext, origin: string): Promise<boolean> {
  const [page, ...others] = context.pages();
  if (!page) return false;
  await Promise.all(others.map((other) => other.close()));
  await Promise.all([context.unrouteAll(), page.unrouteAll(), context.clearPermissions(), context.setOffline(false)]);
  await page.emulateMedia({ colorScheme: null });
  const response = await page.goto(`${origin}/healthz`).catch(() => undefined);
  if (!response?.ok()) return false;
  await Promise.all([context.clearCookies(), page.evaluate(() => [sessionStorage.clear(), localStorage.clear()])]);
  return true;
}
