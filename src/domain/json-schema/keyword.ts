import type { Budget } from './budget.ts';
import type { Schema } from './schema.ts';

/** A place in the value, linked to its parent: most paths are never written out. */
export interface Place {
  readonly key?: string | number;
  readonly parent?: Place;
  /** How many schema checks enclose this one. */
  readonly depth: number;
  /** References followed to get here without descending into the value. */
  readonly references?: { readonly target: unknown; readonly next: Place['references'] };
}

/** The first problem of a value. */
export interface Failure {
  readonly place: Place;
  readonly message: string;
}

/** The input of a keyword's check. */
export interface Subject {
  readonly schema: Schema;
  /** The keyword's own value. A keyword whose value has an unexpected type is ignored. */
  readonly keyword: unknown;
  readonly value: unknown;
  readonly place: Place;
}

/** One check of a value, as the keywords use it. */
export interface SchemaRun {
  readonly budget: Budget;
  /** How many keywords were skipped because they are not supported. A schema with one may match or not. */
  skipped: number;
  check(schema: unknown, value: unknown, place: Place): Failure | undefined;
  /** Checks an item or a property of the value. */
  checkAt(schema: unknown, value: unknown, key: string | number, parent: Place): Failure | undefined;
  /** Checks the target of a reference. A reference that leads back to itself at the same place is ignored. */
  follow(reference: string, value: unknown, place: Place): Failure | undefined;
  /** The property names of an object of the schema or the value. */
  namesOf(object: Schema): readonly string[];
  /** Undefined if the pattern is not supported. */
  matches(pattern: string, text: string): boolean | undefined;
}

export type Keyword = (run: SchemaRun, subject: Subject) => Failure | undefined;
