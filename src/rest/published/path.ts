import {
  type GraphQLInputType,
  type GraphQLSchema,
  getDirectiveValues,
  isNonNullType,
  type OperationDefinitionNode,
  typeFromAST,
} from 'graphql';
import { LIMITS } from '../../contract/limits.ts';
import type { RestDirective, ToolDirective } from '../documents.ts';
import { isTextParameter } from '../parameter-types.ts';
import type { Method } from '../route.ts';
import { METHODS_OF_KIND, STATUSES_OF_KIND } from './directives.ts';
import { problemAt } from './problem.ts';
import { directiveOf } from './rules.ts';

type Kind = 'query' | 'mutation';

const METHODS: readonly Method[] = ['get', 'post', 'put', 'patch', 'delete'];

/** The path under which the documents of an environment are called. */
export const DOCUMENTS_PATH = '/v1/x';

/** @throws {GraphQLError} */
export function restDirectiveOf(
  schema: GraphQLSchema,
  operation: OperationDefinitionNode,
  name: string,
): RestDirective {
  const kind = operation.operation as Kind;
  const node = directiveOf(operation.directives, 'rest');
  const definition = schema.getDirective('rest');
  const values = (definition && getDirectiveValues(definition, operation)) as Partial<RestDirective> | undefined;
  const { status = 200, unwrap = false, ...named } = values ?? {};
  const methods = METHODS.filter((method) => named[method] !== undefined && named[method] !== null);
  const [method = METHODS_OF_KIND[kind][0], second] = methods;
  const path = named[method] ?? `${DOCUMENTS_PATH}/${name}`;
  const allowed: readonly Method[] = METHODS_OF_KIND[kind];
  if (second) throw problemAt(node, 'A document has one path. Remove one of the methods.');
  if (!allowed.includes(method)) throw problemAt(node, `The path of a ${kind} has the method ${allowed.join(', ')}.`);
  if (!STATUSES_OF_KIND[kind].includes(status)) {
    throw problemAt(node, `The status of a ${kind} is ${STATUSES_OF_KIND[kind].join(', ')}.`);
  }
  if (unwrap && (operation.selectionSet.selections.length > 1 || status === 204)) {
    throw problemAt(node, 'unwrap needs exactly one root field, and a response with a body.');
  }
  const problem = pathProblem(schema, operation, path, name);
  if (problem !== undefined) throw problemAt(node, problem);
  return { [method]: path, headers: [], unwrap, status, lines: false, feed: false, anyOrigin: false, ui: false };
}

const SEGMENT = /^(\{([A-Za-z_]\w*)\}|[a-z0-9][a-z0-9_-]*)$/;

function pathProblem(
  schema: GraphQLSchema,
  operation: OperationDefinitionNode,
  path: string,
  name: string,
): string | undefined {
  const start = `${DOCUMENTS_PATH}/${name}`;
  if (path !== start && !path.startsWith(`${start}/`)) return `The path must start with ${start}.`;
  const segments = path.slice(start.length).split('/').slice(1);
  if (segments.length > LIMITS.documentPathSegments || path.length > LIMITS.addressLength) {
    return `The path can have at most ${LIMITS.documentPathSegments} segments after ${start}.`;
  }
  const parameters = new Set<string>();
  for (const segment of segments) {
    const [matches, , parameter] = SEGMENT.exec(segment) ?? [];
    if (matches === undefined)
      return `The segment \`${segment}\` must be a {variable}, or lower-case letters and digits.`;
    if (parameter === undefined) continue;
    if (parameters.has(parameter)) return `The path has {${parameter}} twice.`;
    parameters.add(parameter);
    if (!isPathVariable(schema, operation, parameter)) {
      return `{${parameter}} needs a variable $${parameter} with one required value, for example ID!.`;
    }
  }
  return undefined;
}

function isPathVariable(schema: GraphQLSchema, { variableDefinitions = [] }: OperationDefinitionNode, name: string) {
  const definition = variableDefinitions.find(({ variable }) => variable.name.value === name);
  const type = definition && (typeFromAST(schema, definition.type as never) as GraphQLInputType | undefined);
  return type !== undefined && isNonNullType(type) && isTextParameter(type);
}

/** Every document is a tool. The directive changes how the tool is described. @throws {GraphQLError} */
export function toolDirectiveOf(
  schema: GraphQLSchema,
  operation: OperationDefinitionNode,
  name: string,
): ToolDirective {
  const definition = schema.getDirective('tool');
  const values = (definition && getDirectiveValues(definition, operation)) as Partial<ToolDirective> | undefined;
  const { title, destructive } = values ?? {};
  const words = name.replaceAll('_', ' ');
  const node = directiveOf(operation.directives, 'tool');
  if (title && title.length > LIMITS.workflowNameLength) {
    throw problemAt(node, `The title of a tool has at most ${LIMITS.workflowNameLength} characters.`);
  }
  return {
    title: title || words.charAt(0).toUpperCase() + words.slice(1),
    name,
    destructive: destructive === true,
  };
}
