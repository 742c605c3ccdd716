import type { GraphQLArgument } from 'graphql';
import { LIMITS } from '../contract/limits.ts';
import type { ShapeExtensions } from '../graphql/schema/shape-fields.ts';
import type { JsonSchema } from './json-schema.ts';

const PAGE_SIZE: JsonSchema = { minimum: 1, maximum: LIMITS.pageSize };

type Member = Pick<GraphQLArgument, 'extensions'>;

/**
 * Bounds that the domain enforces, by the name of an argument or input field. Keys with a type or root field
 * take precedence. They only document the bounds: the domain checks them.
 */
const BY_NAME: Readonly<Record<string, JsonSchema>> = {
  first: PAGE_SIZE,
  last: PAGE_SIZE,
  page: { minimum: 1, maximum: LIMITS.page },
  pageSize: PAGE_SIZE,
  'events.types': { minItems: 1 },
};

/** The bounds of an argument or an input field. */
export function limitsOf(member: Member | undefined, name: string, type?: string): JsonSchema {
  const { bounds } = (member?.extensions ?? {}) as Partial<ShapeExtensions>;
  if (bounds) return bounds;
  return BY_NAME[`${type}.${name}`] ?? BY_NAME[name] ?? {};
}
