import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Response } from 'express';
import { directionOf } from '../contract/branding/languages.ts';

/** The pages in `dist/web`. */
export type PageName = 'landing' | 'chat' | 'agent' | 'dashboard' | 'connect' | 'missing';

/** The dynamic content of a page. */
export interface PageContent {
  readonly title: string;
  /** The BCP 47 tag of its language. By default, it is English. */
  readonly locale?: string;
  /** Initial data for the page's script. Everyone who can open the page can read it. */
  readonly data?: object;
  /** The value of `frame-ancestors`. By default, no site can embed the page. */
  readonly frameAncestors?: string;
  /** Whether the page shows other pages of this service in a frame. */
  readonly hasFrame?: boolean;
}

const HTML = /<html lang="en">/;
const TITLE = /<title>[^<]*<\/title>/;
const DATA = /(<script type="application\/json" id="page-data">)[^<]*(<\/script>)/;

/**
 * The content security policy: pages use only files and APIs of this service. Images in messages are `data:` URLs, new
 * attachments are `blob:` URLs. There are no forms without scripts. The policy does not require https, so that pages also
 * work over http on a local address.
 */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data: blob:",
  'media-src data: blob:',
  "base-uri 'none'",
  "form-action 'none'",
  "require-trusted-types-for 'script'",
];

/** Sends a page. Keeps the status of the response. */
export type SendPage = (response: Response, name: PageName, content: PageContent) => void;

/**
 * Reads the built pages. `uploadOrigin` is the server that browsers upload files to, if it is not this service.
 * @throws {Error} if the pages are not built
 */
export function loadPages(directory: string, uploadOrigin: string | undefined): SendPage {
  const policyOfPages = [...POLICY, `connect-src 'self'${uploadOrigin ? ` ${uploadOrigin}` : ''}`];
  const pages = new Map<PageName, string>();
  for (const name of ['landing', 'chat', 'agent', 'dashboard', 'connect', 'missing'] as const) {
    pages.set(name, readPage(join(directory, `${name}.html`)));
  }
  return (response, name, { title, locale = 'en', data = {}, frameAncestors = "'none'", hasFrame = false }) => {
    const frames = [...(hasFrame ? ["frame-src 'self'"] : []), `frame-ancestors ${frameAncestors}`];
    const policy = [...policyOfPages, ...frames].join('; ');
    // Same-origin GET requests have no Origin header, so allowlists need their Referer. Other sites do not get it.
    response.set({ 'Content-Security-Policy': policy, 'Cache-Control': 'no-store', 'Referrer-Policy': 'same-origin' });
    // X-Frame-Options cannot contain a list of sites.
    if (frameAncestors !== "'none'") response.removeHeader('X-Frame-Options');
    else response.setHeader('X-Frame-Options', 'DENY');
    response.type('html').send(
      (pages.get(name) ?? '')
        // The script of the page sets both too. Without them, the page would change its direction after its first paint.
        .replace(HTML, () => `<html lang="${escaped(locale)}" dir="${directionOf(locale)}">`)
        .replace(TITLE, () => `<title>${escaped(title)}</title>`)
        // Escapes `<`, because `</script>` in the data would end the element.
        .replace(DATA, (_all, start, end) => start + JSON.stringify(data).replaceAll('<', '\\u003c') + end),
    );
  };
}

function readPage(path: string): string {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    throw new Error('The pages are not built. Run npm run build.');
  }
  if (![HTML, TITLE, DATA].every((part) => part.test(text))) {
    throw new Error(`${path} needs a language, a title and an element for its data.`);
  }
  return text;
}

function escaped(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}
