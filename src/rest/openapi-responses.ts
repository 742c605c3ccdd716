import {
  type FieldNode,
  type GraphQLAbstractType,
  type GraphQLCompositeType,
  type GraphQLObjectType,
  type GraphQLOutputType,
  type GraphQLSchema,
  getNamedType,
  getNullableType,
  isAbstractType,
  isLeafType,
  isListType,
  isNonNullType,
  isObjectType,
  isUnionType,
  Kind,
  OperationTypeNode,
  type SelectionNode,
  visit,
} from 'graphql';
import type { DeclaredErrors } from '../graphql/schema/mutation.ts';
import { keyOf } from './documents.ts';
import type { JsonSchema } from './json-schema.ts';
import {
  type Definitions,
  isOptional,
  isSpread,
  onlyField,
  type Selections,
  selectedFields,
  sharedFragment,
  subfieldsOf,
} from './openapi-selections.ts';
import { Components, described, inRestWords, leafSchema, nullable } from './openapi-types.ts';
import type { RootSelection, Route } from './route.ts';

interface Sources extends Definitions {
  readonly components: Components;
}

/**
 * The response body of a route, from its selection. The root field of a built-in document is never null: REST sends an
 * error response instead.
 */
export function responseSchema(schema: GraphQLSchema, route: Route, components: Components): JsonSchema {
  const sources = { schema, components, fragments: route.fragments };
  const values = route.roots.map((root) => [root.key, rootSchema(route, root, sources)] as const);
  const [only] = values;
  if (route.directive.unwrap && only) return only[1];
  return { type: 'object', properties: Object.fromEntries(values), required: values.map(([key]) => key) };
}

function rootSchema({ published, operation }: Route, { node, field }: RootSelection, sources: Sources): JsonSchema {
  if (node.name.value === '__typename') return { type: 'string' };
  const isNull =
    published && operation.operation === OperationTypeNode.QUERY && !(published.throwsErrors && isLookUp(field));
  const schema = presentValue(successType(field), [node], sources);
  return isNull && !isNonNullType(field.type) ? nullable(schema) : schema;
}

const isLookUp = ({ extensions }: Route['field']) =>
  ((extensions as Partial<DeclaredErrors>).errors ?? []).includes('not_found');

/** Fields of an event that are not part of its data: its name, and its ID. */
const FRAME = new Set(['event', 'cursor']);

/** The data of each event that a subscription can send. */
export function eventVariants(schema: GraphQLSchema, route: Route, components: Components): Variant[] {
  const type = getNamedType(route.field.type);
  if (!isAbstractType(type)) return [];
  const data = subfieldsOf([route.rootField]).filter((node) => node.kind !== Kind.FIELD || !FRAME.has(keyOf(node)));
  return possibleVariants(type, data, { schema, components, fragments: route.fragments });
}

/** The type of a successful result. REST reports the errors of a mutation's result as error responses. */
function successType({ type, extensions }: Route['field']): GraphQLOutputType {
  const nullable = getNullableType(type);
  if (!extensions.errors || !isUnionType(nullable)) return nullable;
  const payload = nullable.getTypes().find(isPayload);
  return payload ?? nullable;
}

function isPayload({ name }: GraphQLObjectType): boolean {
  return name.endsWith('Payload');
}

/** The description of the object in a successful response. A payload with one field, or a spread one, stands for it. */
export function successDescription(schema: GraphQLSchema, route: Route): string | null | undefined {
  const type = getNamedType(successType(route.field));
  const sources = { schema, components: new Components(), fragments: route.fragments };
  if (!isObjectType(type) || !isPayload(type)) return type.description;
  const selections = subfieldsOf([route.rootField]);
  const main = onlyField(type, selections, sources) ?? spreadUnion(type, selections, sources);
  return getNamedType(main?.field?.type ?? type).description;
}

