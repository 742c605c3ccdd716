import type { Failure, Keyword, SchemaRun, Subject } from './keyword.ts';
import { isSchema } from './schema.ts';
import { canonical } from './values.ts';

/** Keywords for arrays, in the forms of draft 7 and of draft 2020-12. */
export const ARRAY_KEYWORDS: Readonly<Record<string, Keyword>> = {
  prefixItems: checkTuple,
  items(run, subject) {
    if (Array.isArray(subject.keyword)) return checkTuple(run, subject);
    return checkRest(run, subject, subject.schema.prefixItems);
  },
  additionalItems(run, subject) {
    return Array.isArray(subject.schema.items) ? checkRest(run, subject, subject.schema.items) : undefined;
  },
  contains(run, { schema, keyword, value, place }) {
    if (!Array.isArray(value) || !isSchema(keyword)) return undefined;
    const { minContains = 1, maxContains = Infinity } = schema;
    const count = value.filter((item, index) => !run.checkAt(keyword, item, index, place)).length;
    if (count < Number(minContains)) return { place, message: `must contain at least ${minContains} matching items` };
    if (count > Number(maxContains)) return { place, message: `must contain at most ${maxContains} matching items` };
    return undefined;
  },
  minItems(_run, { keyword, value, place }) {
    if (!Array.isArray(value) || typeof keyword !== 'number' || value.length >= keyword) return undefined;
    return { place, message: `must have at least ${keyword} items` };
  },
  maxItems(_run, { keyword, value, place }) {
    if (!Array.isArray(value) || typeof keyword !== 'number' || value.length <= keyword) return undefined;
    return { place, message: `must have at most ${keyword} items` };
  },
  uniqueItems(run, { keyword, value, place }) {
    if (keyword !== true || !Array.isArray(value)) return undefined;
    const seen = new Set<string>();
    for (const item of value) {
      const text = canonical(item, run.budget);
      if (seen.has(text)) return { place, message: 'must not have equal items' };
      seen.add(text);
    }
    return undefined;
  },
};

/** Checks each item against the schema at its position. */
function checkTuple(run: SchemaRun, { keyword, value, place }: Subject): Failure | undefined {
  if (!Array.isArray(value) || !Array.isArray(keyword)) return undefined;
  for (const [index, item] of value.slice(0, keyword.length).entries()) {
    const failure = run.checkAt(keyword[index], item, index, place);
    if (failure) return failure;
  }
  return undefined;
}

/** Checks the items after those of the tuple. */
function checkRest(run: SchemaRun, { keyword, value, place }: Subject, tuple: unknown): Failure | undefined {
  if (!Array.isArray(value) || !isSchema(keyword)) return undefined;
  for (let index = Array.isArray(tuple) ? tuple.length : 0; index < value.length; index += 1) {
    const failure = run.checkAt(keyword, value[index], index, place);
    if (failure) return failure;
  }
  return undefined;
}
