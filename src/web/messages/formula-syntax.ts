import remarkMath from 'remark-math';
import { BACKSLASH, BLOCKS_IN_BRACKETS, BRACKETS_IN_TEXT, LONGEST } from './latex-brackets.ts';
import { type Code, type Construct, characterOf, isLineEnding, type State } from './micromark.ts';

interface Extension {
  readonly flow: Readonly<Record<number, Construct | readonly Construct[]>>;
  readonly text: Readonly<Record<number, Construct>>;
}

/** The processor that remark passes to its plugins. */
interface Processor {
  data(): object;
}

const DOLLAR = 36;

/** Formulas between `$` or `$$`, `\(` and `\)`, or `\[` and `\]`. Amounts of money are no formulas. */
export function remarkFormulas(this: Processor): void {
  remarkMath.call(this as never);
  const { micromarkExtensions: extensions = [] } = this.data() as { micromarkExtensions?: Extension[] };
  const { flow, text } = extensions.pop() as Extension;
  extensions.push({
    flow: { [DOLLAR]: guarded(flow[DOLLAR] as Construct, ALONE), [BACKSLASH]: BLOCKS_IN_BRACKETS },
    text: { [DOLLAR]: guarded(text[DOLLAR] as Construct, FORMULA), [BACKSLASH]: BRACKETS_IN_TEXT },
  });
}

interface Guard {
  /** Whether the character after the text decides. */
  isEnd(text: string, next: number): boolean;
  accepts(text: string, previous: Code): boolean;
}

/** Uses a construct only if the guard accepts what follows. */
function guarded(construct: Construct, guard: Guard): Construct {
  return {
    ...construct,
    tokenize(effects, ok, nok) {
      const lookahead = lookaheadOf(guard, this.previous);
      return effects.check(lookahead, effects.attempt(construct, ok, nok), nok);
    },
  };
}

function lookaheadOf(guard: Guard, previous: Code): Construct {
  return {
    partial: true,
    tokenize: (effects, ok, nok) => {
      let text = '';
      const read: State = (code) => {
        if (code === null || text.length > LONGEST || guard.isEnd(text, code)) {
          effects.exit('data');
          return (guard.accepts(text + characterOf(code), previous) ? ok : nok)(code);
        }
        text += characterOf(code);
        effects.consume(code);
        return read;
      };
      return (code) => {
        effects.enter('data');
        return read(code);
      };
    },
  };
}

/** Nothing follows the `$$` that open a block. */
const ALONE: Guard = {
  isEnd: (_text, next) => isLineEnding(next),
  accepts: (text) => /^\$+\s*$/.test(text),
};

/**
 * As in Pandoc, a formula between single `$` has no white space at its ends, and no digit after it: `$5 and $6` and
 * `$5-$6` are amounts. `US$5` and `$5 (US$)` are amounts too.
 */
const FORMULA: Guard = {
  isEnd: (text) => text.length > 1 && text.endsWith('$'),
  accepts(text, previous) {
    if (text.startsWith('$$')) return true;
    if (/[A-Za-z0-9]/.test(characterOf(previous))) return false;
    const [, formula = ''] = /^\$([^$]+)\$(?![\d$])/.exec(text) ?? [];
    if (formula === '' || formula.trim() !== formula) return false;
    return !/^\d/.test(formula) || !/\s/.test(formula) || /[\\^_=]/.test(formula);
  },
};
