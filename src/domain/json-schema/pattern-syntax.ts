/** A regular expression as a tree. A `char` node keeps the source of one character: `a`, `\d`, `[^x]`, `.`. */
export type PatternNode =
  | { readonly kind: 'char'; readonly source: string }
  | { readonly kind: 'assert'; readonly at: Assertion }
  | { readonly kind: 'sequence' | 'choice'; readonly nodes: readonly PatternNode[] }
  | { readonly kind: 'repeat'; readonly node: PatternNode; readonly min: number; readonly max: number };

export type Assertion = '^' | '$' | '\\b' | '\\B';

/** A pattern that cannot be matched in linear time (lookaround, back reference), is too large, or is not valid. */
export class UnsupportedPattern extends Error {}

/** One escape, one class, or one character. */
const TOKEN =
  /\\(?:[pP]\{[\w=]+\}|x[\da-fA-F]{2}|u[dD][89abAB][\da-fA-F]{2}\\u[dD][c-fC-F][\da-fA-F]{2}|u[\da-fA-F]{4}|u\{[\da-fA-F]+\}|c[A-Za-z]|0(?!\d)|[dDwWsStnvfrbB]|[^A-Za-z0-9])|\[(?:\\[\s\S]|[^\]\\])*\]|[\s\S]/uy;

const QUANTIFIER = /(?:([*+?])|\{(\d{1,9})(?:(,)(\d{1,9})?)?\})\??/y;

/** A capturing group, named or not, or a non-capturing group. */
const GROUP = /\((?:\?:|\?<[A-Za-z_$][\w$]*>|(?!\?))/y;

const ASSERTIONS: ReadonlySet<string> = new Set(['^', '$', '\\b', '\\B']);

/** Deeper groups would exhaust the stack. */
const MAX_GROUPS = 50;

/** Reads a regular expression of ECMA-262. @throws {UnsupportedPattern} */
export function parsePattern(source: string): PatternNode {
  const reader = new Reader(source);
  const node = choice(reader, 0);
  if (!reader.atEnd) throw new UnsupportedPattern();
  return node;
}

class Reader {
  readonly #source: string;
  #at = 0;

  constructor(source: string) {
    this.#source = source;
  }

  get atEnd(): boolean {
    return this.#at >= this.#source.length;
  }

  get next(): string {
    return this.#source.charAt(this.#at);
  }

  /** Matches `expression`, a sticky one, at the current position. */
  take(expression: RegExp): RegExpExecArray | undefined {
    expression.lastIndex = this.#at;
    const match = expression.exec(this.#source);
    if (match) this.#at += match[0].length;
    return match ?? undefined;
  }

  skip(): void {
    this.#at += 1;
  }
}

function choice(reader: Reader, depth: number): PatternNode {
  const nodes = [sequence(reader, depth)];
  while (reader.next === '|') {
    reader.skip();
    nodes.push(sequence(reader, depth));
  }
  return nodes.length === 1 && nodes[0] ? nodes[0] : { kind: 'choice', nodes };
}

function sequence(reader: Reader, depth: number): PatternNode {
  const nodes: PatternNode[] = [];
  while (!reader.atEnd && reader.next !== '|' && reader.next !== ')') nodes.push(repeated(reader, term(reader, depth)));
  return { kind: 'sequence', nodes };
}

function term(reader: Reader, depth: number): PatternNode {
  if (reader.next === '(') return group(reader, depth);
  const source = reader.take(TOKEN)?.[0] ?? '';
  if (ASSERTIONS.has(source)) return { kind: 'assert', at: source as Assertion };
  // An escape or a class that is not valid, or a quantifier without a target.
  if (source === '\\' || source === '[' || /^[*+?]$/.test(source)) throw new UnsupportedPattern();
  return { kind: 'char', source };
}

function group(reader: Reader, depth: number): PatternNode {
  if (depth >= MAX_GROUPS || !reader.take(GROUP)) throw new UnsupportedPattern();
  const node = choice(reader, depth + 1);
  if (reader.next !== ')') throw new UnsupportedPattern();
  reader.skip();
  return node;
}

function repeated(reader: Reader, node: PatternNode): PatternNode {
  const match = reader.take(QUANTIFIER);
  if (!match) return node;
  if (node.kind === 'assert') throw new UnsupportedPattern();
  const [, sign, least, comma, most] = match;
  const min = sign ? Number(sign === '+') : Number(least);
  const max = sign ? (sign === '?' ? 1 : Infinity) : comma ? Number(most ?? Infinity) : min;
  if (max < min) throw new UnsupportedPattern();
  return { kind: 'repeat', node, min, max };
}
