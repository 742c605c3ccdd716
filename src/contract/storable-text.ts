/** Removes NUL characters and lone surrogates, which PostgreSQL does not store. */
export function storableText(text: string): string {
  return text.replaceAll('\0', '').toWellFormed();
}

/** Applies {@link storableText} to all texts and keys of a value. */
export function storableValue(value: unknown): unknown {
  if (typeof value === 'string') return storableText(value);
  if (Array.isArray(value)) return value.map(storableValue);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [storableText(key), storableValue(inner)]));
}
