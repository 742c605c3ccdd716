import {
  type DocumentNode,
  type FieldNode,
  type GraphQLField,
  type GraphQLObjectType,
  type GraphQLOutputType,
  type GraphQLSchema,
  getNamedType,
  getNullableType,
  isCompositeType,
  isInterfaceType,
  isListType,
  isObjectType,
  isUnionType,
  Kind,
  type OperationDefinitionNode,
  type SelectionSetNode,
  valueFromASTUntyped,
} from 'graphql';
import { LIMITS } from '../contract/limits.ts';

/** What a field says of itself that costs more than the object that it answers. */
export interface CostExtensions extends Readonly<Record<string, unknown>> {
  readonly cost: number;
}

/** Items of a list that no argument counts. */
const UNCOUNTED_ITEMS = 5;

/** The schema itself, which is long, but read without the database. */
const INTROSPECTION_COST = 5_000;

type Variables = Readonly<Record<string, unknown>>;

/**
 * What an operation costs: one for each object that it may answer, with the items of lists counted by `first`, `last`,
 * `pageSize` or `ids`, and more for fields that say so. Linear in the document's length: a fragment is counted once
 * for each size of list that it is spread in.
 */
export function costOf(
  schema: GraphQLSchema,
  document: DocumentNode,
  operation: OperationDefinitionNode,
  variables: Variables,
): number {
  const root = schema.getRootType(operation.operation);
  if (!root) return 0;
  return new CostCounter(schema, document, withDefaults(operation, variables)).ofSet(operation.selectionSet, root, 1);
}

function withDefaults({ variableDefinitions = [] }: OperationDefinitionNode, given: Variables): Variables {
  const defaults = variableDefinitions.flatMap(({ variable, defaultValue }) =>
    defaultValue ? [[variable.name.value, valueFromASTUntyped(defaultValue)] as const] : [],
  );
  return { ...Object.fromEntries(defaults), ...given };
}

class CostCounter {
  readonly #schema: GraphQLSchema;
  readonly #fragments: ReadonlyMap<string, { readonly on: string; readonly set: SelectionSetNode }>;
  readonly #variables: Variables;
  /** By fragment and by the size of the page that it is of. */
  readonly #counted = new Map<string, number>();

  constructor(schema: GraphQLSchema, { definitions }: DocumentNode, variables: Variables) {
    this.#schema = schema;
    this.#variables = variables;
    this.#fragments = new Map(
      definitions.flatMap((node) =>
        node.kind === Kind.FRAGMENT_DEFINITION
          ? [[node.name.value, { on: node.typeCondition.name.value, set: node.selectionSet }] as const]
          : [],
      ),
    );
  }

  /** Of a selection on a type; `page` is the size of the page, where the type is one. */
  ofSet({ selections }: SelectionSetNode, type: GraphQLOutputType, page: number): number {
    let cost = 0;
    for (const selection of selections) {
      if (selection.kind === Kind.FIELD) cost += this.#ofField(selection, type, page);
      else if (selection.kind === Kind.FRAGMENT_SPREAD) cost += this.#ofFragment(selection.name.value, page);
      else {
        const on = selection.typeCondition && this.#schema.getType(selection.typeCondition.name.value);
        cost += this.ofSet(selection.selectionSet, (on as GraphQLObjectType | undefined) ?? type, page);
      }
    }
    return cost;
  }

  #ofFragment(name: string, page: number): number {
    const fragment = this.#fragments.get(name);
    const key = `${page} ${name}`;
    const known = this.#counted.get(key);
    if (known !== undefined || !fragment) return known ?? 0;
    this.#counted.set(key, 0);
    const type = this.#schema.getType(fragment.on) as GraphQLObjectType | undefined;
    const cost = type ? this.ofSet(fragment.set, type, page) : 0;
    this.#counted.set(key, cost);
    return cost;
  }

  #ofField(node: FieldNode, parent: GraphQLOutputType, page: number): number {
    const name = node.name.value;
    if (name === '__schema' || name === '__type') return INTROSPECTION_COST;
    const field = fieldOf(parent, name);
    if (!field) return 0;
    const own = (field.extensions as Partial<CostExtensions>).cost ?? 0;
    const type = getNamedType(field.type);
    if (!isCompositeType(type) || !node.selectionSet) return own;
    const size = this.#sizeOf(node, field);
    const isList = isListType(getNullableType(field.type));
    const items = isList ? (isPage(parent) ? page : (size ?? UNCOUNTED_ITEMS)) : 1;
    return own + items * (1 + this.ofSet(node.selectionSet, type, size ?? LIMITS.defaultPageSize));
  }

  /** The items that the field's arguments count. */
  #sizeOf({ arguments: given = [] }: FieldNode, { args }: GraphQLField<unknown, unknown>): number | undefined {
    const value = (name: string) => {
      const argument = given.find((one) => one.name.value === name)?.value;
      if (argument?.kind === Kind.VARIABLE) return this.#variables[argument.name.value];
      return argument && valueFromASTUntyped(argument, this.#variables);
    };
    const counted = ['first', 'last', 'pageSize', 'ids']
      .filter((name) => args.some((arg) => arg.name === name))
      .map((name) => itemsOf(value(name)))
      .filter((size) => size > 0);
    return counted.length > 0 ? Math.max(...counted) : undefined;
  }
}

/** A number of items, or the items themselves. What is out of range is refused by the list, before it reads anything. */
function itemsOf(value: unknown): number {
  if (Array.isArray(value)) return value.length;
  return typeof value === 'number' ? Math.min(value, LIMITS.pageSize) : 0;
}

/** Whether a type's lists are as long as the field that answered it was asked for. */
function isPage(type: GraphQLOutputType): boolean {
  return isObjectType(type) && /(Connection|Page)$/.test(type.name);
}

function fieldOf(type: GraphQLOutputType, name: string): GraphQLField<unknown, unknown> | undefined {
  if (isUnionType(type)) return undefined;
  return isObjectType(type) || isInterfaceType(type) ? type.getFields()[name] : undefined;
}
