import { parseSync } from 'vite';
import { describe, expect, it } from 'vitest';
import { LANGUAGES, type Language, languageOf, localeOf } from '../../src/contract/branding/languages.ts';
import { loadConnectTexts } from '../../src/web/connect/load-texts.ts';
import { loadTexts } from '../../src/web/texts/languages.ts';
import { filesOf } from '../support/imports.ts';

type Tree = { readonly [key: string]: Tree | string | ((...values: never[]) => string) };

/** All texts of a language, with those of the page that connects assistants. */
const allTexts = async (language: Language) => ({
  ...(await loadTexts(language)),
  connect: await loadConnectTexts(language),
});

const en = await allTexts('en');
const OTHERS = LANGUAGES.filter((language) => language !== 'en');

/** Each text by its path: a string, or a function of parameters. */
function leavesOf(tree: Tree, prefix = ''): [path: string, text: Exclude<Tree[string], Tree>][] {
  return Object.entries(tree).flatMap(([key, value]) =>
    typeof value === 'object' ? leavesOf(value, `${prefix}${key}.`) : [[`${prefix}${key}`, value]],
  );
}

/** A text with a distinct value for each parameter. Numbers look like numbers, so that plurals work. */
function filled(text: string | ((...values: never[]) => string)): { text: string; values: string[] } {
  if (typeof text === 'string') return { text, values: [] };
  const values = Array.from({ length: text.length }, (_, index) => String(7001 + index));
  return { text: text(...(values as never[])), values };
}

describe('the texts of the hosted pages', () => {
  const english = leavesOf(en);

  it.each(OTHERS)('%s has each English text, with the same parameters', async (language) => {
    const others = new Map(leavesOf(await allTexts(language)));
    expect([...others.keys()].sort()).toEqual(english.map(([path]) => path).sort());
    for (const [path, text] of english) {
      const other = others.get(path) ?? '';
      expect(typeof other, path).toBe(typeof text);
      const { text: shown, values } = filled(other);
      expect(values.length, `the parameters of ${path}`).toBe(filled(text).values.length);
      expect(shown.trim(), path).not.toBe('');
      for (const value of filled(text).text.includes(values[0] ?? '') ? values : [])
        expect(shown, path).toContain(value);
    }
  });

  it.each(OTHERS)('%s is translated', async (language) => {
    const others = new Map(leavesOf(await allTexts(language)));
    const same = english.filter(([path, text]) => filled(others.get(path) ?? '').text === filled(text).text);
    // Words that are the same in two languages.
    expect(same.map(([path]) => path).length).toBeLessThan(english.length / 10);
  });

  it.each(LANGUAGES)('%s distinguishes one from many, if the language does', async (language) => {
    const { network } = await loadTexts(language);
    const forms = [1, 11].map((count) => network.continuesIn(count).replace(String(count), '#'));
    const categories = [1, 11].map((count) => new Intl.PluralRules(language).select(count));
    expect(new Set(forms).size).toBe(new Set(categories).size);
  });

  it.each([
    ['en', 1, '1 second.'],
    ['de', 2, '2 Sekunden'],
    ['fr', 0, '0 seconde.'],
    ['ar', 1, 'ثانية واحدة'],
    ['ar', 2, 'ثانيتين'],
    ['ar', 3, '3 ثوانٍ'],
    ['ar', 11, '11 ثانية'],
    ['ja', 1, '1秒'],
    ['pt', 2, '2 segundos'],
    ['zh', 2, '2 秒'],
  ] as const)('in %s with the number %d have the form "%s"', async (language, count, form) => {
    const { network } = await loadTexts(language);
    expect(network.continuesIn(count)).toContain(form);
  });

  it('are all used', () => {
    const code = [...sourceFiles(), ...filesOf('src/web/ui', 'src/web/connect')].map(({ text }) => text).join('\n');
    const unused = english.flatMap(([path]) => {
      const key = path.split('.').at(-1) ?? '';
      // Errors, tools and statuses are looked up by their code.
      const isLookedUp = /^(errors|tools|calls|ui|feedback)\./.test(path);
      return isLookedUp || new RegExp(`\\.${key}\\b|[{,] ${key}\\b`).test(code) ? [] : [path];
    });
    expect(unused).toEqual([]);
  });

  it.each([
    ['auto', ['de-CH', 'en'], 'de', 'de-CH'],
    ['auto', ['it-IT', 'fr-CA', 'en'], 'fr', 'fr-CA'],
    ['auto', ['pt-BR', 'en'], 'pt', 'pt-BR'],
    ['auto', ['zh-TW', 'en'], 'zh', 'zh-TW'],
    ['auto', ['ar-EG', 'en'], 'ar', 'ar-EG'],
    ['auto', ['ko'], 'en', 'en'],
    ['auto', [], 'en', 'en'],
    ['es', ['de-DE'], 'es', 'es'],
    ['en', ['de-DE', 'EN-GB'], 'en', 'EN-GB'],
  ] as const)('with the setting %s and the preferences %j are in %s', (setting, preferred, language, locale) => {
    expect(languageOf(setting, preferred)).toBe(language);
    expect(localeOf(language, preferred)).toBe(locale);
  });
});

