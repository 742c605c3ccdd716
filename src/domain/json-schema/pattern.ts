import type { Budget } from './budget.ts';
import { type Assertion, type PatternNode, parsePattern, UnsupportedPattern } from './pattern-syntax.ts';

type Instruction =
  | { readonly op: 'char'; readonly accepts: CharTest }
  | { readonly op: 'assert'; readonly at: Assertion }
  /** Continues at each of these instructions. */
  | { readonly op: 'go'; readonly to: number[] }
  | { readonly op: 'match' };

type CharTest = (code: number) => boolean;

/** A compiled pattern. */
export type Pattern = readonly Instruction[];

/** `a{1000}{1000}` is short to write. The limit applies to its size after expansion. */
const MAX_INSTRUCTIONS = 4_000;

/**
 * Compiles a regular expression of ECMA-262 for matching in linear time. Returns undefined if that is not possible
 * (lookaround, back references), or if it is too large or not valid.
 */
export function compilePattern(source: string, budget: Budget): Pattern | undefined {
  budget.spend(100 + source.length * 4);
  try {
    return new Compiler(budget).compile(parsePattern(source));
  } catch (error) {
    if (error instanceof UnsupportedPattern) return undefined;
    throw error;
  }
}

class Compiler {
  readonly #program: Instruction[] = [];
  readonly #tests = new Map<string, CharTest>();
  readonly #budget: Budget;
  #copies = 0;

  constructor(budget: Budget) {
    this.#budget = budget;
  }

  compile(node: PatternNode): Pattern {
    this.#emit(node);
    this.#program.push({ op: 'match' });
    return this.#program;
  }

  #emit(node: PatternNode): void {
    this.#budget.spend(12);
    this.#copies += 1;
    // Copies of an empty group add no instruction, but take time.
    if (this.#copies > MAX_INSTRUCTIONS) throw new UnsupportedPattern();
    if (node.kind === 'char') this.#program.push({ op: 'char', accepts: this.#test(node.source) });
    else if (node.kind === 'assert') this.#program.push({ op: 'assert', at: node.at });
    else if (node.kind === 'repeat') this.#emitRepeat(node);
    else if (node.kind === 'choice') this.#emitChoice(node.nodes);
    else for (const inner of node.nodes) this.#emit(inner);
  }

  #emitChoice(nodes: readonly PatternNode[]): void {
    const fork = this.#go();
    const exits = nodes.map((node) => {
      fork.push(this.#program.length);
      this.#emit(node);
      return this.#go();
    });
    for (const exit of exits) exit.push(this.#program.length);
  }

  #emitRepeat({ node, min, max }: Extract<PatternNode, { kind: 'repeat' }>): void {
    for (let count = 0; count < min; count += 1) this.#emit(node);
    if (max === Infinity) {
      const start = this.#program.length;
      const fork = this.#go();
      fork.push(this.#program.length);
      this.#emit(node);
      this.#go().push(start);
      fork.push(this.#program.length);
      return;
    }
    const forks: number[][] = [];
    for (let count = min; count < max; count += 1) {
      const fork = this.#go();
      fork.push(this.#program.length);
      forks.push(fork);
      this.#emit(node);
    }
    for (const fork of forks) fork.push(this.#program.length);
  }

  #go(): number[] {
    const to: number[] = [];
    this.#program.push({ op: 'go', to });
    return to;
  }

  #test(source: string): CharTest {
    const known = this.#tests.get(source);
    if (known) return known;
    this.#budget.spend(3_000);
    const test = charTest(source);
    this.#tests.set(source, test);
    return test;
  }
}

/** The native engine matches one character of a class or an escape: it cannot backtrack there. */
function charTest(source: string): CharTest {
  const expression = oneCharacter(source);
  const ascii = Array.from({ length: 128 }, (_, code) => expression.test(String.fromCharCode(code)));
  return (code) => ascii[code] ?? expression.test(String.fromCodePoint(code));
}

function oneCharacter(source: string): RegExp {
  // Outside of a class these are literal here, but invalid or special for the native engine.
  const literal = /^[{}\]]$/.test(source) ? `\\${source}` : source;
  for (const flags of ['u', '']) {
    try {
      return new RegExp(`^(?:${literal})$`, flags);
    } catch {}
  }
  throw new UnsupportedPattern();
}
