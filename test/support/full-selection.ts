import {
  type GraphQLField,
  type GraphQLObjectType,
  type GraphQLSchema,
  getNamedType,
  isAbstractType,
  isLeafType,
  isObjectType,
  isRequiredArgument,
} from 'graphql';

/** The nesting of a query: a page, its nodes, and their objects. */
const LEVELS = 3;

/** A query for each field of Query without required arguments. Each selects everything that it can reach. */
export function fullQueries(schema: GraphQLSchema): { readonly field: string; readonly query: string }[] {
  const fields = Object.values(schema.getQueryType()?.getFields() ?? {}).filter(isFree);
  return fields.map((field) => ({ field: field.name, query: `{ ${selected(schema, field, LEVELS)} }` }));
}

/** Everything that can be selected in an object of this type, without braces. */
export function fullSelection(schema: GraphQLSchema, typeName: string): string {
  const type = schema.getType(typeName);
  if (!isObjectType(type)) throw new Error(`${typeName} is no object type`);
  return fieldsOf(schema, type, LEVELS).join(' ');
}

/** Fields without required arguments. `nodes` returns the same as `edges`. */
function isFree({ name, args }: GraphQLField<unknown, unknown>): boolean {
  return name !== 'edges' && !args.some(isRequiredArgument);
}

/** A field with its selection. Empty if its selection would be empty. */
function selected(schema: GraphQLSchema, { name, type }: GraphQLField<unknown, unknown>, levels: number): string {
  const named = getNamedType(type);
  if (isLeafType(named)) return name;
  if (levels === 0) return '';
  if (isObjectType(named)) return `${name} { ${fieldsOf(schema, named, levels).join(' ')} }`;
  const fragments = isAbstractType(named) ? schema.getPossibleTypes(named) : [];
  // Other queries select the fields of these objects.
  if (fragments.every(isNode)) return `${name} { __typename ... on Node { id } }`;
  const texts = fragments.map((one) => `... on ${one.name} { ${aliased(one, fieldsOf(schema, one, levels))} }`);
  return `${name} { ${texts.join(' ')} }`;
}

function isNode(type: GraphQLObjectType): boolean {
  return type.getInterfaces().some(({ name }) => name === 'Node');
}

function fieldsOf(schema: GraphQLSchema, type: GraphQLObjectType, levels: number): string[] {
  const fields = Object.values(type.getFields()).filter(isFree);
  return ['__typename', ...fields.map((field) => selected(schema, field, levels - 1)).filter((text) => text !== '')];
}

/** Fields of several types in one selection must not have the same name. The cache needs `id` without an alias. */
function aliased({ name }: GraphQLObjectType, fields: readonly string[]): string {
  return fields
    .map((field) => (/^(__typename|id)$/.test(field) ? field : `${name}_${field.split(' ')[0]}: ${field}`))
    .join(' ');
}
