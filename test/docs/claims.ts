import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { LIMITS } from '../../src/contract/limits.ts';
import { formatBytes, formatCount } from '../../src/contract/quantities.ts';
import { ROOT } from '../support/database.ts';
import { blocksOf } from '../support/document-blocks.ts';
import { type Sentence, sentencesOf } from './sentences.ts';

/** An entry of a list: the sentence of the guide that it is about, and what shows that the sentence is true. */
interface Claim {
  /** The line of the entry. */
  readonly line: number;
  /** The beginning of the sentence. */
  readonly start: string;
  readonly checksum: string;
  readonly proofs: readonly string[];
}

/** A file of a guide that lists its claims. */
const FOLDER = 'test/docs/claims';

/** The names of the guides whose sentences are bound. */
export const BOUND_GUIDES: readonly string[] = readdirSync(join(ROOT, FOLDER)).map((name) => name.replace('.txt', ''));

/**
 * A proof that is no test: a command of the same section shows the sentence, the sentence only introduces what follows, it
 * advises the reader, or it says what can happen and no test can force.
 */
const WORDS = ['command', 'lead-in', 'advice', 'possibility'];

export const checksumOf = (text: string) => createHash('sha256').update(text).digest('hex').slice(0, 4);

/** Reads a list: the start of a sentence and its checksum in a line, its proofs in the indented lines below. */
export function parseClaims(list: string): Claim[] {
  const claims: (Claim & { readonly proofs: string[] })[] = [];
  for (const [index, text] of list.split('\n').entries()) {
    if (text === '' || text.startsWith('#')) continue;
    if (text.startsWith(' ')) claims.at(-1)?.proofs.push(text.trim());
    else {
      const [, start = text, checksum = ''] = /^(.*) … (\S+)$/.exec(text) ?? [];
      claims.push({ line: index + 1, start, checksum, proofs: [] });
    }
  }
  return claims;
}

/** Whether one test of the file, or one group of tests, has a title that begins like this. */
function testProblem(file: string, title: string): string | undefined {
  const path = `test/${file}.test.ts`;
  if (!existsSync(join(ROOT, path))) return `there is no ${path}`;
  const escaped = title.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&');
  // The title follows the name of the function, or the closing parenthesis of `each`.
  const calls = new RegExp(`(?:\\b(?:it|describe)(?:\\.\\w+)*|\\))\\(\\s*['"\`]${escaped}`, 'g');
  const count = readFileSync(join(ROOT, path), 'utf8').match(calls)?.length ?? 0;
  return count === 1 ? undefined : `${path} has ${count} titles that begin with “${title}”, not one`;
}

/** Whether the sentence has the number of a limit: `10,000`, or `64 KiB`. */
function limitProblem(key: string, text: string): string | undefined {
  const value = (LIMITS as Readonly<Record<string, number>>)[key];
  if (value === undefined) return `there is no LIMITS.${key}`;
  const number = key.endsWith('Bytes') ? formatBytes(value) : formatCount(value);
  const hasNumber = new RegExp(`(?<![\\d,])${number}(?![\\d,])`).test(text);
  return hasNumber ? undefined : `LIMITS.${key} is ${number}, which the sentence does not say`;
}

/** Whether a command of the section is run. */
function commandProblem(guide: string, { section }: Sentence): string | undefined {
  const later = sentencesOf(guide).find((sentence) => sentence.section > section)?.section ?? Infinity;
  const isRun = blocksOf(guide).some(({ line, purpose }) => line > section && line < later && /^run\b/.test(purpose));
  return isRun ? undefined : 'its section has no block that is marked `run`';
}

function proofProblem(guide: string, sentence: Sentence, proof: string): string | undefined {
  if (proof === 'command') return commandProblem(guide, sentence);
  if (WORDS.includes(proof)) return undefined;
  const [, key] = /^LIMITS\.(\w+)$/.exec(proof) ?? [];
  if (key !== undefined) return limitProblem(key, sentence.text);
  const [, file, title] = /^(\S+) > (.+)$/.exec(proof) ?? [];
  if (file !== undefined && title !== undefined) return testProblem(file, title);
  return `“${proof}” is neither FILE > TITLE, nor LIMITS.KEY, nor one of ${WORDS.join(', ')}`;
}

function entryProblems(guide: string, claim: Claim, matches: readonly Sentence[]): string[] {
  const [sentence] = matches;
  if (sentence === undefined) return [`No sentence of ${guide} begins like this. Correct or remove the entry.`];
  if (matches.length > 1) return [`${matches.length} sentences of ${guide} begin like this. Write more words.`];
  const checksum = checksumOf(sentence.text);
  const isCurrent = claim.checksum === checksum;
  return [
    ...(isCurrent
      ? []
      : [`${guide}:${sentence.line} has changed. If its proofs still show it, write “… ${checksum}”.`]),
    ...(claim.proofs.length > 0 ? [] : ['The entry has no proof.']),
    ...claim.proofs.flatMap((proof) => {
      const problem = proofProblem(guide, sentence, proof);
      return problem === undefined ? [] : [`Correct the proof: ${problem}.`];
    }),
  ];
}

/** What is wrong with a list of claims: the place, the reason, and what to do. */
export function claimProblems(guide: string, list: string, claims: readonly Claim[]): string[] {
  const sentences = sentencesOf(guide);
  const found = claims.map((claim) => ({
    claim,
    matches: sentences.filter(({ text }) => text.startsWith(claim.start)),
  }));
  const bound = found.flatMap(({ matches }) => matches);
  const unbound = sentences.filter((sentence) => !bound.includes(sentence));
  const places = found.map(({ matches: [one, other] }) => (one && !other ? sentences.indexOf(one) : Infinity));
  return [
    ...unbound.map(({ line, text }) => {
      const howTo = `Add its start and “… ${checksumOf(text)}” to ${list}, and in the next line the test that shows it: FILE > TITLE.`;
      return `${guide}:${line} “${text}” has no proof. ${howTo}`;
    }),
    ...found.flatMap(({ claim, matches }, index) => {
      const [place = 0, next = Infinity] = places.slice(index);
      const isLate = place < Infinity && place > next;
      const order = isLate ? [`This entry is not in the order of ${guide}. Move it.`] : [];
      return [...entryProblems(guide, claim, matches), ...order].map(
        (problem) => `${list}:${claim.line} “${claim.start}”: ${problem}`,
      );
    }),
  ];
}

/** The problems of the list of a guide. */
export function problemsOf(name: string): string[] {
  const list = `${FOLDER}/${name}.txt`;
  return claimProblems(`docs/${name}.md`, list, parseClaims(readFileSync(join(ROOT, list), 'utf8')));
}
