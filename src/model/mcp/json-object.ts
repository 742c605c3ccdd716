/** An object of JSON that a server sent. */
export type JsonObject = Readonly<Record<string, unknown>>;

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The value, or an empty object in place of another type. */
export function objectOf(value: unknown): JsonObject {
  return isObject(value) ? value : {};
}
