import { type GraphQLSchema, Kind, type TypeNode } from 'graphql';
import { LIMITS } from '../../contract/limits.ts';
import { costOf } from '../../operation/document-cost.ts';
import type { TrustedText } from './source.ts';

/** The lowest and the highest cost of a call. Its variables give the length of lists. */
export function costRange(
  schema: GraphQLSchema,
  { document, operation }: TrustedText,
): { least: number; most: number } {
  const sizes = (size: number) =>
    Object.fromEntries(
      (operation.variableDefinitions ?? []).flatMap(({ variable, type }) => {
        const value = valueOfSize(type, size);
        return value === undefined ? [] : [[variable.name.value, value]];
      }),
    );
  return {
    least: costOf(schema, document, operation, sizes(1)),
    most: costOf(schema, document, operation, sizes(LIMITS.pageSize)),
  };
}

function valueOfSize(type: TypeNode, size: number): unknown {
  if (type.kind === Kind.NON_NULL_TYPE) return valueOfSize(type.type, size);
  if (type.kind === Kind.LIST_TYPE) return Array.from({ length: size });
  return type.name.value === 'Int' ? size : undefined;
}