function valueSchema(type: GraphQLOutputType, nodes: readonly FieldNode[], sources: Sources): JsonSchema {
  return isNonNullType(type) ? presentValue(type.ofType, nodes, sources) : nullable(presentValue(type, nodes, sources));
}

function presentValue(type: GraphQLOutputType, nodes: readonly FieldNode[], sources: Sources): JsonSchema {
  if (isNonNullType(type)) return presentValue(type.ofType, nodes, sources);
  if (isListType(type)) return { type: 'array', items: valueSchema(type.ofType, nodes, sources) };
  if (isLeafType(type)) return leafSchema(type, sources.components);
  return compositeSchema(type, subfieldsOf(nodes), sources);
}

function compositeSchema(type: GraphQLCompositeType, selections: Selections, sources: Sources): JsonSchema {
  const shared = sources.components.namesFragments ? sharedFragment(type, selections, sources) : undefined;
  if (shared) {
    const make = () => described(compositeSchema(type, shared.selectionSet.selections, sources), type.description);
    return sources.components.refer(shared.name.value, shared, make);
  }
  if (!isAbstractType(type)) {
    return (
      spreadSchema(type, selections, sources) ??
      spreadUnionSchema(type, selections, sources) ??
      objectSchema(type, selections, sources)
    );
  }
  return variantsSchema(possibleVariants(type, selections, sources));
}

function possibleVariants(type: GraphQLAbstractType, selections: Selections, sources: Sources): Variant[] {
  // Sorted by name, so that the output does not depend on the load order of the schema's files.
  const types = [...sources.schema.getPossibleTypes(type)].sort((a, b) => (a.name < b.name ? -1 : 1));
  return types
    .filter(({ name }) => name !== STARTED)
    .map((variant) => ({ type: variant, schema: objectSchema(variant, selections, sources) }));
}

/** The result that REST sends as 202 instead of 200. */
const STARTED = 'StartedTurn';

/** The body of a 202. */
export function acceptedSchema(schema: GraphQLSchema, route: Route, components: Components): JsonSchema {
  const type = schema.getType(STARTED) as GraphQLObjectType;
  const sources = { schema, components, fragments: route.fragments };
  const payload = successType(route.field) as GraphQLObjectType;
  const others = spreadUnion(payload, subfieldsOf([route.rootField]), sources)?.others ?? [];
  return withFields(objectSchema(type, startedFields(route), sources), fieldsSchema(payload, others, sources));
}

/** The selection of the started turn in the document. */
function startedFields({ document }: Route): Selections {
  const found: SelectionNode[] = [];
  visit(document, {
    InlineFragment: ({ typeCondition, selectionSet }) => {
      if (typeCondition?.name.value === STARTED) found.push(...selectionSet.selections);
    },
  });
  return found;
}

export interface Variant {
  readonly type: GraphQLObjectType;
  readonly schema: JsonSchema;
}

/** Merges types with equal schemas into one variant. */
function variantsSchema(variants: readonly Variant[]): JsonSchema {
  const shapes = new Map(variants.map(({ schema }) => [JSON.stringify(schema), schema]));
  const [only, ...others] = shapes.values();
  if (only && others.length === 0) return only;
  const merged = [...shapes].map(([text, schema]) => {
    const types = variants.filter((variant) => JSON.stringify(variant.schema) === text).map(({ type }) => type);
    const title = types.map(({ name }) => name).join(' | ');
    return { title, description: types.map(({ description }) => description ?? '').join(' '), ...schema };
  });
  const exclusive = merged.every((one) => merged.every((other) => one === other || differs(one, other)));
  return exclusive ? { oneOf: merged } : { anyOf: merged };
}

/** Whether no value can match both schemas. */
function differs(one: JsonSchema, other: JsonSchema): boolean {
  return one.required?.some((name) => !Object.hasOwn(other.properties ?? {}, name)) ?? false;
}

