import { enumValueOf } from '../contract/enum-names.ts';

/** Fields with a value of an enum. The GraphQL API writes its name. */
const ENUM_FIELD = /^(type|role|kind|mode|value|finishReason|status|\w+Status)$/;

/** The JSON of tools, which stays as it is. */
const JSON_FIELD = /^(arguments|output)$/;

/** `created_at` → `createdAt`. */
export function camelCase(name: string): string {
  return name.replace(/_./g, (pair) => pair.slice(1).toUpperCase());
}

/** A value of the REST API or the GraphQL API with the names and the enum values of the SDK. `key` is its field. */
export function fromWire<Result>(value: unknown, key?: string): Result;
export function fromWire(value: unknown, key = ''): unknown {
  if (typeof value === 'string') return ENUM_FIELD.test(key) ? enumValueOf(value) : value;
  if (Array.isArray(value)) return value.map((one) => fromWire(one, key));
  if (!value || typeof value !== 'object' || JSON_FIELD.test(key)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, field]) => [camelCase(name), fromWire(field, camelCase(name))]),
  );
}
