import { ARRAY_KEYWORDS } from './array-keywords.ts';
import type { Failure, Keyword } from './keyword.ts';
import { OBJECT_KEYWORDS } from './object-keywords.ts';
import { isObject, isSchema } from './schema.ts';
import { VALUE_KEYWORDS } from './value-keywords.ts';
import { isEqual } from './values.ts';

const COMBINATORS: Readonly<Record<string, Keyword>> = {
  $ref(run, { keyword, value, place }) {
    return typeof keyword === 'string' ? run.follow(keyword, value, place) : undefined;
  },
  allOf(run, { keyword, value, place }) {
    for (const schema of listOf(keyword)) {
      const failure = run.check(schema, value, place);
      if (failure) return failure;
    }
    return undefined;
  },
  anyOf(run, { keyword, value, place }) {
    const schemas = listOf(keyword);
    let last: Failure | undefined;
    for (const schema of schemas) {
      last = run.check(schema, value, place);
      if (!last) return undefined;
    }
    // If there is only one schema, its own message is more precise.
    return schemas.length === 1 ? last : last && { place, message: 'must match one of the schemas of anyOf' };
  },
  oneOf(run, { keyword, value, place }) {
    const schemas = listOf(keyword);
    if (schemas.length === 0) return undefined;
    const { skipped } = run;
    const count = schemas.filter((schema) => !run.check(schema, value, place)).length;
    if (count === 1 || (count > 1 && run.skipped > skipped)) return undefined;
    return { place, message: 'must match exactly one of the schemas of oneOf' };
  },
  not(run, { keyword, value, place }) {
    const { skipped } = run;
    if (!isSchema(keyword) || run.check(keyword, value, place) || run.skipped > skipped) return undefined;
    return { place, message: 'must not match the schema of not' };
  },
  if(run, { schema, keyword, value, place }) {
    const { skipped } = run;
    const branch = run.check(keyword, value, place) ? 'else' : 'then';
    if (branch === 'then' && run.skipped > skipped) return undefined;
    return Object.hasOwn(schema, branch) ? run.check(schema[branch], value, place) : undefined;
  },
  enum(run, { keyword, value, place }) {
    if (!Array.isArray(keyword)) return undefined;
    if (keyword.some((item) => isEqual(item, value, run.budget))) return undefined;
    return { place, message: `must be one of ${shown(keyword)}` };
  },
  const(run, { keyword, value, place }) {
    return isEqual(keyword, value, run.budget) ? undefined : { place, message: `must be ${shown([keyword])}` };
  },
};

const skip: Keyword = (run) => {
  run.skipped += 1;
  return undefined;
};

/** Keywords that restrict values, but are not supported. */
const SKIPPED: Readonly<Record<string, Keyword>> = {
  format: skip,
  unevaluatedItems: skip,
  unevaluatedProperties: skip,
  $dynamicRef: skip,
  $recursiveRef: skip,
};

/** Every keyword that restricts values. A map, because a schema can have a keyword named `constructor`. */
export const KEYWORDS: ReadonlyMap<string, Keyword> = new Map(
  Object.entries({ ...VALUE_KEYWORDS, ...ARRAY_KEYWORDS, ...OBJECT_KEYWORDS, ...COMBINATORS, ...SKIPPED }),
);

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

const SHOWN_VALUES = 20;
const SHOWN_LENGTH = 60;

/** Formats values for the model. */
function shown(values: readonly unknown[]): string {
  const texts = values.slice(0, SHOWN_VALUES).map((value) => {
    if (isObject(value) || Array.isArray(value)) return 'a value of the schema';
    return JSON.stringify(value).slice(0, SHOWN_LENGTH);
  });
  return texts.join(', ') + (values.length > SHOWN_VALUES ? ', …' : '');
}
