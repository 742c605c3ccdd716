import * as z from 'zod/mini';
import { LIMITS } from '../contract/limits.ts';
import { map } from './kinds.ts';
import { boundsByName, valuesByName } from './values-by-name.ts';

/** The value of a label. */
export type MetaValue = string | number | boolean;

/** Query parameters of the conversation list. A meta filter with such a name would be ambiguous. */
const RESERVED = ['page', 'page_size'];

function isMetaValue(value: unknown): value is MetaValue {
  if (typeof value === 'string') return value.length <= LIMITS.metaLength;
  return typeof value === 'boolean' || Number.isFinite(value);
}

const VALUES = `a string of at most ${LIMITS.metaLength} characters, a finite number or a boolean`;

const metaValue = z.custom<MetaValue>(isMetaValue, `must be ${VALUES}`);

const metaChange = z.custom<MetaValue | null>(
  (value) => value === null || isMetaValue(value),
  `must be ${VALUES}, or null to remove the key`,
);

function metaOf<Value>(value: z.ZodMiniType<Value>) {
  return valuesByName(value, LIMITS.metaKeys).check(
    z.refine(
      (labels) => !RESERVED.some((key) => Object.hasOwn(labels, key)),
      'must not use the keys page and page_size, which page through the conversation list',
    ),
  );
}

/** The bounds of labels for OpenAPI. */
export const metaBounds = (...others: readonly object[]) => {
  const values = [{ type: 'string', maxLength: LIMITS.metaLength }, { type: 'number' }, { type: 'boolean' }];
  return boundsByName(LIMITS.metaKeys, { anyOf: [...values, ...others] }, { not: { enum: RESERVED } });
};

/** Searchable labels by name. */
export const meta = map(metaOf(metaValue), {
  says: `Searchable labels: strings, numbers or booleans by name, at most ${LIMITS.metaKeys}`,
  note: 'Only with the first message.',
  bounds: metaBounds(),
});

/** Labels to set, and null for those to remove. */
export const metaChanges = map(metaOf(metaChange), {
  says: 'Labels to change: strings, numbers or booleans by name',
  note: `Null removes a label, and other labels stay. The conversation can have ${LIMITS.metaKeys}.`,
  bounds: metaBounds({ type: 'null' }),
});
