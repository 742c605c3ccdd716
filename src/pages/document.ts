import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Response } from 'express';

/** The pages that are built to `dist/web`. */
export type PageName = 'landing' | 'chat' | 'agent' | 'dashboard' | 'missing';

/** What a page is filled in with. */
export interface PageContent {
  readonly title: string;
  /** What its script knows from the beginning: JSON, seen by everybody who may open the page. */
  readonly data?: object;
  /** Who may show it in a frame, as `frame-ancestors` says it; nobody by default. */
  readonly frameAncestors?: string;
}

const TITLE = /<title>[^<]*<\/title>/;
const DATA = /(<script type="application\/json" id="page-data">)[^<]*(<\/script>)/;

/**
 * What the pages may do: use this service's own files and ask this service, and nothing else. Pictures of messages that
 * came with them are data, and those that are being attached are blobs. `form-action` is for forms that a script does
 * not send: there are none. Nothing asks for https, so the pages work by plain http on a machine's own address too.
 */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data: blob:",
  'media-src data: blob:',
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "require-trusted-types-for 'script'",
];

/** Sends a page; the status stays what it is. */
export type SendPage = (response: Response, name: PageName, content: PageContent) => void;

/**
 * The built pages, read once.
 * @throws {Error} where they are not built
 */
export function loadPages(directory: string): SendPage {
  const pages = new Map<PageName, string>();
  for (const name of ['landing', 'chat', 'agent', 'dashboard', 'missing'] as const) {
    pages.set(name, readPage(join(directory, `${name}.html`)));
  }
  return (response, name, { title, data = {}, frameAncestors = "'none'" }) => {
    const policy = [...POLICY, `frame-ancestors ${frameAncestors}`].join('; ');
    // Reads of this host carry no Origin: an allowlist knows them by their Referer, which nobody else is told.
    response.set({ 'Content-Security-Policy': policy, 'Cache-Control': 'no-store', 'Referrer-Policy': 'same-origin' });
    // Older than frame-ancestors, and it knows no lists.
    if (frameAncestors !== "'none'") response.removeHeader('X-Frame-Options');
    else response.setHeader('X-Frame-Options', 'DENY');
    response.type('html').send(
      (pages.get(name) ?? '')
        .replace(TITLE, () => `<title>${escaped(title)}</title>`)
        // A script element ends at its end tag, wherever that stands.
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
  if (!TITLE.test(text) || !DATA.test(text)) throw new Error(`${path} has no title or no place for its data.`);
  return text;
}

function escaped(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}
