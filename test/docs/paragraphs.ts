const MAX_CHARACTERS = 600;

/** A block of code, which can be in an item of a list. */
const CODE = /^( *)```[\s\S]*?^\1```$/gm;

/** A paragraph or an item of a list, up to an empty line, the next item, a heading or a table. */
const PARAGRAPH = /^(?!\s*$|#|\s*\|).+(?:\n(?!\s*$|\s*(?:[-*]|\d+\.) |#|\s*\|).+)*/gm;

/** The paragraphs that are too long to read, each with its place. Code and tables do not count. */
export function longParagraphs(file: string, document: string): string[] {
  const prose = document.replace(CODE, (block) => block.replace(/.*/g, ''));
  return [...prose.matchAll(PARAGRAPH)].flatMap(({ index, 0: paragraph }) => {
    const { length } = paragraph.replace(/\s+/g, ' ').trim();
    const line = prose.slice(0, index).split('\n').length;
    const problem = `${file}:${line} has a paragraph of ${length} characters. Split it, or make it a list: the limit is ${MAX_CHARACTERS}.`;
    return length > MAX_CHARACTERS ? [problem] : [];
  });
}

/** The number of words outside code, up to the heading. */
export function wordsBefore(heading: string, document: string): number {
  const [prose = ''] = document.replace(CODE, '').split(`\n## ${heading}\n`);
  return prose.split(/\s+/).filter((word) => /\w/.test(word)).length;
}
