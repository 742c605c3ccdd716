import {
  type DocumentNode,
  type FieldNode,
  type FragmentDefinitionNode,
  type GraphQLField,
  type GraphQLNamedType,
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
import { BoundedCache } from '../cache/bounded-cache.ts';
import { LIMITS } from '../contract/limits.ts';
import { limitExceeded } from './document-shape.ts';
import { IntrospectionCounter } from './introspection/introspection-counter.ts';
import { introspectionKey } from './introspection/introspection-key.ts';
import { type ListSize, listSizeOf } from './list-size.ts';
import type { OperationPlan } from './plan.ts';

/** The extra cost of a field, in addition to the objects that it returns. */
export interface CostExtensions extends Readonly<Record<string, unknown>> {
  readonly cost: number;
}

/** The cost of a field in addition to the objects that it returns. */
export function extraCostOf({ extensions }: GraphQLField<unknown, unknown>): number {
  return (extensions as Partial<CostExtensions>).cost ?? 0;
}

type Variables = Readonly<Record<string, unknown>>;

/** The cost of an operation, and the maximum. */
export interface OperationCost {
  readonly requested: number;
  readonly limit: number;
}

/** @throws {ServiceError} invalid_request if the operation costs more than `limit` */
export function requireCost(plan: OperationPlan, variables: Variables, limit: number): OperationCost {
  const count = () => costOf(plan.schema, plan.document, plan.operation, variables, limit);
  const requested = plan.isIntrospection ? countedOnce(introspectionKey(plan, variables), limit, count) : count();
  if (requested > limit) throw limitExceeded('cost', requested, limit);
  return { requested, limit };
}

const introspectionCosts = new BoundedCache<number>('introspectionCosts');

const NUMBER_BYTES = 8;

/** Counting the objects of the whole schema takes longer than everything else about a result that is in memory. */
function countedOnce(introspection: string, limit: number, count: () => number): number {
  const key = `${limit} ${introspection}`;
  const known = introspectionCosts.get(key);
  if (known !== undefined) return known;
  const requested = count();
  introspectionCosts.set(key, requested, NUMBER_BYTES);
  return requested;
}

/**
 * The cost of an operation: one for each object that it can return, plus the extra cost of fields. `first`, `last` or
 * `ids` give the length of lists. The work is linear in the document's length, because each fragment is counted once per
 * list length. Introspection is counted up to `most`.
 */
export function costOf(
  schema: GraphQLSchema,
  document: DocumentNode,
  operation: OperationDefinitionNode,
  variables: Variables,
  most: number = Number.MAX_SAFE_INTEGER,
): number {
  const root = schema.getRootType(operation.operation);
  if (!root) return 0;
  const counter = new CostCounter(schema, document, withDefaults(operation, variables), most);
  return counter.ofSet(operation.selectionSet, root, 1);
}

function withDefaults({ variableDefinitions = [] }: OperationDefinitionNode, variables: Variables): Variables {
  const defaults = variableDefinitions.flatMap(({ variable, defaultValue }) =>
    defaultValue ? [[variable.name.value, valueFromASTUntyped(defaultValue)] as const] : [],
  );
  return { ...Object.fromEntries(defaults), ...variables };
}

class CostCounter {
  readonly #schema: GraphQLSchema;
  readonly #fragments: ReadonlyMap<string, FragmentDefinitionNode>;
  readonly #introspection: IntrospectionCounter;
  readonly #variables: Variables;
  /** Costs of fragments, by page size and name. */
  readonly #counted = new Map<string, number>();

  constructor(schema: GraphQLSchema, { definitions }: DocumentNode, variables: Variables, most: number) {
    this.#schema = schema;
    this.#variables = variables;
    this.#fragments = new Map(
      definitions.flatMap((node) => (node.kind === Kind.FRAGMENT_DEFINITION ? [[node.name.value, node] as const] : [])),
    );
    this.#introspection = new IntrospectionCounter(schema, this.#fragments, most);
  }

  /** The cost of a selection. `page` is the page size if the type is a page. */
  ofSet({ selections }: SelectionSetNode, type: GraphQLNamedType, page: number): number {
    let cost = 0;
    for (const selection of selections) {
      if (selection.kind === Kind.FIELD) cost += this.#ofField(selection, type, page);
      else if (selection.kind === Kind.FRAGMENT_SPREAD) cost += this.#ofFragment(selection.name.value, page);
      else {
        const on = selection.typeCondition && this.#schema.getType(selection.typeCondition.name.value);
        cost += this.ofSet(selection.selectionSet, on ?? type, page);
      }
    }
    return cost;
  }

  #ofFragment(name: string, page: number): number {
    const fragment = this.#fragments.get(name);
    const key = `${page} ${name}`;
    const counted = this.#counted.get(key);
    if (counted !== undefined || !fragment) return counted ?? 0;
    this.#counted.set(key, 0);
    const type = this.#schema.getType(fragment.typeCondition.name.value);
    const cost = type ? this.ofSet(fragment.selectionSet, type, page) : 0;
    this.#counted.set(key, cost);
    return cost;
  }

  #ofField(node: FieldNode, parent: GraphQLNamedType, page: number): number {
    const name = node.name.value;
    if (name === '__schema' || name === '__type') return this.#introspection.ofRoot(node, this.#variables);
    const field = fieldOf(parent, name);
    if (!field) return 0;
    const own = extraCostOf(field);
    const type = getNamedType(field.type);
    if (!isCompositeType(type) || !node.selectionSet) return own;
    const listSize = listSizeOf(field, parent);
    const size = listSize && this.#requestedSize(node, listSize);
    const items = isListType(getNullableType(field.type)) ? (size ?? page) : 1;
    return own + items * (1 + this.ofSet(node.selectionSet, type, size ?? LIMITS.defaultPageSize));
  }

  /** The list length that the field's arguments request. */
  #requestedSize({ arguments: nodes = [] }: FieldNode, { slicingArguments, assumedSize }: ListSize): number {
    const value = (name: string) => {
      const argument = nodes.find((node) => node.name.value === name)?.value;
      if (argument?.kind === Kind.VARIABLE) return this.#variables[argument.name.value];
      return argument && valueFromASTUntyped(argument, this.#variables);
    };
    const requested = slicingArguments.map((name) => itemsOf(value(name))).filter((size) => size > 0);
    return requested.length > 0 ? Math.max(...requested) : assumedSize;
  }
}

/** The value is a number of items, or the items. The list rejects values that are out of range before it reads anything. */
function itemsOf(value: unknown): number {
  if (Array.isArray(value)) return value.length;
  return typeof value === 'number' ? Math.min(value, LIMITS.pageSize) : 0;
}

function fieldOf(type: GraphQLNamedType, name: string): GraphQLField<unknown, unknown> | undefined {
  if (isUnionType(type)) return undefined;
  return isObjectType(type) || isInterfaceType(type) ? type.getFields()[name] : undefined;
}
