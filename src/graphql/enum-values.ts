/**
 * The values of an enum, each told in words. The contract's own list says which there are, so a new one without words
 * does not compile.
 */
export function valuesOf<Value extends string>(values: readonly Value[], words: Readonly<Record<Value, string>>) {
  const entries = values.map((value) => [value, { value, description: words[value] }] as const);
  // Object.fromEntries forgets which names there are.
  return Object.fromEntries(entries) as { readonly [V in Value]: { readonly value: V; readonly description: string } };
}
