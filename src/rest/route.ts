import {
  type GraphQLField,
  type GraphQLInputType,
  type GraphQLNamedInputType,
  type GraphQLSchema,
  getNamedType,
  getNullableType,
  Kind,
  typeFromAST,
} from 'graphql';
import { type Access, accessOf } from '../graphql/field-scope.ts';
import { headerOf, type RestDocument } from './documents.ts';
import { type Shape, shapeOf } from './shape.ts';

export type Method = 'get' | 'post' | 'patch' | 'delete';

const METHODS: readonly Method[] = ['get', 'post', 'patch', 'delete'];

/** A variable of the document and where its value comes from. */
export interface Parameter {
  /** The variable's name. */
  readonly variable: string;
  /** Its name in the request: the header's where it comes from one. */
  readonly name: string;
  readonly in: 'path' | 'query' | 'header';
  readonly type: GraphQLInputType;
  readonly namedType: GraphQLNamedInputType;
}

/** A REST operation, ready to be bound, executed and answered. */
export interface Route extends RestDocument {
  readonly method: Method;
  /** With its parameters in braces, as the documents write it. */
  readonly path: string;
  readonly parameters: readonly Parameter[];
  readonly body: { readonly variable: string; readonly type: GraphQLInputType } | undefined;
  readonly field: GraphQLField<unknown, unknown>;
  /** What the root field asks of its caller. */
  readonly access: Access;
  readonly responseKey: string;
  readonly shape: Shape | undefined;
  /** The root field's arguments by the variables that fill them: how a fault's field is named in REST. */
  readonly variableOfArgument: ReadonlyMap<string, string>;
}

export function toRoute(schema: GraphQLSchema, document: RestDocument): Route {
  const { directive, operation, rootField, fragments } = document;
  const method = METHODS.find((name) => directive[name] !== undefined);
  const path = method && directive[method];
  if (!method || !path) throw new Error(`${document.name}: @rest needs a method with a path.`);
  const variables = (operation.variableDefinitions ?? []).map((definition) => ({
    name: definition.variable.name.value,
    header: headerOf(definition),
    // The document was validated, so its types are the schema's.
    type: typeFromAST(schema, definition.type as never) as GraphQLInputType,
  }));
  const field = schema.getRootType(operation.operation)?.getFields()[rootField.name.value];
  const body = variables.find(({ name }) => name === directive.body);
  if (!field || Boolean(directive.body) !== Boolean(body)) throw new Error(`${document.name}: body names no variable.`);
  return {
    ...document,
    method,
    path,
    parameters: variables
      .filter((variable) => variable !== body && variable.name !== directive.others)
      .map(({ name, header, type }) => ({
        variable: name,
        name: header ?? name,
        type: getNullableType(type),
        namedType: getNamedType(type),
        in: header ? 'header' : path.includes(`{${name}}`) ? 'path' : 'query',
      })),
    body: body && { variable: body.name, type: getNullableType(body.type) },
    field,
    access: accessOf(field),
    responseKey: rootField.alias?.value ?? rootField.name.value,
    shape: shapeOf(operation.selectionSet, fragments),
    variableOfArgument: argumentVariables(document),
  };
}

/** Arguments that a variable fills, anywhere in the document: `last: $limit` makes `last` known as `limit`. */
function argumentVariables({ operation }: RestDocument): Map<string, string> {
  const found = new Map<string, string>();
  const visit = (selections: RestDocument['rootField']['selectionSet']): void => {
    for (const selection of selections?.selections ?? []) {
      if (selection.kind !== Kind.FIELD) continue;
      for (const { name, value } of selection.arguments ?? []) {
        if (value.kind === Kind.VARIABLE) found.set(name.value, value.name.value);
      }
      visit(selection.selectionSet);
    }
  };
  visit(operation.selectionSet);
  return found;
}
