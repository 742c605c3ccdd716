import { type GraphQLInputType, getNullableType, isLeafType, isListType } from 'graphql';

const JSON_SCALARS: ReadonlySet<string> = new Set(['JSON', 'JSONObject']);

function isText(type: GraphQLInputType): boolean {
  const bare = getNullableType(type);
  return isLeafType(bare) && !JSON_SCALARS.has(bare.name);
}

/** One value that a segment of a path can have as text. */
export const isTextParameter = isText;

/** A list of such values, which a query parameter repeats. */
export function isRepeatedParameter(type: GraphQLInputType): boolean {
  const bare = getNullableType(type);
  return isListType(bare) && isText(bare.ofType as GraphQLInputType);
}

/** A value with parts: a query parameter has it as JSON. */
export function isJsonParameter(type: GraphQLInputType): boolean {
  return !isText(type) && !isRepeatedParameter(type);
}
