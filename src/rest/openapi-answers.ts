import {
  type FieldNode,
  type FragmentDefinitionNode,
  type GraphQLCompositeType,
  type GraphQLObjectType,
  type GraphQLOutputType,
  type GraphQLSchema,
  getNullableType,
  isAbstractType,
  isLeafType,
  isListType,
  isNonNullType,
  isObjectType,
  Kind,
  type SelectionNode,
} from 'graphql';
import { headerOf } from './documents.ts';
import { type Components, described, type JsonSchema, leafSchema, nullable } from './openapi-types.ts';
import type { Route } from './route.ts';

interface Reading {
  readonly schema: GraphQLSchema;
  readonly components: Components;
  readonly fragments: Route['fragments'];
}

type Selections = readonly SelectionNode[];

/**
 * What a route answers, read from its selection. A root field is never null here: null stands for an error in GraphQL,
 * and REST answers an error instead.
 */
export function answerSchema(schema: GraphQLSchema, route: Route, components: Components): JsonSchema {
  const reading = { schema, components, fragments: route.fragments };
  const value = presentValue(getNullableType(route.field.type), [route.rootField], reading);
  if (route.directive.unwrap) return value;
  return { type: 'object', properties: { [route.responseKey]: value }, required: [route.responseKey] };
}

function valueSchema(type: GraphQLOutputType, nodes: readonly FieldNode[], reading: Reading): JsonSchema {
  return isNonNullType(type) ? presentValue(type.ofType, nodes, reading) : nullable(presentValue(type, nodes, reading));
}

function presentValue(type: GraphQLOutputType, nodes: readonly FieldNode[], reading: Reading): JsonSchema {
  if (isNonNullType(type)) return presentValue(type.ofType, nodes, reading);
  if (isListType(type)) return { type: 'array', items: valueSchema(type.ofType, nodes, reading) };
  if (isLeafType(type)) return leafSchema(type, reading.components);
  return compositeSchema(type, below(nodes), reading);
}

/** What a field selects for the body. */
function below(nodes: readonly FieldNode[]): Selections {
  return inBody(nodes.flatMap(({ selectionSet }) => selectionSet?.selections ?? []));
}

/** Without what is sent as a header. */
function inBody(selections: Selections): Selections {
  return selections.filter((selection) => selection.kind !== Kind.FIELD || headerOf(selection) === undefined);
}

function compositeSchema(type: GraphQLCompositeType, selections: Selections, reading: Reading): JsonSchema {
  const shared = sharedFragment(type, selections, reading);
  if (shared) {
    const make = () => described(compositeSchema(type, shared.selectionSet.selections, reading), type.description);
    return reading.components.refer(shared.name.value, shared, make);
  }
  if (!isAbstractType(type)) return objectSchema(type, selections, reading);
  // By name, so that the order in which the schema's files are loaded does not show.
  const types = [...reading.schema.getPossibleTypes(type)].sort((a, b) => (a.name < b.name ? -1 : 1));
  return oneOfThem(types.map((one) => ({ type: one, schema: objectSchema(one, selections, reading) })));
}

/** A fragment that is all there is to a selection has a name in the document too. */
function sharedFragment(
  type: GraphQLCompositeType,
  [only, ...others]: Selections,
  { fragments }: Reading,
): FragmentDefinitionNode | undefined {
  if (only?.kind !== Kind.FRAGMENT_SPREAD || others.length > 0) return undefined;
  const fragment = fragments.get(only.name.value);
  return fragment?.typeCondition.name.value === type.name ? fragment : undefined;
}

interface Variant {
  readonly type: GraphQLObjectType;
  readonly schema: JsonSchema;
}

/** Types that look the same in the answer are told as one. */
function oneOfThem(variants: readonly Variant[]): JsonSchema {
  const shapes = new Map(variants.map(({ schema }) => [JSON.stringify(schema), schema]));
  const [only, ...others] = shapes.values();
  if (only && others.length === 0) return only;
  const told = [...shapes].map(([text, schema]) => {
    const types = variants.filter((variant) => JSON.stringify(variant.schema) === text).map(({ type }) => type);
    const title = types.map(({ name }) => name).join(' | ');
    return { title, description: types.map(({ description }) => description ?? '').join(' '), ...schema };
  });
  const exclusive = told.every((one) => told.every((other) => one === other || differs(one, other)));
  return exclusive ? { oneOf: told } : { anyOf: told };
}

/** Whether nothing of the one kind could be taken for the other. */
function differs(one: JsonSchema, other: JsonSchema): boolean {
  return one.required?.some((name) => !Object.hasOwn(other.properties ?? {}, name)) ?? false;
}

function objectSchema(type: GraphQLObjectType, selections: Selections, reading: Reading): JsonSchema {
  const properties: Record<string, JsonSchema> = {};
  for (const [key, nodes] of selectedFields(type, selections, reading)) {
    const [node] = nodes;
    const field = node && type.getFields()[node.name.value];
    if (!node || node.name.value === '__typename') properties[key] = { type: 'string', const: type.name };
    else if (!field) throw new Error(`${type.name} has no field ${node.name.value}.`);
    else if (node.directives?.some(({ name }) => name.value === 'spread')) {
      Object.assign(properties, spreadProperties(field.type, nodes, reading));
    } else properties[key] = described(valueSchema(field.type, nodes, reading), field.description);
  }
  return { type: 'object', properties, required: Object.keys(properties) };
}

/** The fields of a spread field; each of them is null where the field is. */
function spreadProperties(type: GraphQLOutputType, nodes: readonly FieldNode[], reading: Reading) {
  const bare = getNullableType(type);
  if (!isObjectType(bare)) throw new Error(`@spread takes one object, not ${type}.`);
  const properties = objectSchema(bare, below(nodes), reading).properties ?? {};
  if (isNonNullType(type)) return properties;
  return Object.fromEntries(Object.entries(properties).map(([key, schema]) => [key, nullable(schema)]));
}

/** The fields that a selection takes of an object type, by their names in the answer. */
function selectedFields(type: GraphQLObjectType, selections: Selections, reading: Reading): Map<string, FieldNode[]> {
  const found = new Map<string, FieldNode[]>();
  const visit = (inner: Selections): void => {
    for (const selection of inBody(inner)) {
      if (selection.kind === Kind.FIELD) {
        const key = selection.alias?.value ?? selection.name.value;
        found.set(key, [...(found.get(key) ?? []), selection]);
        continue;
      }
      const spread = selection.kind === Kind.FRAGMENT_SPREAD;
      const fragment = spread ? reading.fragments.get(selection.name.value) : selection;
      if (fragment && takes(fragment.typeCondition?.name.value, type, reading.schema)) {
        visit(fragment.selectionSet.selections);
      }
    }
  };
  visit(selections);
  return found;
}

function takes(condition: string | undefined, type: GraphQLObjectType, schema: GraphQLSchema): boolean {
  if (condition === undefined || condition === type.name) return true;
  const named = schema.getType(condition);
  return isAbstractType(named) && schema.isSubType(named, type);
}
