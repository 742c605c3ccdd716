import {
  type GraphQLArgument,
  type GraphQLInputField,
  type GraphQLInputType,
  type GraphQLResolveInfo,
  type GraphQLSchema,
  getNamedType,
  isInputObjectType,
  isListType,
  isNonNullType,
} from 'graphql';
import { type FieldPath, ServiceError } from '../contract/errors.ts';
import { isNode } from './node-scope.ts';
import { isStorable } from './storable-text.ts';
import { uuidOf } from './uuid.ts';

/** What the ID in an argument or input field belongs to. The plugin for IDs sets it. */
export interface NodeIdInput {
  /** The node types. Empty: every node type. */
  readonly types: readonly string[];
  /** The scalar of the public ID. Undefined in the schema of REST documents, which knows only public IDs. */
  readonly form?: string | undefined;
}

type Input = GraphQLArgument | GraphQLInputField;
type Values = Readonly<Record<string, unknown>>;

export function nodeIdOf({ extensions }: Pick<Input, 'extensions'>): NodeIdInput | undefined {
  return extensions.nodeId as NodeIdInput | undefined;
}

/** How a public ID of each scalar is read. Others are texts, and an unknown text finds nothing. */
const FORMS: Readonly<Record<string, { readonly read: (id: string) => unknown; readonly name: string }>> = {
  UUID: { read: uuidOf, name: 'a UUID' },
  Int: { read: numberOf, name: 'a whole number of at most 32 bits' },
};

function numberOf(id: string): number | undefined {
  const number = /^\d{1,10}$/.test(id) ? Number(id) : Number.NaN;
  return number === (number | 0) ? number : undefined;
}

/** A global ID is the base64 form of the name of a type and the key of the object. */
function decode(text: string): { readonly type: string; readonly id: string } | undefined {
  const decoded = Buffer.from(text, 'base64').toString();
  const [, type, id] = /^([A-Z][A-Za-z]*):(.+)$/s.exec(decoded) ?? [];
  if (type === undefined || id === undefined || Buffer.from(decoded).toString('base64') !== text) return undefined;
  return { type, id };
}

/** The public ID that a value names, before the input is validated. Undefined for other values, and for other types. */
export function namedId(value: unknown, { types, form }: NodeIdInput): string | undefined {
  if (typeof value !== 'string') return undefined;
  const global = form === undefined ? undefined : decode(value);
  if (!global) return value;
  return types.includes(global.type) ? global.id : undefined;
}

/** Marks a schema whose inputs accept global IDs. The schema of REST documents knows only public IDs. */
export type IdExtensions = { readonly acceptsGlobalIds: true };

export function acceptsGlobalIds({ extensions }: GraphQLSchema): boolean {
  return extensions.acceptsGlobalIds === true;
}

/**
 * The arguments of a field with public IDs instead of global IDs.
 * @throws {ServiceError} invalid_request for a global ID of another type, and for a text that is no ID of any form
 */
export function withPublicIds<Args extends object>(
  args: Args,
  { parentType, fieldName, schema }: GraphQLResolveInfo,
): Args {
  const replaced = { ...args } as Record<string, unknown>;
  for (const input of parentType.getFields()[fieldName]?.args ?? []) {
    const value = replaced[input.name];
    // Clients know the fields of an input object, not the argument that carries it.
    const path = isInputObjectType(getNamedType(input.type)) ? [] : [input.name];
    if (value !== undefined) replaced[input.name] = replace(value, input.type, nodeIdOf(input), path, schema);
  }
  return replaced as Args;
}

function replace(
  value: unknown,
  type: GraphQLInputType,
  nodeId: NodeIdInput | undefined,
  path: FieldPath,
  schema: GraphQLSchema,
): unknown {
  if (value === null || value === undefined) return value;
  if (isNonNullType(type)) return replace(value, type.ofType, nodeId, path, schema);
  if (isListType(type)) {
    if (!nodeId && !isInputObjectType(getNamedType(type))) return value;
    return (value as unknown[]).map((one, index) => replace(one, type.ofType, nodeId, [...path, index], schema));
  }
  if (nodeId?.form !== undefined) return publicIdOf(String(value), nodeId, path, schema);
  if (!isInputObjectType(type)) return value;
  const fields = type.getFields();
  const entries = Object.entries(value as Values).map(([name, one]) => {
    const field = fields[name];
    return [name, field ? replace(one, field.type, nodeIdOf(field), [...path, name], schema) : one];
  });
  return Object.fromEntries(entries);
}

function publicIdOf(text: string, { types, form = '' }: NodeIdInput, path: FieldPath, schema: GraphQLSchema): unknown {
  const kind = types.length === 0 ? '' : ` of the type ${types.join(' or ')}`;
  const global = decode(text);
  // A public ID can look like a global ID, but not with the name of a type.
  const isGlobal = global !== undefined && isNode(schema.getType(global.type));
  if (isGlobal && !((types.length === 0 || types.includes(global.type)) && isStorable(global.id))) {
    throw invalid(path, `must be an ID${kind}. You sent the \`id\` of another type.`);
  }
  const id = isGlobal ? global.id : text;
  const known = FORMS[form];
  if (!known) return id;
  const value = known.read(id);
  if (value === undefined) throw invalid(path, `must be ${known.name}, or a global ID${kind}.`);
  return value;
}

function invalid(param: FieldPath, problem: string): ServiceError {
  return new ServiceError('invalid_request', `{param} ${problem}`, { param });
}
