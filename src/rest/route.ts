import {
  type ArgumentNode,
  type DocumentNode,
  type FieldNode,
  type GraphQLField,
  type GraphQLInputType,
  type GraphQLNamedInputType,
  type GraphQLSchema,
  getNamedType,
  getNullableType,
  isInputObjectType,
  Kind,
  type ObjectFieldNode,
  type OperationDefinitionNode,
  typeFromAST,
} from 'graphql';
import { snakeCase } from '../contract/snake-case.ts';
import { type Access, accessOf } from '../operation/access.ts';
import { headerOf, keyOf, type RestDocument } from './documents.ts';
import { type Shape, shapeOf } from './shape.ts';

export type Method = 'get' | 'post' | 'put' | 'patch' | 'delete';

const METHODS: readonly Method[] = ['get', 'post', 'put', 'patch', 'delete'];

/** A parameter of the request and the variable that it fills. */
export interface Parameter {
  /** The variable's name. Of a parameter in the input: the name of the input field. */
  readonly variable: string;
  /** Whether the parameter fills a field of the body's input. The body itself cannot set this field. */
  readonly isInput: boolean;
  /** The name of the path, query or header parameter. */
  readonly name: string;
  /** `body`: a field of the body, only in published documents. */
  readonly in: 'path' | 'query' | 'header' | 'body';
  readonly type: GraphQLInputType;
  readonly namedType: GraphQLNamedInputType;
}

/** A root field of a document. */
export interface RootSelection {
  /** Its name in the result. */
  readonly key: string;
  readonly node: FieldNode;
  readonly field: GraphQLField<unknown, unknown>;
  readonly access: Access;
}

/** What a published document adds to its route. */
export interface Publication {
  /** The document that is executed: without the directives that shape the response. */
  readonly executed: { readonly document: DocumentNode; readonly operation: OperationDefinitionNode };
  /** Whether the errors of its root field are error responses. A page of several root fields has nulls instead. */
  readonly throwsErrors: boolean;
}

/** A REST operation with all facts that handling a request needs. */
export interface Route extends RestDocument {
  readonly schema: GraphQLSchema;
  readonly method: Method;
  /** The path with parameters in braces. */
  readonly path: string;
  readonly parameters: readonly Parameter[];
  readonly body: { readonly variable: string; readonly type: GraphQLInputType } | undefined;
  readonly field: GraphQLField<unknown, unknown>;
  /** One root field. A published query can have several. */
  readonly roots: readonly RootSelection[];
  readonly published?: Publication;
  /** The permission that the root fields need. */
  readonly access: Access;
  readonly responseKey: string;
  readonly shape: Shape | undefined;
  /** The variable that fills each argument. Errors use it to name fields of the request. */
  readonly variableOfArgument: ReadonlyMap<string, string>;
}

/** Whether a request can have an idempotency key. An edit is a PATCH, but repeated it would fail: it runs a turn. */
export function takesKey({ method, directive }: Pick<Route, 'method' | 'directive'>): boolean {
  return method === 'post' || directive.accepted !== undefined;
}

export function toRoute(schema: GraphQLSchema, document: RestDocument): Route {
  const { directive, operation, rootField, fragments } = document;
  const method = METHODS.find((name) => directive[name] !== undefined);
  const path = method && directive[method];
  if (!method || !path) throw new Error(`${document.name}: @rest needs a method with a path.`);
  const variables = (operation.variableDefinitions ?? []).map((definition) => ({
    name: definition.variable.name.value,
    header: headerOf(definition),
    // The document is valid, so the type exists.
    type: typeFromAST(schema, definition.type as never) as GraphQLInputType,
  }));
  const field = schema.getRootType(operation.operation)?.getFields()[rootField.name.value];
  const body = variables.find(({ name }) => name === directive.body);
  if (!field || Boolean(directive.body) !== Boolean(body))
    throw new Error(`${document.name}: the argument body of @rest must name a variable.`);
  return {
    ...document,
    schema,
    method,
    path,
    parameters: [
      ...variables
        .filter((variable) => variable !== body && ![directive.others, directive.keyed].includes(variable.name))
        .map(({ name, header, type }) => ({
          variable: name,
          isInput: false,
          name: header ?? name,
          type: getNullableType(type),
          namedType: getNamedType(type),
          in: header ? ('header' as const) : path.includes(`{${name}}`) ? ('path' as const) : ('query' as const),
        })),
      ...(directive.ui ? [] : inputParameters(document, path, body?.type)),
    ],
    body: body && { variable: body.name, type: getNullableType(body.type) },
    field,
    roots: [{ key: keyOf(rootField), node: rootField, field, access: accessOf(field) }],
    access: accessOf(field),
    responseKey: keyOf(rootField),
    shape: shapeOf(operation.selectionSet, fragments),
    variableOfArgument: argumentVariables(document),
  };
}

/** The path parameters without a variable, and the headers that are fields of the input. */
function inputParameters(
  { name: document, directive, operation }: RestDocument,
  path: string,
  body: GraphQLInputType | undefined,
): Parameter[] {
  const variables = new Set((operation.variableDefinitions ?? []).map(({ variable }) => variable.name.value));
  const input = getNullableType(body);
  const fields = isInputObjectType(input) ? Object.values(input.getFields()) : [];
  const parameter = (name: string, wanted: string, place: 'path' | 'header'): Parameter => {
    const field = fields.find((candidate) => snakeCase(candidate.name) === wanted);
    if (!field) throw new Error(`${document}: the input has no field for the ${place} parameter ${name}.`);
    const { type } = field;
    return {
      variable: field.name,
      isInput: true,
      name,
      type: getNullableType(type),
      namedType: getNamedType(type),
      in: place,
    };
  };
  const names = [...path.matchAll(/\{(\w+)\}/g)].flatMap(([, name = '']) => (variables.has(name) ? [] : [name]));
  return [
    ...names.map((name) => parameter(name, name, 'path')),
    ...directive.headers.map((name) => parameter(name, name.toLowerCase().replaceAll('-', '_'), 'header')),
  ];
}

/**
 * The variable of each argument, and of each field of an argument, in the document: for `last: $limit` the variable of
 * `last` is `limit`, and for `filter: { createdAt: { from: $from } }` that of `createdAt.from` is `from`.
 */
function argumentVariables({ operation }: RestDocument): Map<string, string> {
  const variables = new Map<string, string>();
  const add = ({ name, value }: ArgumentNode | ObjectFieldNode, path: readonly string[]): void => {
    const steps = [...path, name.value];
    if (value.kind === Kind.VARIABLE) variables.set(steps.join('.'), value.name.value);
    else if (value.kind === Kind.OBJECT) for (const field of value.fields) add(field, steps);
  };
  // Errors name a field of an input object without the argument.
  const addArgument = (argument: ArgumentNode): void => {
    if (argument.value.kind === Kind.OBJECT) for (const field of argument.value.fields) add(field, []);
    else add(argument, []);
  };
  const visit = (selections: RestDocument['rootField']['selectionSet']): void => {
    for (const selection of selections?.selections ?? []) {
      if (selection.kind !== Kind.FIELD) continue;
      for (const argument of selection.arguments ?? []) addArgument(argument);
      visit(selection.selectionSet);
    }
  };
  visit(operation.selectionSet);
  return variables;
}
