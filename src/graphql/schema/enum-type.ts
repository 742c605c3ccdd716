import { type EnumName, enumNameOf } from '../../contract/enum-names.ts';
import { builder } from './builder.ts';

type Texts<Value extends string> = Readonly<Record<Value, string>>;

/** The values of an enum with their names and descriptions. */
export function valuesOf<Value extends string>(values: readonly Value[], descriptions: Texts<Value>) {
  const entries = values.map((value) => [enumNameOf(value), { value, description: descriptions[value] }] as const);
  // Object.fromEntries loses the names.
  return Object.fromEntries(entries) as {
    readonly [V in Value as EnumName<V>]: { readonly value: V; readonly description: string };
  };
}

/** The enums by the list of their values. */
const enumTypes = new WeakMap<readonly string[], unknown>();

interface EnumTexts<Value extends string> {
  readonly description: string;
  readonly values: Texts<Value>;
}

/** The enum of values of the contract. A value without a description does not compile. */
export function enumType<Value extends string>(name: string, values: readonly Value[], texts: EnumTexts<Value>) {
  const ref = builder.enumType(name, { description: texts.description, values: valuesOf(values, texts.values) });
  enumTypes.set(values, ref);
  return ref;
}

/** The enum that {@link enumType} made for the same list. @throws {Error} if the list has no enum */
export function enumOf(values: readonly string[]): unknown {
  const ref = enumTypes.get(values);
  if (ref) return ref;
  throw new Error(`The list ${values.join(', ')} has no enum. Call enumType for it in src/graphql/schema/.`);
}
