import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** A design token of the pages. */
interface Token {
  readonly name: string;
  readonly value: string;
  /** Its value in dark mode, if it differs. */
  readonly dark?: string;
}

/** Tokens with one purpose, in the order of the style sheet. */
export interface TokenGroup {
  readonly title: string;
  readonly note: string;
  readonly tokens: readonly Token[];
}

const DECLARATION = /^\s*(--[\w-]+):\s*([^;]+);/;
/** `type: a scale in steps of about 1.2.` */
const GROUP = /^\s*\/\* ([a-z]+): (.+) \*\/$/;

/** The tokens of `src/web/styles.css`. A comment starts each group. */
export function designTokens(root: string): TokenGroup[] {
  const source = readFileSync(join(root, 'src/web/styles.css'), 'utf8');
  const dark = new Map(declarationsOf(blockOf(source, '@media (prefers-color-scheme: dark) {')));
  const groups: { title: string; note: string; tokens: Token[] }[] = [];
  for (const line of blockOf(source, '@theme static {')) {
    const [, title, note] = GROUP.exec(line) ?? [];
    if (title && note) groups.push({ title, note, tokens: [] });
    const [declaration] = declarationsOf([line]);
    if (!declaration || declaration[0].endsWith('-*')) continue;
    const [name, value] = declaration;
    const other = dark.get(name);
    groups.at(-1)?.tokens.push({ name, value, ...(other && { dark: other }) });
  }
  return groups;
}

const declarationsOf = (lines: readonly string[]) =>
  lines.flatMap((line) => {
    const [, name, value] = DECLARATION.exec(line) ?? [];
    return name && value ? [[name, value] as const] : [];
  });

/** The lines of a block. Its end has the indentation of its start. */
function blockOf(source: string, start: string): string[] {
  const lines = source.split('\n');
  const first = lines.findIndex((line) => line.trim() === start);
  if (first < 0) throw new Error(`src/web/styles.css has no block "${start}".`);
  const indent = lines[first]?.match(/^\s*/)?.[0] ?? '';
  const length = lines.slice(first + 1).indexOf(`${indent}}`);
  return lines.slice(first + 1, first + 1 + length);
}
