import { type Code, type Construct, characterOf, type Effects, isLineEnding, type State } from './micromark.ts';

export const BACKSLASH = 92;

/** Longer formulas stay text. */
export const LONGEST = 2_000;

const [PARENTHESIS, BRACKET] = [40, 91] as const;

/** The characters that end a formula after a backslash. */
const ENDS: Readonly<Record<number, number>> = { [PARENTHESIS]: 41, [BRACKET]: 93 };

/** The tokens of micromark-extension-math, so that its nodes are made of them. */
const TEXT = { whole: 'mathText', marks: ['mathTextSequence'], data: 'mathTextData' } as const;
const FLOW = { whole: 'mathFlow', marks: ['mathFlowFence', 'mathFlowFenceSequence'], data: 'mathFlowValue' } as const;

/** A formula between `\(` and `\)`, or `\[` and `\]`, in a text. */
export const BRACKETS_IN_TEXT: Construct = {
  name: 'mathText',
  tokenize: (effects, ok, nok) =>
    openingOf(effects, TEXT, nok, (opening) =>
      contentOf(effects, {
        tokens: TEXT,
        end: Number(ENDS[opening]),
        continues: () => true,
        closed: (text, code) => {
          if (!isFormula(text)) return nok(code);
          effects.exit('mathText');
          return ok(code);
        },
        nok,
      }),
    ),
};

/** A long word, or several, are a remark whose brackets are escaped. */
function isFormula(text: string): boolean {
  const words = text.trim();
  return words !== '' && !/^(?:\p{L}{4,}|\p{L}{2,}(?:\s+\p{L}{2,})+)[.!?]?$/u.test(words);
}

/**
 * A formula of its own, between `\[` at the start and `\]` at the end of a line. If `isAlone`, nothing follows `\[`, and
 * the lines of the formula start no lists and no quotes: `+ b` belongs to it.
 */
function blockOf(isAlone: boolean): Construct {
  return {
    name: 'mathFlow',
    concrete: isAlone,
    tokenize(effects, ok, nok) {
      const afterEnd: State = (code) => {
        if (code === 32 || code === -2 || code === -1) {
          effects.enter('whitespace');
          effects.consume(code);
          effects.exit('whitespace');
          return afterEnd;
        }
        if (code !== null && !isLineEnding(code)) return nok(code);
        effects.exit('mathFlow');
        return ok(code);
      };
      let isFirst = true;
      return openingOf(effects, FLOW, nok, (opening) => {
        if (opening !== BRACKET) return nok;
        return contentOf(effects, {
          tokens: FLOW,
          end: Number(ENDS[BRACKET]),
          continues: (line) => {
            const isBlank = line.trim() === '';
            const continues = isFirst ? isBlank === isAlone : !isBlank;
            isFirst = false;
            return continues && !this.parser.lazy[this.now().line];
          },
          closed: (text, code) => (text.trim() === '' ? nok : afterEnd)(code),
          nok,
        });
      });
    },
  };
}

export const BLOCKS_IN_BRACKETS: readonly Construct[] = [blockOf(true), blockOf(false)];

interface Tokens {
  readonly whole: string;
  readonly marks: readonly string[];
  readonly data: string;
}

/** Reads a backslash and an opening bracket. */
function openingOf(effects: Effects, { whole, marks }: Tokens, nok: State, after: (opening: number) => State): State {
  return (code) => {
    for (const type of [whole, ...marks]) effects.enter(type);
    effects.consume(code);
    return (opening) => {
      if (opening === null || !(opening in ENDS)) return nok(opening);
      effects.consume(opening);
      for (const type of marks.toReversed()) effects.exit(type);
      return after(opening);
    };
  };
}

interface Content {
  readonly tokens: Tokens;
  /** The character after the last backslash. */
  readonly end: number;
  /** Whether the formula goes on after this line. */
  continues(line: string): boolean;
  /** Goes on after the end. */
  closed(text: string, code: Code): State | undefined;
  readonly nok: State;
}

/** Reads up to the end of the formula. A backslash and the character after it belong together: `\\]` is no end. */
function contentOf(effects: Effects, { tokens, end, continues, closed, nok }: Content): State {
  const { marks, data } = tokens;
  let text = '';
  let line = '';
  const consume = (code: Code): void => {
    text += characterOf(code);
    line += characterOf(code);
    effects.consume(code);
  };
  const between: State = (code) => {
    if (code === null || text.length > LONGEST) return nok(code);
    if (isLineEnding(code)) return atLineEnding(code);
    if (code === BACKSLASH) return effects.attempt(closingOf(marks, end), (next) => closed(text, next), escaped)(code);
    effects.enter(data);
    return inData(code);
  };
  const inData: State = (code) => {
    if (code === null || isLineEnding(code) || code === BACKSLASH || text.length > LONGEST) {
      effects.exit(data);
      return between(code);
    }
    consume(code);
    return inData;
  };
  const escaped: State = (code) => {
    effects.enter(data);
    consume(code);
    return (next) => {
      // Another formula begins. Without this rule, each opening of a hostile text would read on to the longest length.
      if (next !== null && next in ENDS) return nok(next);
      if (next !== BACKSLASH) return inData(next);
      consume(next);
      return inData;
    };
  };
  const atLineEnding: State = (code) => {
    const before = line;
    line = '';
    text += ' ';
    effects.enter('lineEnding');
    effects.consume(code);
    effects.exit('lineEnding');
    return (next) => (continues(before) ? between : nok)(next);
  };
  return between;
}

function closingOf(marks: readonly string[], end: number): Construct {
  return {
    partial: true,
    tokenize: (effects, ok, nok) => (code) => {
      for (const type of marks) effects.enter(type);
      effects.consume(code);
      return (next) => {
        if (next !== end) return nok(next);
        effects.consume(next);
        for (const type of marks.toReversed()) effects.exit(type);
        return ok;
      };
    },
  };
}
