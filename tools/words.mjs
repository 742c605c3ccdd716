// `npm run check:words`: searches every tracked text file for the words of tools/words.json, and fails if it finds one.
// Arguments are paths; they limit the search. `--sentences` lists sentences over 25 words instead and never fails.
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { longSentences } from './sentences.mjs';

const root = join(import.meta.dirname, '..');
const list = JSON.parse(readFileSync(join(root, 'tools/words.json'), 'utf8'));

/** Comment signs, quotes and line breaks can stand between the words of a phrase. */
const BETWEEN_WORDS = '[\\s*/#"\'+]+';

const rules = list.words.map(({ pattern, say, allow = [], exact = false, where }) => ({
  say,
  where,
  isExact: exact,
  allowed: allow.length > 0 ? new RegExp(allow.join('|'), 'gi') : undefined,
  expression: exact
    ? new RegExp(`\\b(?:${pattern})\\b`, 'g')
    : new RegExp(`(?<![\\p{L}\\d])(?:${pattern.replaceAll(' ', BETWEEN_WORDS)})(?![\\p{L}\\d])`, 'giu'),
}));

/** Splits identifiers: `sentAtOnce`, `sent_at_once` and `sent-at-once` become words. Keeps the line breaks. */
function withIdentifiersSplit(text) {
  return text
    .replace(/(\p{Ll}|\d)(\p{Lu})/gu, '$1 $2')
    .replace(/(\p{Lu})(\p{Lu}\p{Ll})/gu, '$1 $2')
    .replace(/(?<=\w)[_-]+(?=\w)/g, ' ');
}

/** All hits in a text: line, the words found, what to say instead. */
export function wordsIn(text) {
  return rules
    .filter((rule) => rule.where === undefined)
    .flatMap((rule) => hitsOf(rule, text))
    .sort((a, b) => a.line - b.line);
}

/** All hits in a file's path. */
export function wordsInPath(path) {
  const name = path.replace(/\.[^./]+$/, '');
  return rules.flatMap((rule) =>
    rule.where === 'file names'
      ? hitsOf(rule, name.split('/').at(-1)).filter(({ found }) => found === name.split('/').at(-1))
      : hitsOf(rule, name),
  );
}

function hitsOf({ expression, allowed, isExact, say }, text) {
  const kept = allowed ? text.replace(allowed, (match) => match.replace(/[^\n]/g, '·')) : text;
  const searched = isExact ? kept : withIdentifiersSplit(kept);
  return [...searched.matchAll(expression)].map(({ 0: found, index }) => ({
    line: searched.slice(0, index).split('\n').length,
    found: found.replace(new RegExp(BETWEEN_WORDS, 'g'), ' '),
    say,
  }));
}

/** The tracked and new text files that the check reads. */
export function textFiles() {
  const listed = execFileSync('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], { cwd: root });
  return listed
    .toString()
    .split('\0')
    .filter(
      (path) =>
        path !== '' &&
        !list.skip.some((skipped) => path === skipped || (skipped.endsWith('/') && path.startsWith(skipped))),
    )
    .flatMap((path) => {
      const content = contentOf(path);
      return content === undefined || content.includes(0) ? [] : [{ path, text: content.toString() }];
    });
}

/** Undefined for a file that was deleted but not yet committed. */
function contentOf(path) {
  try {
    return readFileSync(join(root, path));
  } catch (error) {
    if (error.code === 'ENOENT' || error.code === 'EISDIR') return undefined;
    throw error;
  }
}

function run(args) {
  const paths = args.filter((arg) => !arg.startsWith('--'));
  const files = textFiles().filter(({ path }) => paths.length === 0 || paths.some((prefix) => path.startsWith(prefix)));
  if (args.includes('--sentences')) {
    for (const { path, text } of files)
      for (const { line, words, sentence } of longSentences(path, text))
        console.log(`${path}:${line} ${words} words: ${sentence}`);
    return;
  }
  const lines = files.flatMap(({ path, text }) => [
    ...wordsInPath(path).map(({ found, say }) => `${path}: the file name has "${found}". Say: ${say}.`),
    ...wordsIn(text).map(({ line, found, say }) => `${path}:${line} "${found}". Say: ${say}.`),
  ]);
  for (const line of lines) console.log(line);
  if (lines.length === 0) return;
  console.error(`${lines.length} words to replace. tools/words.json lists the words and what to say instead.`);
  process.exitCode = 1;
}

if (import.meta.filename === process.argv[1]) run(process.argv.slice(2));
