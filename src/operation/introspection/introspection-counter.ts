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

/** A field of the description whose value has fields of its own. */
interface Part {
  readonly name: string;
  readonly set: SelectionSetNode;
}

type Fragments = ReadonlyMap<string, Pick<FragmentDefinitionNode, 'selectionSet'>>;

/**
 * Counts the objects of a description of the schema. It stops when there are more than `most`, and counts a selection on the
 * same object only once, so the work is at most proportional to `most`.
 */
export class IntrospectionCounter {
  readonly #schema: GraphQLSchema;
  readonly #fragments: Fragments;
  readonly #most: number;
  readonly #parts = new Map<SelectionSetNode, readonly Part[]>();
  readonly #counted = new Map<SelectionSetNode, Map<object, number>>();

  constructor(schema: GraphQLSchema, fragments: Fragments, most: number) {
    this.#schema = schema;
    this.#fragments = fragments;
    this.#most = most;
  }

  /** The objects of the root field `__schema` or `__type`. */
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
    const parts = this.#partsOf(set);
    if (parts.length === 0) return 0;
    const ofSet = this.#counted.get(set) ?? new Map<object, number>();
    this.#counted.set(set, ofSet);
    const known = ofSet.get(value);
    if (known !== undefined) return known;
    let count = 0;
    for (const part of parts) {
      if (count > this.#most) break;
      count += this.#ofPart(part, type, value, this.#most - count);
    }
    ofSet.set(value, count);
    return count;
  }

  #ofPart({ name, set }: Part, parent: GraphQLObjectType, value: object, left: number): number {
    const field = parent.getFields()[name];
    const type = field && getNamedType(field.type);
    if (!field?.resolve || !isObjectType(type)) return 0;
    const resolved: unknown = field.resolve(value, ARGUMENTS, undefined, {
      schema: this.#schema,
    } as GraphQLResolveInfo);
    const items = Array.isArray(resolved) ? resolved : [resolved];
    let count = 0;
    for (const item of items) {
      if (count > left) break;
      if (item) count += 1 + this.#ofSet(set, type, item as object);
    }
    return count;
  }

  /** The fields that have fields of their own, those of fragments included. */
  #partsOf(set: SelectionSetNode): readonly Part[] {
    const known = this.#parts.get(set);
    if (known) return known;
    // Spreads can form a cycle in a document that is not validated.
    this.#parts.set(set, []);
    const parts = set.selections.flatMap((selection): readonly Part[] => {
      if (selection.kind === Kind.INLINE_FRAGMENT) return this.#partsOf(selection.selectionSet);
      if (selection.kind === Kind.FIELD) {
        return selection.selectionSet ? [{ name: selection.name.value, set: selection.selectionSet }] : [];
      }
      const fragment = this.#fragments.get(selection.name.value);
      return fragment ? this.#partsOf(fragment.selectionSet) : [];
    });
    this.#parts.set(set, parts);
    return parts;
  }
}
