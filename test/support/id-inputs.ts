import {
  type GraphQLArgument,
  type GraphQLField,
  type GraphQLInputField,
  type GraphQLInputType,
  getNamedType,
  getNullableType,
  isEnumType,
  isInputObjectType,
  isListType,
  isNonNullType,
  isObjectType,
} from 'graphql';
import { publicSchema } from '../../src/graphql/schema/schema.ts';
import { nodeIdOf } from '../../src/operation/node-ids.ts';

type Input = GraphQLArgument | GraphQLInputField;

/** An argument or input field whose name is that of an ID, and the root field that it belongs to. */
export interface IdInput {
  readonly at: string;
  readonly root: 'Query' | 'Mutation' | 'Subscription';
  readonly field: GraphQLField<unknown, unknown>;
  /** The argument, and the fields in it. */
  readonly inputs: readonly Input[];
  readonly last: Input;
}

/** IDs that belong to no node: callers get them back as they sent them, or only the operation itself knows them. */
const OPAQUE = [
  'callId', // The model's name for a call.
  'clientId', // The provider's name for Parley.
  'enrolmentId', // It ends with the enrolment.
  'secondFactorId', // A second factor is not a node.
];

/** They take any node, which only a global ID names. */
const ONLY_GLOBAL = ['Query.node(id)', 'Query.nodes(ids)'];

const isIdName = (name: string) => /^ids?$|Ids?$|_ids?$/.test(name);

const ROOTS = ['Query', 'Mutation', 'Subscription'] as const;

/** Every place of the schema that takes the ID of a node. */
export const ID_INPUTS: readonly IdInput[] = ROOTS.flatMap((root) =>
  Object.values((publicSchema.getType(root) as never as { getFields(): object }).getFields()).flatMap(
    (field: GraphQLField<unknown, unknown>) =>
      field.args.flatMap((argument) => below([argument])).map((inputs) => place(root, field, inputs)),
  ),
).filter(({ at }) => !ONLY_GLOBAL.includes(at));

function below(inputs: readonly Input[]): (readonly Input[])[] {
  const last = inputs.at(-1) as Input;
  const type = getNamedType(last.type);
  if (!isInputObjectType(type)) return isIdName(last.name) && !OPAQUE.includes(last.name) ? [inputs] : [];
  return Object.values(type.getFields()).flatMap((field) => (inputs.includes(field) ? [] : below([...inputs, field])));
}

function place(root: IdInput['root'], field: GraphQLField<unknown, unknown>, inputs: readonly Input[]): IdInput {
  const names = inputs.map(({ name }) => name).join('.');
  return { at: `${root}.${field.name}(${names})`, root, field, inputs, last: inputs.at(-1) as Input };
}

/** The path of the input in an error. Clients know the fields of an input object, not the argument that carries it. */
export function paramOf({ inputs }: IdInput): string {
  const [first, ...others] = inputs.map(({ name, type }) => `${name}${isListType(getNullableType(type)) ? '[0]' : ''}`);
  return others.length === 0 ? (first ?? '') : others.join('.');
}

/** The values of the arguments, with the ID. All else is the least that the types require. */
export function argumentsWith({ field, inputs }: IdInput, id: string): Readonly<Record<string, unknown>> {
  return objectWith(field.args, inputs, id);
}

function objectWith(fields: readonly Input[], inputs: readonly Input[], id: string): Record<string, unknown> {
  const [input, ...rest] = inputs;
  const entries = fields.flatMap((field) => {
    if (field === input) return [[field.name, valueWith(field.type, rest, id)] as const];
    return isNonNullType(field.type) && field.defaultValue === undefined ? [[field.name, leastOf(field)] as const] : [];
  });
  return Object.fromEntries(entries);
}

function valueWith(type: GraphQLInputType, inputs: readonly Input[], id: string): unknown {
  const nullable = getNullableType(type);
  if (isListType(nullable)) return [valueWith(nullable.ofType, inputs, id)];
  if (isInputObjectType(nullable)) return objectWith(Object.values(nullable.getFields()), inputs, id);
  return id;
}

const SCALARS: Readonly<Record<string, unknown>> = {
  Boolean: false,
  DateTime: '2026-01-31T09:30:00Z',
  Float: 1,
  ID: 'unknown',
  Int: 1,
  JSON: {},
  JSONObject: {},
  SafeInt: 1,
  String: 'text',
  UUID: '00000000-0000-4000-8000-0000000000fe',
};

function leastOf({ type, ...input }: Input): unknown {
  const nullable = getNullableType(type);
  if (isListType(nullable)) return [leastOf({ ...input, type: nullable.ofType })];
  if (isEnumType(nullable)) return nullable.getValues()[0]?.name;
  if (isInputObjectType(nullable)) {
    const fields = Object.values(nullable.getFields());
    const [first] = fields;
    return nullable.isOneOf && first ? { [first.name]: leastOf(first) } : objectWith(fields, [], '');
  }
  const nodeId = nodeIdOf(input);
  if (input.name === 'to') return '2026-02-01T00:00:00Z';
  return nodeId ? unknownId(nodeId.form ?? '') : SCALARS[nullable.name];
}

/** The public ID of no object. */
export function unknownId(form: string): string {
  if (form === 'UUID') return '00000000-0000-4000-8000-0000000000ff';
  return form === 'Int' ? '2000000000' : 'unknown1';
}

/** An operation that sends the arguments as variables. */
export function documentOf(input: IdInput): string {
  const { root, field } = input;
  const sent = Object.keys(argumentsWith(input, ''));
  const args = field.args.filter(({ name }) => sent.includes(name));
  const variables = args.map(({ name, type }) => `$${name}: ${type}`).join(', ');
  const values = args.map(({ name }) => `${name}: $${name}`).join(', ');
  const result = getNamedType(field.type);
  const isObject = isObjectType(result) || 'getTypes' in result || 'getFields' in result;
  const error = root === 'Mutation' ? ' ... on Error { code message path }' : '';
  return `${root.toLowerCase()} (${variables}) { it: ${field.name}(${values}) ${isObject ? `{ __typename${error} }` : ''} }`;
}
