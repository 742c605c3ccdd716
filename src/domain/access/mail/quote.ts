/** Characters of a name in a mail. The rest is cut off. */
const NAME_LENGTH = 60;

/** Combining marks on one character. More of them cover the lines above and below. */
const TOO_MANY_MARKS = /(\p{M}{2})\p{M}+/gu;

/**
 * Quotes a text that a tenant chose, such as a name. It is one line, it cannot end its quotes or change the direction of
 * the text, and mail programs find no link in it: hosts, URLs and addresses are separated by spaces.
 */
export function quote(text: string): string {
  const clean = text
    .normalize('NFKC')
    // Controls, marks of direction, invisible characters and all kinds of line breaks.
    .replace(/[\p{C}\p{Z}]+/gu, ' ')
    .replace(TOO_MANY_MARKS, '$1')
    .replace(/["“”„‟«»〝〞〟＂<>]/gu, "'")
    .replace(/[.。・:](?=\S)/gu, '$& ')
    .replace(/[/\\]+/g, ' ')
    .replace(/\s*@+\s*/g, ' at ')
    .replace(/ +/g, ' ')
    .trim();
  const characters = [...clean];
  const cut = characters.length > NAME_LENGTH ? `${characters.slice(0, NAME_LENGTH - 1).join('')}…` : clean;
  return `"${cut}"`;
}
