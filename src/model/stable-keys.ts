/**
 * A JSON value whose objects have one order of keys. A model's call has the order that the model chose, and the same
 * call from the database another one, so a later request would not begin with the same bytes and no cache would have it.
 * The order is that of `jsonb`, the shortest key first: values from the database have it already, and are not copied.
 */
export function withStableKeys<Value>(value: Value): Value {
  return (isStable(value) ? value : sorted(value)) as Value;
}

function isStable(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return true;
  if (Array.isArray(value)) return value.every(isStable);
  let last: string | undefined;
  for (const [key, inner] of Object.entries(value)) {
    if ((last !== undefined && compareKeys(last, key) > 0) || !isStable(inner)) return false;
    last = key;
  }
  return true;
}

function sorted(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(sorted);
  const entries = Object.entries(value).sort(([one], [other]) => compareKeys(one, other));
  return Object.fromEntries(entries.map(([key, inner]) => [key, sorted(inner)]));
}

function compareKeys(one: string, other: string): number {
  return one.length - other.length || (one < other ? -1 : Number(one > other));
}
