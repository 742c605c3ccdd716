import { formatCount } from '../../contract/quantities.ts';

/** The depth limit of a value from a model. Code that reads, writes or stores deeper values would exhaust its stack. */
const MAX_LEVELS = 100;

/** The limit of nested values, at all levels. */
const MAX_VALUES = 50_000;

/** Properties of one object. V8 needs about 1 µs for each name to list them, so 50,000 would hold the event loop. */
const MAX_PROPERTIES = 10_000;

/** Checks the size limits of a value from a model, independent of its schema. It does not recurse. */
export function valueSizeProblem(value: unknown): string | undefined {
  const open: { readonly value: object; readonly level: number }[] = [];
  const enter = (inner: unknown, level: number) => {
    if (typeof inner === 'object' && inner !== null) open.push({ value: inner, level });
  };
  enter(value, 1);
  let count = 0;
  for (let place = open.pop(); place; place = open.pop()) {
    if (place.level > MAX_LEVELS) return `the value is nested more than ${MAX_LEVELS} levels deep`;
    const items = itemsOf(place.value);
    if (!items) return `an object in the value has more than ${formatCount(MAX_PROPERTIES)} properties`;
    count += items.length;
    if (count > MAX_VALUES) return `the value holds more than ${formatCount(MAX_VALUES)} values`;
    for (const item of items) enter(item, place.level + 1);
  }
  return undefined;
}

/** The direct children of a list or an object. Undefined if an object has too many properties. */
function itemsOf(value: object): readonly unknown[] | undefined {
  if (Array.isArray(value)) return value;
  const names = Object.keys(value);
  return names.length > MAX_PROPERTIES ? undefined : names.map((name) => (value as Record<string, unknown>)[name]);
}
