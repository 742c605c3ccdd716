/** A sentence with more words is listed. */
const MAX_WORDS = 25;

/** Sentences over 25 words in the comments of code, the descriptions of a GraphQL schema and the paragraphs of Markdown. */
export function longSentences(path, text) {
  return blocksOf(path, text).flatMap(({ line, prose }) =>
    prose
      .split(/(?<=[.!?:;])\s+(?=["'`(*\p{Lu}])/u)
      .map((sentence) => ({ line, sentence, words: sentence.split(/\s+/).filter((word) => /\w/.test(word)).length }))
      .filter(({ words }) => words > MAX_WORDS),
  );
}

function blocksOf(path, text) {
  if (path.endsWith('.md')) return paragraphsOf(text);
  if (path.endsWith('.graphql')) return blocks(text, /"""([\s\S]*?)"""|"([^"\n]+)"/g, (block) => block);
  if (!/\.(ts|tsx|mts|mjs|js|css|prisma)$/.test(path)) return [];
  return blocks(text, /\/\*\*?([\s\S]*?)\*\/|((?:^[ \t]*\/\/\/?.*\n?)+)/gm, (block) =>
    block.replace(/^[ \t]*(\/\/\/?|\*)[ \t]?/gm, ''),
  );
}

/** Paragraphs and list items, without code and tables. */
function paragraphsOf(text) {
  const prose = text.replace(/^```[\s\S]*?^```/gm, (code) => code.replace(/[^\n]/g, ''));
  return blocks(prose, /((?:^(?![|#\s]).+\n?)+)/gm, (block) => block).flatMap(({ line, prose: block }) =>
    block.split(/ (?=- |\d\. )/).map((item) => ({ line, prose: item })),
  );
}

function blocks(text, expression, clean) {
  return [...text.matchAll(expression)].map((match) => ({
    line: text.slice(0, match.index).split('\n').length,
    prose: clean(match[1] ?? match[2] ?? '')
      .replace(/@\w+/g, '. ')
      .replace(/\s+/g, ' ')
      .trim(),
  }));
}