/** The schema of an object whose only field is spread: the schema of this field. */
function spreadSchema(type: GraphQLObjectType, selections: Selections, sources: Sources): JsonSchema | undefined {
  const only = onlyField(type, selections, sources);
  if (!only?.nodes.every(isSpread) || !isNonNullType(only.field.type)) return undefined;
  return presentValue(only.field.type, only.nodes, sources);
}

/** The field of an object that spreads one of several types, and the other fields. */
function spreadUnion(type: GraphQLObjectType, selections: Selections, sources: Definitions) {
  const selected = [...selectedFields(type, selections, sources)];
  for (const [key, nodes] of selected) {
    const field = type.getFields()[nodes[0]?.name.value ?? ''];
    const union = field && getNullableType(field.type);
    if (!nodes.every(isSpread) || !isAbstractType(union)) continue;
    return { field, union, nodes, others: selected.filter(([other]) => other !== key) };
  }
  return undefined;
}

/** The variants of the spread field, each with the other fields. */
function spreadUnionSchema(type: GraphQLObjectType, selections: Selections, sources: Sources): JsonSchema | undefined {
  const spread = spreadUnion(type, selections, sources);
  if (!spread) return undefined;
  const others = fieldsSchema(type, spread.others, sources);
  const variants = possibleVariants(spread.union, subfieldsOf(spread.nodes), sources);
  return variantsSchema(variants.map((variant) => ({ ...variant, schema: withFields(variant.schema, others) })));
}

function withFields({ properties, required = [], ...rest }: JsonSchema, others: JsonSchema): JsonSchema {
  return {
    ...rest,
    properties: { ...properties, ...others.properties },
    required: [...required, ...(others.required ?? [])],
  };
}

function objectSchema(type: GraphQLObjectType, selections: Selections, sources: Sources): JsonSchema {
  return fieldsSchema(type, selectedFields(type, selections, sources), sources);
}

function fieldsSchema(
  type: GraphQLObjectType,
  fields: Iterable<readonly [string, readonly FieldNode[]]>,
  sources: Sources,
): JsonSchema {
  const properties: Record<string, JsonSchema> = {};
  const required: string[] = [];
  for (const [key, nodes] of fields) {
    const added = fieldProperties(type, key, nodes, sources);
    Object.assign(properties, added.properties);
    required.push(...added.required);
  }
  return { type: 'object', properties, required };
}

/** What a selected field adds to the schema of its object. */
interface Added {
  readonly properties: Readonly<Record<string, JsonSchema>>;
  readonly required: readonly string[];
}

function fieldProperties(type: GraphQLObjectType, key: string, nodes: readonly FieldNode[], sources: Sources): Added {
  const [node] = nodes;
  const field = node && type.getFields()[node.name.value];
  if (!node || node.name.value === '__typename') return one(key, { type: 'string', const: type.name });
  if (!field) throw new Error(`${type.name} has no field ${node.name.value}.`);
  if (isSpread(node)) return spreadProperties(field.type, nodes, sources);
  const description = inRestWords(field.description, getNamedType(field.type), sources.components);
  const schemaOf = isOptional(node) ? presentValue : valueSchema;
  return one(key, described(schemaOf(field.type, nodes, sources), description), nodes.some(isOptional));
}

function one(key: string, schema: JsonSchema, canBeMissing = false): Added {
  return { properties: { [key]: schema }, required: canBeMissing ? [] : [key] };
}

/** The subfields of a spread field. They are null if the field is null. */
function spreadProperties(type: GraphQLOutputType, nodes: readonly FieldNode[], sources: Sources): Added {
  const bare = getNullableType(type);
  if (!isObjectType(bare)) throw new Error(`@spread needs a field with one object. The type is ${type}.`);
  const { properties = {}, required = [] } = objectSchema(bare, subfieldsOf(nodes), sources);
  if (isNonNullType(type)) return { properties, required };
  const orNull = Object.entries(properties).map(([key, schema]) => [key, nullable(schema)] as const);
  return { properties: Object.fromEntries(orNull), required };
}
