import type { JsonObject } from '../../../sdk/index.ts';
import { isObject } from '../../timeline/client-tools.ts';

/** An argument of a call as a person reads it. */
export interface ArgumentRow {
  readonly name: string;
  /** The title in the schema. Undefined: it has no title. */
  readonly title: string | undefined;
  readonly text: string;
  /** Whether the text is JSON. */
  readonly isCode: boolean;
}

/** A date, or a moment with its offset, as RFC 3339 writes them. */
const DATE = /^\d{4}-\d{2}-\d{2}(T\d{2}:\d{2}(:\d{2}(\.\d+)?)?(Z|[+-]\d{2}:\d{2}))?$/;

const CURRENCY = /^[A-Za-z]{3}$/;
const AMOUNT = /amount|price|total|cost|fee|refund|balance/i;

/**
 * The required arguments in the order of the schema, then its others, then those that it does not name: stored objects keep
 * no order, but lists do. A date is shown in words and unchanged, and a number with its currency if the call names one: never
 * converted, because some amounts are in cents.
 */
export function argumentRows(args: JsonObject, schema: unknown, locale: string): readonly ArgumentRow[] {
  const properties = isObject(schema) && isObject(schema.properties) ? schema.properties : {};
  const required = isObject(schema) && Array.isArray(schema.required) ? schema.required.map(String) : [];
  const names = [...new Set([...required, ...Object.keys(properties), ...Object.keys(args)])];
  return names
    .filter((name) => Object.hasOwn(args, name))
    .map((name) => {
      const property = Object.hasOwn(properties, name) ? properties[name] : undefined;
      const title = isObject(property) && typeof property.title === 'string' ? property.title : undefined;
      return { name, title, ...textOf(name, args[name], args, locale) };
    });
}

function textOf(name: string, value: unknown, args: JsonObject, locale: string) {
  if (typeof value === 'string') return { text: DATE.test(value) ? dateText(value, locale) : value, isCode: false };
  if (typeof value === 'number') return { text: numberText(name, value, args, locale), isCode: false };
  return { text: JSON.stringify(value, null, 2), isCode: true };
}

function dateText(value: string, locale: string): string {
  const date = new Date(value);
  if (Number.isNaN(date.getTime())) return value;
  const isDay = !value.includes('T');
  const options = isDay
    ? ({ dateStyle: 'full', timeZone: 'UTC' } as const)
    : ({ dateStyle: 'full', timeStyle: 'long' } as const);
  return `${date.toLocaleString(locale, options)} (${value})`;
}

function numberText(name: string, value: number, { currency }: JsonObject, locale: string): string {
  const text = value.toLocaleString(locale, { maximumFractionDigits: 20 });
  const isAmount = AMOUNT.test(name) && typeof currency === 'string' && CURRENCY.test(currency);
  return isAmount ? `${text} ${currency.toUpperCase()}` : text;
}
