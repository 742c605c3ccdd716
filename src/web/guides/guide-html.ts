import { createElement, type ReactNode } from 'react';
import { renderToStaticMarkup } from 'react-dom/server';
import Markdown, { type ExtraProps } from 'react-markdown';
import remarkGfm from 'remark-gfm';

/** One guide of `docs/`: `docs/README.md` lists them. */
export interface Guide {
  /** The file without `.md`, and the last part of the path. */
  readonly name: string;
  readonly title: string;
  readonly summary: string;
}

/** A line of the list in `docs/README.md`. */
const ENTRY = /^- \[(?<title>[^\]]+)\]\((?<name>[a-z-]+)\.md\): (?<summary>.+)$/gm;

/** The guides that `docs/README.md` lists, in its order. */
export function guidesOf(index: string): Guide[] {
  return [...index.matchAll(ENTRY)].map(({ groups }) => groups as unknown as Guide);
}

/** The anchor of a heading, as GitHub computes it, so that one link works in both places. */
export function anchorOf(heading: string): string {
  return heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, '')
    .trim()
    .replace(/\s/g, '-');
}

/**
 * The HTML page of a guide, or of the index if `current` is undefined. HTML inside the Markdown is dropped.
 * All addresses are relative, because a proxy may serve Parley below a path.
 */
export function guidePage(markdown: string, guides: readonly Guide[], current: Guide | undefined): string {
  const folder = current ? '' : 'guides/';
  const body = renderToStaticMarkup(
    createElement(
      Markdown,
      { remarkPlugins: [remarkGfm], skipHtml: true, urlTransform: linksFrom(folder, guides), components: COMPONENTS },
      markdown,
    ),
  );
  const navigation = renderToStaticMarkup(
    createElement(
      'ul',
      null,
      guides.map(({ name, title }) =>
        createElement(
          'li',
          { key: name },
          createElement(
            'a',
            { href: `${folder}${name}`, 'aria-current': name === current?.name ? 'page' : undefined },
            title,
          ),
        ),
      ),
    ),
  );
  const up = current ? '../' : '';
  const source = current ? `<p><a href="${current.name}.md">This guide as Markdown</a></p>` : '';
  return `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <meta name="color-scheme" content="light dark">
    <title>${current ? `${current.title} · ` : ''}Parley guides</title>
    <link rel="icon" href="data:,">
    <link rel="stylesheet" href="${up}guides.css">
  </head>
  <body>
    <header><a href="${up}../">Parley</a> <a href="${up}guides">Guides</a></header>
    <nav aria-label="Guides">${navigation}</nav>
    <main>${body}${source}</main>
  </body>
</html>
`;
}

/** Rewrites links between guides. A link to another file of the repository becomes plain text: the service has no such page. */
function linksFrom(folder: string, guides: readonly Guide[]): (url: string) => string {
  const names = new Set(guides.map(({ name }) => name));
  return (url) => {
    if (/^(https?:|#)/.test(url)) return url;
    const [, name = '', anchor = ''] = /^([\w-]+)\.md(#.*)?$/.exec(url) ?? [];
    if (name === 'README') return `${folder === '' ? '../guides' : 'guides'}${anchor}`;
    return names.has(name) ? `${folder}${name}${anchor}` : '';
  };
}

type Props = ExtraProps & { readonly children?: ReactNode; readonly href?: string | undefined };

const heading = (tag: 'h2' | 'h3') => {
  return ({ node, children }: Props) => createElement(tag, { id: anchorOf(textOf(node)) }, children);
};

const COMPONENTS = {
  h2: heading('h2'),
  h3: heading('h3'),
  a: ({ href, children }: Props) => (href ? createElement('a', { href }, children) : children),
  // A wide block scrolls; the keyboard has to reach it for that.
  pre: ({ children }: Props) => createElement('pre', { tabIndex: 0 }, children),
  table: ({ children }: Props) =>
    createElement('div', { className: 'table', tabIndex: 0 }, createElement('table', null, children)),
};

/** The text of a Markdown element, without its markup. */
function textOf(node: unknown): string {
  const { value = '', children = [] } = node as { readonly value?: string; readonly children?: readonly unknown[] };
  return value + children.map(textOf).join('');
}
