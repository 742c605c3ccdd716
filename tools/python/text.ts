/** The length of a line with its indentation. */
const WIDTH = 116;

/** Words that Python reserves. */
const RESERVED = new Set(
  'and as assert async await break class def del elif else except finally for from global if import in is lambda nonlocal not or pass raise return try while with yield'.split(
    ' ',
  ),
);

/** A name as a field or parameter of Python. @throws if Python has no such names */
export function identifier(name: string): string {
  if (!/^[A-Za-z_]\w*$/.test(name) || RESERVED.has(name)) {
    throw new Error(`Python has no field named ${name}. Give the field of openapi.json another name.`);
  }
  return name;
}

/** `resourceId`, `If-Match` and `ListEvents` → `resource_id`, `if_match` and `list_events`. Reserved words get a `_`. */
export function snakeCase(name: string): string {
  const words = name.replace(/(?<=[a-z0-9])[A-Z]/g, (letter) => `_${letter}`);
  const snake = words.replaceAll('-', '_').toLowerCase();
  return RESERVED.has(snake) ? `${snake}_` : snake;
}

/** The comment of a declaration. */
export function comment(text: string | undefined, indentation: number): string {
  if (!text) return '';
  return lines(text, indentation + 2)
    .map((line) => `${' '.repeat(indentation)}# ${line}\n`)
    .join('');
}

/** The docstring of a class or a function. */
export function docstring(text: string | undefined, indentation: number): string {
  if (!text) return '';
  const space = ' '.repeat(indentation);
  const [first = '', ...others] = lines(text.replaceAll('\\', '\\\\').replaceAll('"""', "'''"), indentation + 6);
  if (others.length === 0) return `${space}"""${first}"""\n\n`;
  return `${space}"""${[first, ...others.map((line) => space + line)].join('\n')}\n${space}"""\n\n`;
}

/** Breaks text into lines between words. Keeps its own line breaks. */
function lines(text: string, indentation: number): string[] {
  return text.split('\n').flatMap((paragraph) => {
    const broken: string[] = [''];
    for (const word of paragraph.split(' ')) {
      const line = broken.at(-1) ?? '';
      if (line !== '' && line.length + word.length >= WIDTH - indentation) broken.push(word);
      else broken[broken.length - 1] = line === '' ? word : `${line} ${word}`;
    }
    return broken;
  });
}
