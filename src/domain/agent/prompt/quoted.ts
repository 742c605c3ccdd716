import { SERVICE_WORDS } from '../model-port.ts';

/** How a message of a person begins in the prompt. */
export const writtenBy = (displayName: string): string => `[${displayName}, a person of the team, wrote:]`;

/** What can stand before a mark without hiding it from a model, like the signs of Markdown. */
const DECORATION = '[ >*_#"\'`~+•–—-]*';

/** Lines that begin like those with which the service marks what it tells the model. */
const MARKS = [
  ...SERVICE_WORDS.map(escaped),
  `\\[[^\\n]{0,400}?${escaped(writtenBy('').slice(1, -2))}`,
  escaped('[End of the '),
];

const FORGED = new RegExp(`^${DECORATION}(?:${MARKS.join('|')})`, 'imu');

const BREAKS = /([\n\v\f\r\u0085\u2028\u2029])/u;

function escaped(words: string): string {
  return words.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
}

/** Quotes the lines of a user, or of the model, that look as if the service or the team had written them. */
export function quoted(text: string): string {
  const seen = asSeen(text);
  if (!FORGED.test(seen)) return text;
  const isForged = seen.split('\n').map((line) => FORGED.test(line));
  // Every second part is a line break.
  const parts = text.split(BREAKS).map((part, index) => (index % 2 === 0 && isForged[index / 2] ? `> ${part}` : part));
  return parts.join('');
}

/** The text as a model reads it: without invisible characters and forms of letters. It has the same lines. */
function asSeen(text: string): string {
  return text
    .normalize('NFKC')
    .replace(/[\p{Default_Ignorable_Code_Point}\u2800]/gu, '')
    .replace(/[\v\f\r\u0085\u2028\u2029]/g, '\n')
    .replace(/[^\S\n]+/g, ' ');
}
