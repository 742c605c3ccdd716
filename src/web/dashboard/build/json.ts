/** JSON as somebody writes it: its value, or what is wrong with it. */
export type ReadJson<Value> = { readonly value: Value; readonly problem?: never } | { readonly problem: string };

export function readJson(text: string): ReadJson<unknown> {
  try {
    return { value: JSON.parse(text) as unknown };
  } catch (error) {
    return { problem: `This is not JSON: ${error instanceof Error ? error.message : 'it cannot be read'}.` };
  }
}

export function readJsonObject(text: string): ReadJson<Record<string, unknown>> {
  const read = readJson(text);
  if (read.problem !== undefined) return read;
  const { value } = read;
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    return { problem: 'This has to be an object, in { and }.' };
  }
  return { value: value as Record<string, unknown> };
}

export const jsonText = (value: unknown): string => JSON.stringify(value, null, 2);
