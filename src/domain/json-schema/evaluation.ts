import type { Budget } from './budget.ts';
import type { Failure, Place, SchemaRun } from './keyword.ts';
import { KEYWORDS } from './keywords.ts';
import { compilePattern, type Pattern } from './pattern.ts';
import { matches } from './pattern-match.ts';
import { References } from './references.ts';
import { isObject, type Schema } from './schema.ts';

/** Checking the value would exhaust the stack. */
export class TooDeepError extends Error {}

const MAX_DEPTH = 600;

/** The cost of checking one subschema, and of each keyword. */
const SCHEMA_STEPS = 24;
const KEYWORD_STEPS = 4;
/** The cost of listing an object's names: engines list thousands of names slowly. */
const NAME_STEPS = 80;

/** One check of a value. It interprets the schema and never compiles it to code. */
export class Evaluation implements SchemaRun {
  readonly budget: Budget;
  /** How many keywords were skipped because they are not supported. A schema with one may match or not. */
  skipped = 0;
  readonly #references: References;
  readonly #names = new Map<Schema, readonly string[]>();
  readonly #patterns = new Map<string, Pattern | undefined>();

  constructor(root: Schema, budget: Budget) {
    this.budget = budget;
    this.#references = new References(root);
  }

  /** @throws {BudgetExceededError} @throws {TooDeepError} */
  check(schema: unknown, value: unknown, place: Place): Failure | undefined {
    this.budget.spend(SCHEMA_STEPS);
    if (schema === false) return { place, message: 'is not allowed' };
    if (!isObject(schema)) return undefined;
    if (place.depth > MAX_DEPTH) throw new TooDeepError();
    const inner = { ...place, depth: place.depth + 1 };
    for (const keyword of this.namesOf(schema)) {
      this.budget.spend(KEYWORD_STEPS);
      const failure = KEYWORDS.get(keyword)?.(this, { schema, keyword: schema[keyword], value, place: inner });
      if (failure) return failure;
    }
    return undefined;
  }

  /** Checks an item or a property of the value. */
  checkAt(schema: unknown, value: unknown, key: string | number, parent: Place): Failure | undefined {
    return this.check(schema, value, { key, parent, depth: parent.depth });
  }

  /** Checks the target of a reference. A reference that leads back to itself at the same place is ignored. */
  follow(reference: string, value: unknown, place: Place): Failure | undefined {
    const target = this.#references.find(reference);
    for (let known = place.references; known; known = known.next) {
      this.budget.spend(1);
      if (known.target === target) return undefined;
    }
    return this.check(target, value, { ...place, references: { target, next: place.references } });
  }

  /** The property names of an object of the schema or the value. */
  namesOf(object: Schema): readonly string[] {
    const known = this.#names.get(object);
    this.budget.spend(4 * (known?.length ?? 1));
    if (known) return known;
    const names = Object.keys(object);
    this.budget.spend(NAME_STEPS * names.length);
    this.#names.set(object, names);
    return names;
  }

  /** Undefined if the pattern is not supported. */
  matches(pattern: string, text: string): boolean | undefined {
    this.budget.spend(4);
    if (!this.#patterns.has(pattern)) this.#patterns.set(pattern, compilePattern(pattern, this.budget));
    const compiled = this.#patterns.get(pattern);
    if (compiled) return matches(compiled, text, this.budget);
    this.skipped += 1;
    return undefined;
  }
}
