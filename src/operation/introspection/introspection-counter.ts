import {
  __Schema,
  __Type,
  type FieldNode,
  type FragmentDefinitionNode,
  type GraphQLObjectType,
  type GraphQLResolveInfo,
  type GraphQLSchema,
  getNamedType,
  isObjectType,
  Kind,
  type SelectionSetNode,
  valueFromASTUntyped,
} from 'graphql';

/** Lists contain what is deprecated if the document requests it. */
const ARGUMENTS = { includeDeprecated: true };

/**
 * Counts the objects of a description of the schema. It stops when there are more than `most`, and counts a selection on the
 * same object only once, so the work is at most proportional to `most`.
 */
export class IntrospectionCounter {
  readonly #schema: GraphQLSchema;
  readonly #fragments: ReadonlyMap<string, Pick<FragmentDefinitionNode, 'selectionSet'>>;
  readonly #most: number;
  readonly #counted = new Map<SelectionSetNode, Map<object, number>>();

  constructor(
    schema: GraphQLSchema,
    fragments: ReadonlyMap<string, Pick<FragmentDefinitionNode, 'selectionSet'>>,
    most: number,
  ) {
    this.#schema = schema;
    this.#fragments = fragments;
    this.#most = most;
  }

  /** The objects of the root field `__schema` or `__type`. Every type is described if a variable names it: at most the largest. */
  ofRoot(
    { name, selectionSet, arguments: nodes = [] }: FieldNode,
    variables: Readonly<Record<string, unknown>>,
  ): number {
    if (!selectionSet) return 0;
    if (name.value === '__schema') return 1 + this.#ofSet(selectionSet, __Schema, this.#schema);
    const named = nodes.find((node) => node.name.value === 'name')?.value;
    const type = named && this.#schema.getType(String(valueFromASTUntyped(named, variables)));
    return type ? 1 + this.#ofSet(selectionSet, __Type, type) : 0;
  }

  #ofSet(set: SelectionSetNode, type: GraphQLObjectType, value: object): number {
    const ofSet = this.#counted.get(set) ?? new Map<object, number>();
    this.#counted.set(set, ofSet);
    const known = ofSet.get(value);
    if (known !== undefined) return known;
    let count = 0;
    for (const selection of set.selections) {
      if (count > this.#most) break;
      if (selection.kind === Kind.FIELD) count += this.#ofField(selection, type, value, this.#most - count);
      else if (selection.kind === Kind.INLINE_FRAGMENT) count += this.#ofSet(selection.selectionSet, type, value);
      else {
        const fragment = this.#fragments.get(selection.name.value);
        if (fragment) count += this.#ofSet(fragment.selectionSet, type, value);
      }
    }
    ofSet.set(value, count);
    return count;
  }

  #ofField({ name, selectionSet }: FieldNode, parent: GraphQLObjectType, value: object, left: number): number {
    const field = parent.getFields()[name.value];
    const type = field && getNamedType(field.type);
    if (!selectionSet || !field?.resolve || !isObjectType(type)) return 0;
    const resolved: unknown = field.resolve(value, ARGUMENTS, undefined, {
      schema: this.#schema,
    } as GraphQLResolveInfo);
    const items = Array.isArray(resolved) ? resolved : [resolved];
    let count = 0;
    for (const item of items) {
      if (count > left) break;
      if (item) count += 1 + this.#ofSet(selectionSet, type, item as object);
    }
    return count;
  }
}
