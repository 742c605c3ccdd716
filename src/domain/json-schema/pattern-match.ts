import type { Budget } from './budget.ts';
import type { Pattern } from './pattern.ts';
import type { Assertion } from './pattern-syntax.ts';

/**
 * Whether a pattern matches anywhere in a text. All alternatives advance together (Thompson's construction), so the
 * time is at most length × instructions.
 */
export function matches(pattern: Pattern, text: string, budget: Budget): boolean {
  const run = new Run(pattern, budget);
  let before = -1;
  for (const character of text) {
    const code = character.codePointAt(0) ?? 0;
    if (run.reach(before, code)) return true;
    run.advance(code);
    before = code;
  }
  return run.reach(before, -1);
}

class Run {
  readonly #pattern: Pattern;
  readonly #budget: Budget;
  readonly #seen: Uint32Array;
  #generation = 0;
  /** Instructions to continue from at this position. */
  #open: number[] = [];
  /** Tests of this position's character. */
  #waiting: number[] = [];

  constructor(pattern: Pattern, budget: Budget) {
    this.#pattern = pattern;
    this.#budget = budget;
    this.#seen = new Uint32Array(pattern.length);
    budget.spend(pattern.length);
  }

  /** Follows all instructions that consume no character. Returns true if the pattern matches. */
  reach(before: number, after: number): boolean {
    this.#generation += 1;
    this.#waiting = [];
    // A match can begin at any position.
    this.#open.push(0);
    for (let at = this.#open.pop(); at !== undefined; at = this.#open.pop()) {
      const instruction = this.#pattern[at];
      this.#budget.spend(1);
      if (!instruction || this.#seen[at] === this.#generation) continue;
      this.#seen[at] = this.#generation;
      if (instruction.op === 'match') return true;
      if (instruction.op === 'char') this.#waiting.push(at);
      else if (instruction.op === 'go') for (const to of instruction.to) this.#open.push(to);
      else if (holds(instruction.at, before, after)) this.#open.push(at + 1);
    }
    return false;
  }

  /** Consumes one character. */
  advance(code: number): void {
    // Other characters are tested with the native engine.
    this.#budget.spend(2 + this.#waiting.length * (code < 128 ? 1 : 5));
    for (const at of this.#waiting) {
      const instruction = this.#pattern[at];
      if (instruction?.op === 'char' && instruction.accepts(code)) this.#open.push(at + 1);
    }
  }
}

function holds(at: Assertion, before: number, after: number): boolean {
  if (at === '^') return before === -1;
  if (at === '$') return after === -1;
  return (isWord(before) !== isWord(after)) === (at === '\\b');
}

function isWord(code: number): boolean {
  return (code >= 48 && code <= 57) || (code >= 65 && code <= 90) || (code >= 97 && code <= 122) || code === 95;
}