/** The folders whose texts users of hosted pages see. */
const FOLDERS = ['agent', 'branches', 'calls', 'chat', 'conversations', 'feedback', 'hosted', 'messages', 'timeline'];

const sourceFiles = () => filesOf(...FOLDERS.map((folder) => `src/web/${folder}`));

/** Attributes that users read or hear. */
const SHOWN = /^(alt|label|lead|hint|note|placeholder|submit|title|aria-(label|description|valuetext))$/;

/** Strings that look like words for users: keys of the keyboard, and the message that continues a turn. */
const PROTOCOL = new Set(['Bearer ', 'Enter', 'Escape', 'Continue.']);

const hasWord = (text: string) => /\p{L}{2}/u.test(text);
const isSentence = (text: string) => /^\p{Lu}\p{Ll}/u.test(text) || /\s\p{L}{2,}[.…?!](\s|$)/u.test(text);

/** A node of the syntax tree, with the fields that this search reads. */
interface SyntaxNode {
  readonly type: string;
  readonly name?: SyntaxNode | string;
  readonly value?: unknown;
}

const isNode = (value: unknown): value is SyntaxNode =>
  typeof value === 'object' && value !== null && typeof (value as SyntaxNode).type === 'string';

/** The text of an attribute that users read or hear. A sentence is found as a string. */
function attributeText({ name, value }: SyntaxNode): string | undefined {
  const text = isNode(value) && typeof value.value === 'string' ? value.value : '';
  const isShown = isNode(name) && SHOWN.test(String(name.name));
  return isShown && hasWord(text) && !isSentence(text) ? text : undefined;
}

/** The text that a node shows to users, or undefined. */
function shownText(node: SyntaxNode): string | undefined {
  const { type, value } = node;
  if (type === 'JSXText') return hasWord(String(value)) ? String(value) : undefined;
  if (type === 'JSXAttribute') return attributeText(node);
  if (type !== 'Literal' && type !== 'TemplateElement') return undefined;
  const text = type === 'TemplateElement' ? (value as { cooked: string }).cooked : value;
  return typeof text === 'string' && isSentence(text) && !PROTOCOL.has(text) ? text : undefined;
}

function textsIn(node: unknown): string[] {
  if (Array.isArray(node)) return node.flatMap(textsIn);
  if (!isNode(node) || /^(Import|TS.*Type)/.test(node.type)) return [];
  const own = shownText(node);
  return [...(own === undefined ? [] : [own.trim()]), ...Object.values(node).flatMap(textsIn)];
}

const stringsOf = (path: string, code: string) => textsIn(parseSync(path, code).program);

describe('the code of the hosted pages', () => {
  it.each([
    ['text of an element', 'const a = <p>Hello</p>;'],
    ['a label', 'const a = <button aria-label="close">x</button>;'],
    ['a string', "const text = isOld ? 'Too old' : null;"],
    ['the rest of a template', `const text = \`\${name} is empty.\`;`],
  ])('is searched for %s', (_what, code) => {
    expect(stringsOf('example.tsx', code)).toHaveLength(1);
  });

  it('contains no text for users outside of src/web/texts', () => {
    const found = sourceFiles().flatMap(({ path, text }) => stringsOf(path, text).map((one) => `${path}: ${one}`));
    expect(found).toEqual([]);
  });
});
