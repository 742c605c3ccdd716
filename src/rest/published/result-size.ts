import {
  type FragmentDefinitionNode,
  type GraphQLNamedType,
  type GraphQLSchema,
  getNamedType,
  isAbstractType,
  isInterfaceType,
  isObjectType,
  Kind,
  type SelectionSetNode,
} from 'graphql';
import type { DocumentSource } from './source.ts';

/**
 * The number of fields of a result after every fragment is replaced by its fields, once for each type that an object can
 * have. The work is linear in the text, because each fragment is counted once per type. The schemas of OpenAPI, MCP and the
 * typed artefacts have about as many fields.
 */
export function resultSize(schema: GraphQLSchema, { operation, fragments }: DocumentSource): number {
  const root = schema.getRootType(operation.operation);
  return root ? new FieldCounter(schema, fragments).ofSet(operation.selectionSet, root) : 0;
}

class FieldCounter {
  readonly #schema: GraphQLSchema;
  readonly #fragments: ReadonlyMap<string, FragmentDefinitionNode>;
  readonly #counted = new Map<string, number>();

  constructor(schema: GraphQLSchema, fragments: ReadonlyMap<string, FragmentDefinitionNode>) {
    this.#schema = schema;
    this.#fragments = fragments;
  }

  ofSet(set: SelectionSetNode, type: GraphQLNamedType): number {
    if (!isAbstractType(type)) return this.#ofObject(set, type);
    return this.#schema.getPossibleTypes(type).reduce((sum, possible) => sum + this.#ofObject(set, possible), 0);
  }

  #ofObject({ selections }: SelectionSetNode, type: GraphQLNamedType): number {
    let size = 0;
    for (const selection of selections) {
      if (selection.kind === Kind.FRAGMENT_SPREAD) size += this.#ofFragment(selection.name.value, type);
      else if (selection.kind === Kind.INLINE_FRAGMENT) {
        size += this.#ofCondition(selection.typeCondition?.name.value, selection.selectionSet, type);
      } else {
        const field = isObjectType(type) || isInterfaceType(type) ? type.getFields()[selection.name.value] : undefined;
        size += 1;
        if (field && selection.selectionSet) size += this.ofSet(selection.selectionSet, getNamedType(field.type));
      }
    }
    return size;
  }

  #ofFragment(name: string, type: GraphQLNamedType): number {
    const key = `${type.name} ${name}`;
    const counted = this.#counted.get(key);
    const fragment = this.#fragments.get(name);
    if (counted !== undefined || !fragment) return counted ?? 0;
    this.#counted.set(key, 0);
    const size = this.#ofCondition(fragment.typeCondition.name.value, fragment.selectionSet, type);
    this.#counted.set(key, size);
    return size;
  }

  #ofCondition(condition: string | undefined, set: SelectionSetNode, type: GraphQLNamedType): number {
    const on = condition === undefined ? type : this.#schema.getType(condition);
    const applies = on === type || (isAbstractType(on) && isObjectType(type) && this.#schema.isSubType(on, type));
    return applies ? this.#ofObject(set, type) : 0;
  }
}
