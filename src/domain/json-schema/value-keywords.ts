import { TYPES } from './forms.ts';
import type { Keyword } from './keyword.ts';
import { isObject } from './schema.ts';
import { isLongerThan } from './values.ts';

/** Keywords for types, texts and numbers. */
export const VALUE_KEYWORDS: Readonly<Record<string, Keyword>> = {
  type(_run, { schema, keyword, value, place }) {
    // OpenAPI 3.0 allows null this way.
    if (value === null && schema.nullable === true) return undefined;
    const types = (Array.isArray(keyword) ? keyword : [keyword]).filter((type) => TYPES.has(type));
    if (types.length === 0 || types.some((type) => isOfType(value, type))) return undefined;
    return { place, message: `must be ${types.map(withArticle).join(' or ')}` };
  },
  minLength(run, { keyword, value, place }) {
    if (typeof value !== 'string' || typeof keyword !== 'number') return undefined;
    if (isLongerThan(value, keyword - 1, run.budget)) return undefined;
    return { place, message: `must have at least ${keyword} characters` };
  },
  maxLength(run, { keyword, value, place }) {
    if (typeof value !== 'string' || typeof keyword !== 'number') return undefined;
    if (!isLongerThan(value, keyword, run.budget)) return undefined;
    return { place, message: `must have at most ${keyword} characters` };
  },
  pattern(run, { keyword, value, place }) {
    if (typeof value !== 'string' || typeof keyword !== 'string') return undefined;
    if (run.matches(keyword, value) !== false) return undefined;
    return { place, message: `must match the pattern ${keyword.slice(0, 200)}` };
  },
  minimum(_run, { schema, keyword, value, place }) {
    if (typeof value !== 'number' || typeof keyword !== 'number') return undefined;
    if (schema.exclusiveMinimum === true) {
      return value > keyword ? undefined : { place, message: `must be above ${keyword}` };
    }
    return value >= keyword ? undefined : { place, message: `must be at least ${keyword}` };
  },
  maximum(_run, { schema, keyword, value, place }) {
    if (typeof value !== 'number' || typeof keyword !== 'number') return undefined;
    if (schema.exclusiveMaximum === true) {
      return value < keyword ? undefined : { place, message: `must be below ${keyword}` };
    }
    return value <= keyword ? undefined : { place, message: `must be at most ${keyword}` };
  },
  exclusiveMinimum(_run, { keyword, value, place }) {
    if (typeof value !== 'number' || typeof keyword !== 'number' || value > keyword) return undefined;
    return { place, message: `must be above ${keyword}` };
  },
  exclusiveMaximum(_run, { keyword, value, place }) {
    if (typeof value !== 'number' || typeof keyword !== 'number' || value < keyword) return undefined;
    return { place, message: `must be below ${keyword}` };
  },
  multipleOf(_run, { keyword, value, place }) {
    if (typeof value !== 'number' || typeof keyword !== 'number' || isMultiple(value, keyword)) return undefined;
    return { place, message: `must be a multiple of ${keyword}` };
  },
};

function isOfType(value: unknown, type: unknown): boolean {
  if (type === 'null') return value === null;
  if (type === 'array') return Array.isArray(value);
  if (type === 'object') return isObject(value);
  if (type === 'integer') return Number.isInteger(value);
  return typeof value === type;
}

function withArticle(type: unknown): string {
  if (type === 'null') return 'null';
  return `${/^[aio]/.test(String(type)) ? 'an' : 'a'} ${String(type)}`;
}

/** 0.07 is a multiple of 0.01, although the quotient of the doubles is not an integer. */
function isMultiple(value: number, step: number): boolean {
  const quotient = value / step;
  if (!Number.isFinite(quotient)) return value % step === 0;
  return Math.abs(quotient - Math.round(quotient)) <= Number.EPSILON * 8 * Math.max(1, Math.abs(quotient));
}
