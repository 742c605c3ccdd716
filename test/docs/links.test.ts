import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { describe, expect, it } from 'vitest';
import { anchorOf, guidesOf } from '../../src/web/guides/guide-html.ts';
import { ROOT } from '../support/database.ts';
import { DOCUMENTS, readDocument } from '../support/document-blocks.ts';

const withoutCode = (text: string) => text.replace(/^```[\s\S]*?^```/gm, '').replace(/`[^`\n]*`/g, '');

/** Every Markdown file of the repository, and llms.txt. */
const FILES = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard', '*.md', 'llms.txt'], {
  cwd: ROOT,
  encoding: 'utf8',
})
  .split('\n')
  .filter((path) => path !== '' && existsSync(join(ROOT, path)));

const headingsOf = (file: string) =>
  [
    ...readDocument(file)
      .replace(/^```[\s\S]*?^```/gm, '')
      .matchAll(/^#{1,6} (.+)$/gm),
  ].map(([, text = '']) => anchorOf(text.replace(/\[([^\]]+)\]\([^)]*\)/g, '$1')));

/** What links can name: headings, with a number from the second of the same name on, and anchors in tables. */
function readAnchors(file: string): Set<string> {
  const seen = new Map<string, number>();
  const headings = headingsOf(file).map((heading) => {
    const before = seen.get(heading) ?? 0;
    seen.set(heading, before + 1);
    return before === 0 ? heading : `${heading}-${before}`;
  });
  return new Set([...headings, ...[...readDocument(file).matchAll(/<a id="([^"]+)">/g)].map(([, id = '']) => id)]);
}

const anchors = new Map<string, Set<string>>();

/** Reads each file once: many links lead to the same long document. */
function anchorsOf(file: string): Set<string> {
  const known = anchors.get(file) ?? readAnchors(file);
  anchors.set(file, known);
  return known;
}

function brokenLinks(file: string): string[] {
  const links = [...withoutCode(readDocument(file)).matchAll(/\]\(([^)\s]+)\)/g)].map(([, link = '']) => link);
  return links.flatMap((link) => {
    if (/^https?:/.test(link)) return [];
    const [path = '', anchor] = link.split('#');
    const target = path === '' ? file : normalize(join(dirname(file), path));
    if (!existsSync(join(ROOT, target))) return [`${link}: no such file`];
    const isKnown = anchor === undefined || anchorsOf(target).has(anchor);
    return isKnown ? [] : [`${link}: no such heading`];
  });
}

describe('the documents', () => {
  it.each(FILES)('%s links to files and headings that exist', (file) => expect(brokenLinks(file)).toEqual([]));

  it.each(DOCUMENTS)('%s has one title, and no heading twice', (file) => {
    const headings = headingsOf(file);
    expect(readDocument(file)).toMatch(/^# \S/);
    expect(headings.filter((heading, index) => headings.indexOf(heading) !== index)).toEqual([]);
  });

  it('docs/README.md lists every guide, and README.md has at most 150 lines', () => {
    const names = guidesOf(readDocument('docs/README.md')).map(({ name }) => `docs/${name}.md`);
    expect(['README.md', 'docs/README.md', ...names].sort()).toEqual([...DOCUMENTS].sort());
    expect(readDocument('README.md').trimEnd().split('\n').length).toBeLessThanOrEqual(150);
  });

  it('every guide has the title that docs/README.md gives it', () => {
    for (const { name, title } of guidesOf(readDocument('docs/README.md')))
      expect(readDocument(`docs/${name}.md`)).toMatch(`# ${title}\n`);
  });

  it('llms.txt has a title, a summary, and every guide with its summary', () => {
    const text = readDocument('llms.txt');
    expect(text).toMatch(/^# Parley\n\n> \S.*\n/);
    for (const { name, title, summary } of guidesOf(readDocument('docs/README.md'))) {
      expect(text).toContain(`- [${title}](docs/${name}.md): ${summary}\n`);
    }
  });
});
