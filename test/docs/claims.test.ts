import { describe, expect, it } from 'vitest';
import { BOUND_GUIDES, checksumOf, claimProblems, parseClaims, problemsOf } from './claims.ts';
import { sentencesOf } from './sentences.ts';

it.each(BOUND_GUIDES)('every sentence of docs/%s.md names what shows it', (name) => {
  expect(problemsOf(name)).toEqual([]);
});

describe('the check of claims', () => {
  const GUIDE = 'docs/rest.md';
  const PROOF = '  docs/claims > the check of claims';

  const entries = sentencesOf(GUIDE).map(({ text }) => [`${text} … ${checksumOf(text)}`, PROOF]);

  /** The problems of a complete list with other lines for the sentence that begins like this. */
  function problemsWith(start: string, proofs: readonly string[], checksum?: string): string[] {
    const list = entries.flatMap((entry) => {
      const [sentence = ''] = entry;
      return sentence.startsWith(start) ? [`${start} … ${checksum ?? sentence.slice(-4)}`, ...proofs] : entry;
    });
    return claimProblems(GUIDE, 'the list', parseClaims(list.join('\n')));
  }

  const START = 'REST paths are GraphQL documents';
  /** A sentence whose section has no command. */
  const PATH = '| `GET /v1/deployments` |';

  it.each([[PROOF], [PROOF, '  command'], ['  advice'], ['  lead-in'], ['  possibility']])(
    'accepts the proofs %s',
    (...proofs) => {
      expect(problemsWith(START, proofs)).toEqual([]);
    },
  );

  it.each([
    ['no proof', START, [], 'The entry has no proof'],
    ['an unknown file', START, ['  docs/nothing > a title'], 'there is no test/docs/nothing.test.ts'],
    ['an unknown title', START, ['  docs/links > no title'], 'has 0 titles'],
    ['a title of several tests', START, ['  docs/links > %s'], 'has 2 titles'],
    ['a word that is no proof', START, ['  trust me'], 'is neither FILE > TITLE'],
    ['an unknown limit', START, ['  LIMITS.nothing'], 'there is no LIMITS.nothing'],
    ['a limit that the sentence does not say', START, ['  LIMITS.pageSize'], 'LIMITS.pageSize is 100'],
    ['a command of another section', PATH, ['  command'], 'no block that is marked `run`'],
  ])('finds %s', (_what, start, proofs, problem) => {
    expect(problemsWith(start, proofs)).toEqual([expect.stringContaining(problem)]);
  });

  it('finds a sentence that has changed, and names its new checksum', () => {
    const [sentence = ''] = entries[0] ?? [];
    const message = `docs/rest.md:3 has changed. If its proofs still show it, write “… ${sentence.slice(-4)}”.`;
    expect(problemsWith(START, [PROOF], '0000')).toEqual([`the list:1 “${START}”: ${message}`]);
  });

  it('finds a sentence without an entry, and says what to write', () => {
    const list = entries.slice(1).flat().join('\n');
    const problem = /^docs\/rest\.md:3 “REST paths .*” has no proof\. Add its start and “… \w{4}” to the list/;
    expect(claimProblems(GUIDE, 'the list', parseClaims(list))).toEqual([expect.stringMatching(problem)]);
  });

  it.each([
    ['Nothing begins like this', 'No sentence of docs/rest.md begins like this'],
    ['`GET', 'sentences of docs/rest.md begin like this'],
  ])('finds the entry “%s” of no sentence or of several', (start, problem) => {
    const list = [...entries.flat(), `${start} … 0000`, '  advice'].join('\n');
    expect(claimProblems(GUIDE, 'the list', parseClaims(list))).toEqual([expect.stringContaining(problem)]);
  });

  it('finds an entry that is not in the order of the guide', () => {
    const [first = [], second = [], ...others] = entries;
    const list = [second, first, ...others].flat().join('\n');
    const problem = 'This entry is not in the order of docs/rest.md. Move it.';
    expect(claimProblems(GUIDE, 'the list', parseClaims(list))).toEqual([expect.stringContaining(problem)]);
  });
});

describe('the sentences of a guide', () => {
  const texts = sentencesOf('docs/rest.md').map(({ text }) => text);

  it('end at the full stops of prose, also before a number, and not within code', () => {
    expect(texts).toContain('404 takes precedence over 400.');
    expect(texts).toContain('Its server is `PUBLIC_URL`.');
    expect(texts.filter((text) => text.startsWith('In GraphQL it is the subscription `replyStream`.'))).toHaveLength(1);
  });

  it('include whole rows of tables, but no head and no block', () => {
    expect(texts.filter((text) => /^\| 409 \| .*\|$/.test(text))).toHaveLength(1);
    expect(texts.filter((text) => /^\| (?:status|path|parameter) \||^\|--|^curl|^#/.test(text))).toEqual([]);
  });
});
