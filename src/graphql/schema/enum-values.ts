import { type GraphQLEnumType, type GraphQLSchema, isEnumType, isIntrospectionType } from 'graphql';

/** Makes the results of a schema contain the values of enums (`waiting_for_client_action`) instead of their names. */
export function withEnumValues(schema: GraphQLSchema): GraphQLSchema {
  for (const type of Object.values(schema.getTypeMap())) {
    // All schemas share the enums of introspection.
    if (isEnumType(type) && !isIntrospectionType(type)) type.serialize = valueSerializer(type);
  }
  return schema;
}

function valueSerializer(type: GraphQLEnumType): (value: unknown) => string {
  const values = new Set(type.getValues().map(({ value }) => value));
  return (value) => {
    if (values.has(value)) return value as string;
    throw new TypeError(`${type.name} has no value ${String(value)}.`);
  };
}
