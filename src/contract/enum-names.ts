type WithUnderscores<Value extends string> = Value extends `${infer Start}${':' | '.'}${infer End}`
  ? `${Start}_${WithUnderscores<End>}`
  : Value;

/** The name of a value in its GraphQL enum: `resources:read` → `RESOURCES_READ`. */
export type EnumName<Value extends string> = Uppercase<WithUnderscores<Value>>;

/** The name of a value in its GraphQL enum. The database, REST, webhooks and exports have the value itself. */
export function enumNameOf<Value extends string>(value: Value): EnumName<Value> {
  return value.replace(/[:.]/g, '_').toUpperCase() as EnumName<Value>;
}

/** The value of a name, for enums whose values have neither `:` nor `.`: `CLIENT_TOOL` → `client_tool`. */
export function enumValueOf<Name extends string>(name: Name): Lowercase<Name> {
  return name.toLowerCase() as Lowercase<Name>;
}

/** The value with this name. A name that a newer version of the service has added stays as it is. */
export function enumValueIn<Value extends string>(values: readonly Value[], name: EnumName<Value>): Value {
  return values.find((value) => enumNameOf(value) === name) ?? (name as string as Value);
}
