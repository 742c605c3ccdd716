import { z } from 'zod';
import { LIMITS } from '../../contract/limits.ts';
import { valuesByName } from '../values-by-name.ts';

/** The value of a label. */
export type MetaValue = string | number | boolean;

/** Query parameters of the conversation list. A meta filter with such a name would be ambiguous. */
const RESERVED_META = new Set(['page', 'page_size']);

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

function metaOf<Value extends z.ZodType>(value: Value) {
  return valuesByName(value, LIMITS.metaKeys).refine(
    (map) => !Object.keys(map).some((key) => RESERVED_META.has(key)),
    'must not use the keys page and page_size, which page through the conversation list',
  );
}

/** Searchable labels by name (SPEC 4.1, WIRE 1). */
export const metaInput = metaOf(metaValue);

/** Labels to set, and null for those to remove. */
export const metaChangesInput = metaOf(metaChange);
