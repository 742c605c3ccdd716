import { decodeGlobalID } from '@pothos/plugin-relay';
import { GraphQLScalarType, type GraphQLSchema, valueFromASTUntyped } from 'graphql';
import { type FieldPath, ServiceError } from '../../contract/errors.ts';
import { LIMITS } from '../../contract/limits.ts';
import { formatCount } from '../../contract/quantities.ts';
import { InvalidValueError } from '../../operation/input.ts';
import { isNode } from '../../operation/node-scope.ts';
import { isStorable } from '../../operation/storable-text.ts';

/** A node as another subgraph knows it. */
export interface Representation {
  readonly __typename: string;
  readonly id: string;
}

export const representationScalar = new GraphQLScalarType<Representation, never>({
  name: '_Any',
  description: 'A node as another subgraph knows it: an object with `__typename` and `id`.',
  specifiedByURL: 'https://www.apollographql.com/docs/graphos/schema-design/federated-schemas/reference/subgraph-spec',
  parseValue,
  parseLiteral: (node, variables) => parseValue(valueFromASTUntyped(node, variables)),
});

function parseValue(value: unknown): Representation {
  const { __typename, id } = (typeof value === 'object' && value !== null ? value : {}) as Partial<Representation>;
  if (typeof __typename === 'string' && typeof id === 'string') return { __typename, id };
  throw new InvalidValueError('must be an object with __typename and id');
}

/** @throws {ServiceError} invalid_request if there are too many, or if one does not name a node */
export function requireNodes(representations: readonly Representation[], schema: GraphQLSchema): void {
  if (representations.length > LIMITS.entities) {
    const message = `{param} must have at most ${formatCount(LIMITS.entities)} items. Split the request.`;
    throw new ServiceError('invalid_request', message, { param: ['representations'] });
  }
  for (const [index, { __typename, id }] of representations.entries()) {
    const at = ['representations', index] as const;
    if (!isNode(schema.getType(__typename)))
      throw invalid([...at, '__typename'], 'must be the name of a type with @key');
    if (typeOf(id) !== __typename) throw invalid([...at, 'id'], `must be an \`id\` of the type ${__typename}`);
  }
}

/** The type that a global ID names. Undefined if the text is not a global ID that the database can store. */
function typeOf(globalId: string): string | undefined {
  try {
    const { typename, id } = decodeGlobalID(globalId);
    return isStorable(id) ? typename : undefined;
  } catch {
    return undefined;
  }
}

function invalid(param: FieldPath, problem: string): ServiceError {
  return new ServiceError('invalid_request', `{param} ${problem}.`, { param });
}
